"""Table 7: antimicrobial peptides."""
