"""The methods of Table 7 by name, what is measured, and what is published."""

import math

from benchmarks.tables.dataset import Half, Method, Outcome
from benchmarks.tables.measures import accuracy, matthews, roc
from benchmarks.tables.ours import sfm
from benchmarks.tables.paper import Cells
from benchmarks.tables.peers.machines import gaussian_pairs, kernel_machine
from benchmarks.tables.peers.relatives import best_alignment
from benchmarks.tables.peers.trees import boosting, forest
from benchmarks.tables.peptides.datasets import PEPTIDE

METHODS: dict[str, Method] = {
    "sfm": sfm("best"),
    "fast": sfm("fast"),
    "gaussian_pairs": kernel_machine(gaussian_pairs),
    "forest": forest(),
    "boosting": boosting(),
    "best_alignment": best_alignment,
}
TITLES = {
    "gaussian_pairs": "spaced pairs, SVM (Gaussian)",
    "forest": "random forest",
    "boosting": "gradient boosting",
    "best_alignment": "best alignment (Smith-Waterman)",
}
# D. Veltri, U. Kamath, A. Shehu, Bioinformatics 34, 2018: on the same test part.
PUBLISHED: Cells = {"accuracy": {"AMP Scanner v2": (91.01, math.nan)}}
ROWS = ("accuracy", "AUROC", "MCC")


def measure(half: Half, outcome: Outcome) -> dict[str, float]:
    """Accuracy, area under the curve and Matthews correlation, all times 100."""
    if outcome.labels is None or outcome.scores is None:
        return {}
    values = (
        accuracy(outcome.labels, half.y_test),
        roc(outcome.scores[:, 0], half.y_test == PEPTIDE),
        matthews(outcome.labels, half.y_test),
    )
    return dict(zip(ROWS, values, strict=True))
