"""The methods of Table 5 by name."""

from benchmarks.tables.dataset import Method
from benchmarks.tables.ours import sfm
from benchmarks.tables.peers.machines import linear_trigrams
from benchmarks.tables.peers.relatives import best_hit
from benchmarks.tables.peers.trees import boosting, forest
from benchmarks.tables.searching.programs import diamond, mmseqs2, phmmer

METHODS: dict[str, Method] = {
    "sfm": sfm("best"),
    "fast": sfm("fast"),
    # A pair of models of its own for each class, as before classes shared them.
    "pairs": sfm("best", n_shared_models=0, kernel_rank=0),
    "mmseqs2": best_hit(mmseqs2),
    "diamond": best_hit(diamond),
    "phmmer": best_hit(phmmer),
    "class_sums": best_hit(mmseqs2, 5),
    "trigram": linear_trigrams,
    "forest": forest(),
    "boosting": boosting(50),
}
TITLES = {
    "mmseqs2": "best hit of MMseqs2",
    "diamond": "best hit of DIAMOND",
    "phmmer": "best hit of phmmer",
    "class_sums": "sum of a class's 5 best hits, MMseqs2",
    "trigram": "3-mer SVM (linear)",
    "forest": "random forest",
    "boosting": "gradient boosting, 50 rounds",
}
