"""The tables by their number in the paper."""

from benchmarks.tables import paper
from benchmarks.tables.proteins import datasets as proteins
from benchmarks.tables.proteins import methods as protein_methods
from benchmarks.tables.scenes import datasets as scenes
from benchmarks.tables.scenes import methods as scene_methods
from benchmarks.tables.table import Table
from benchmarks.tables.vectors import datasets as vectors
from benchmarks.tables.vectors import methods as vector_methods

# Ours, and parts of them: the rows are counted against the others.
OWN = {
    "sfm": "SFM `best`",
    "fast": "SFM `fast`",
    "moments_svm": "the moments of `best` without topics, SVM",
    "coupled": "SFM paper, coupled",
    "uncoupled": "SFM paper, uncoupled",
    "expected": "SFM paper, expected",
}


def _table(number: str, title: str, data: object, methods: object, titles: dict[str, str]) -> Table:
    names = methods.METHODS  # type: ignore[attr-defined]
    return Table(
        title=title,
        sets=data.NAMES,  # type: ignore[attr-defined]
        load=data.load,  # type: ignore[attr-defined]
        methods=names,
        titles={**OWN, **titles},
        paper=getattr(paper, f"TABLE_{number}"),
        by_class=number != "1",
        competitors=frozenset(names) - OWN.keys(),
    )


TABLES = {
    "1": _table(
        "1",
        "eight sets of vectors, the mean over the classes",
        vectors,
        vector_methods,
        {
            "adaboost": "AdaBoost",
            "svm": "SVM (Gaussian)",
            "lmkl": "LMKL",
            "pbgd3": "PBGD3",
            "kernel_pbgd3": "PBGD3 (Gaussian)",
            "linear_svm": "SVM (linear)",
            "forest": "random forest",
            "boosting": "gradient boosting",
            "fisher": "Fisher score, GMM",
            "fess": "FESS, GMM",
            "map": "MAP, GMM",
        },
    ),
    "2": _table(
        "2",
        "eight classes of scenes",
        scenes,
        scene_methods,
        {
            "phow": "PHOW-SVM, 50 words",
            "map": "LDA-MAP",
            "fisher": "Fisher score, LDA",
            "fess": "FESS, LDA",
            "spatial_svm": "spatial words, SVM (Gaussian)",
            "full_phow": "PHOW-SVM, full",
        },
    ),
    "3": _table(
        "3",
        "four classes of protein domains",
        proteins,
        protein_methods,
        {
            "bigram": "2-gram SVM (linear)",
            "map": "HMM-MAP",
            "fisher": "Fisher score, HMM",
            "fess": "FESS, HMM",
            "gaussian_bigram": "2-gram SVM (Gaussian)",
            "trigram": "3-mer SVM (linear)",
            "best_hit": "best hit of phmmer",
        },
    ),
}
