"""Gap costs, and the statistics of scores with gaps."""

GAP_OPEN, GAP_EXTEND = 12, 1
"""Costs of the first residue of a gap, and of each that follows (11 and 1 in BLAST's terms)."""
LAMBDA, K = 0.267, 0.041
"""Karlin and Altschul's parameters of BLOSUM62 with these gaps: E = K m n exp(-LAMBDA S)."""
