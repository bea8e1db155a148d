"""Table 5: proteins of about a hundred classes."""
