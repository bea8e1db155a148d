"""Local alignments of sequences: the scores of pairs of residues (``blosum62``)."""
