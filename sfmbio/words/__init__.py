"""Spaced words of sequences: their ``patterns``, and their principal directions."""
