"""Protein classification from labelled, unaligned FASTA files."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfmbio.baselines.kmers import KmerFrequencies
    from sfmbio.classifier import ProteinClassifier

__all__ = ["KmerFrequencies", "ProteinClassifier"]


def __getattr__(name: str) -> Any:
    # Loaded when asked for: it brings scikit-learn, and the command line must be able to answer
    # an interrupt before that.
    if name == "KmerFrequencies":
        from sfmbio.baselines.kmers import KmerFrequencies

        return KmerFrequencies
    if name == "ProteinClassifier":
        from sfmbio.classifier import ProteinClassifier

        return ProteinClassifier
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
