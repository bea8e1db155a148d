"""Table 6: where in the cell a protein is."""
