"""Relatives of a sequence by local alignment: BLOSUM62, profiles, and references."""
