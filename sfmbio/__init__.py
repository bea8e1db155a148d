"""Protein classification from labelled, unaligned FASTA files."""
