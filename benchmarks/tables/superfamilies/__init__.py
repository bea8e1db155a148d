"""Table 8: superfamilies and folds of SCOP."""
