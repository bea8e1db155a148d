"""Table 1: eight sets of vectors from UCI."""
