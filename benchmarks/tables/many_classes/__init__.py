"""Table 5: enzymes of more than a hundred classes."""
