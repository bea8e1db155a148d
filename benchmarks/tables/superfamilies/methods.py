"""The methods of Table 8 by name."""

from benchmarks.tables.dataset import Method
from benchmarks.tables.ours import sfm
from benchmarks.tables.peers.machines import alignment_rows, gaussian_pairs, kernel_machine
from benchmarks.tables.peers.relatives import best_alignment
from benchmarks.tables.peers.trees import forest

METHODS: dict[str, Method] = {
    "sfm": sfm("best"),
    "fast": sfm("fast"),
    # A pair of models of its own for each class, as before classes shared them.
    "pairs": sfm("best", n_shared_models=0, kernel_rank=0),
    "best_alignment": best_alignment,
    "gaussian_pairs": kernel_machine(gaussian_pairs),
    "pairwise": kernel_machine(alignment_rows, shared=True),
    "forest": forest(),
}
TITLES = {
    "best_alignment": "best alignment (Smith-Waterman)",
    "gaussian_pairs": "spaced pairs, SVM (Gaussian)",
    "pairwise": "SVM-pairwise",
    "forest": "random forest",
}
