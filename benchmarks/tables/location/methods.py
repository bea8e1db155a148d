"""The methods of Table 6 by name."""

from benchmarks.tables.dataset import Method
from benchmarks.tables.ours import sfm
from benchmarks.tables.peers.machines import gaussian_pairs, kernel_machine, linear_trigrams
from benchmarks.tables.peers.relatives import best_hit
from benchmarks.tables.peers.trees import boosting, forest
from benchmarks.tables.searching.programs import mmseqs2

METHODS: dict[str, Method] = {
    "sfm": sfm("best"),
    "fast": sfm("fast"),
    "gaussian_pairs": kernel_machine(gaussian_pairs),
    "trigram": linear_trigrams,
    "forest": forest(),
    "boosting": boosting(),
    "mmseqs2": best_hit(mmseqs2),
}
TITLES = {
    "gaussian_pairs": "spaced pairs, SVM (Gaussian)",
    "trigram": "3-mer SVM (linear)",
    "forest": "random forest",
    "boosting": "gradient boosting",
    "mmseqs2": "best hit of MMseqs2",
}
