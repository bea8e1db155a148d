"""Accuracy by how near the nearest training sequence is."""

import numpy as np

from benchmarks.tables.dataset import Half, Outcome
from benchmarks.tables.measures import accuracy, balanced
from benchmarks.tables.searching.programs import mmseqs2

BANDS = {
    "E < 1e-10": (0.0, 1e-10),
    "E 1e-10 to 1e-3": (1e-10, 1e-3),
    "E 1e-3 to 1": (1e-3, 1.0),
    "E > 1": (1.0, np.inf),
}
"""E-values of MMseqs2's best hit; what has no hit is in the last."""


def measure(half: Half, outcome: Outcome) -> dict[str, float]:
    """Accuracy, and its mean over the classes that a band has, of every band with a query."""
    if outcome.labels is None:
        return {}
    e_value = mmseqs2(half).nearest(len(half.test))
    found = {}
    for name, (low, high) in BANDS.items():
        own = (e_value >= low) & ((e_value < high) | np.isinf(high))
        if own.any():
            found[name] = accuracy(outcome.labels[own], half.y_test[own])
            found[f"{name}, balanced"] = balanced(outcome.labels[own], half.y_test[own])
    return found
