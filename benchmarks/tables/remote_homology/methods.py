"""The methods of Table 4 by name, and what is measured of their order."""

from benchmarks.tables.dataset import Half, Method, Outcome
from benchmarks.tables.measures import roc
from benchmarks.tables.ours import sfm
from benchmarks.tables.peers.machines import (
    alignment_rows,
    gappy_pairs,
    gaussian_pairs,
    kernel_machine,
    mismatches,
    trigrams,
)
from benchmarks.tables.peers.relatives import best_alignment
from benchmarks.tables.remote_homology.datasets import MEMBER

METHODS: dict[str, Method] = {
    "sfm": sfm("best"),
    "fast": sfm("fast"),
    "best_alignment": best_alignment,
    "spectrum": kernel_machine(trigrams, weighted=True),
    "mismatch": kernel_machine(mismatches, weighted=True, shared=True),
    "gappy": kernel_machine(gappy_pairs, weighted=True, shared=True),
    "gaussian_pairs": kernel_machine(gaussian_pairs, weighted=True),
    "pairwise": kernel_machine(alignment_rows, weighted=True, shared=True),
}
TITLES = {
    "best_alignment": "best alignment (Smith-Waterman)",
    "spectrum": "spectrum kernel (k = 3), SVM",
    "mismatch": "mismatch kernel (5, 1), SVM",
    "gappy": "gappy pairs, SVM (linear)",
    "gaussian_pairs": "spaced pairs, SVM (Gaussian)",
    "pairwise": "SVM-pairwise",
}


def measure(half: Half, outcome: Outcome) -> dict[str, float]:
    """ROC and ROC50 of a family, times 100."""
    if outcome.scores is None:
        return {}
    scores, truth = outcome.scores[:, 0], half.y_test == MEMBER
    return {"ROC": roc(scores, truth), "ROC50": roc(scores, truth, 50)}
