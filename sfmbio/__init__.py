"""Protein classification from labelled, unaligned FASTA files."""

from sfmbio.classifier import ProteinClassifier

__all__ = ["ProteinClassifier"]
