"""Protein classification from labelled, unaligned FASTA files."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfmbio.baselines.kmers import KmerFrequencies
    from sfmbio.classifier import ProteinClassifier

__all__ = ["KmerFrequencies", "ProteinClassifier"]


_HOMES = {
    "KmerFrequencies": "sfmbio.baselines.kmers",
    "ProteinClassifier": "sfmbio.classifier",
}


def __getattr__(name: str) -> Any:
    # Loaded when asked for: it brings scikit-learn, and the command line must be able
    # to answer an interrupt before that.
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
