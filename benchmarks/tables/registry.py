"""The tables by number: those of the paper, and one of many classes."""

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from benchmarks.tables import paper
from benchmarks.tables.many_classes import datasets as many_classes
from benchmarks.tables.many_classes import methods as many_classes_methods
from benchmarks.tables.many_classes.stated import STATED
from benchmarks.tables.proteins import datasets as proteins
from benchmarks.tables.proteins import methods as protein_methods
from benchmarks.tables.scenes import datasets as scenes
from benchmarks.tables.scenes import methods as scene_methods
from benchmarks.tables.table import Table, Texts, by_class, by_measure, by_set
from benchmarks.tables.vectors import datasets as vectors
from benchmarks.tables.vectors import methods as vector_methods

# Ours, and parts of them: the rows are counted against the others.
OWN = {
    "sfm": "SFM `best`",
    "fast": "SFM `fast`",
    "moments_svm": "the moments of `best` without topics, SVM",
    "coupled": "SFM paper, coupled",
    "pairs": "SFM `best`, a pair for each class",
    "uncoupled": "SFM paper, uncoupled",
    "expected": "SFM paper, expected",
}


def _table(
    title: str,
    data: ModuleType,
    methods: ModuleType,
    titles: dict[str, str],
    stated: paper.Cells,
    values: Callable[[Mapping[str, Any]], dict[str, float]],
    **more: Any,
) -> Table:
    return Table(
        title=title,
        sets=data.NAMES,
        load=data.load,
        methods=methods.METHODS,
        titles={**OWN, **titles},
        stated=stated,
        values=values,
        competitors=frozenset(methods.METHODS) - OWN.keys(),
        **more,
    )


TABLES = {
    "1": _table(
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
        paper.TABLE_1,
        by_set,
    ),
    "2": _table(
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
        paper.TABLE_2,
        by_class,
    ),
    "3": _table(
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
        paper.TABLE_3,
        by_class,
    ),
    "5": _table(
        "many classes of proteins",
        many_classes,
        many_classes_methods,
        {},
        STATED,
        by_measure,
        published=many_classes.PUBLISHED,
        texts=Texts(
            "All classes at once: per cent of right labels, and (balanced) the mean of that over "
            "the classes. `ec3` is learnt from its training part and tested on its test part, "
            "once; superfamilies: mean ± deviation over {count} random halves of every class",
            "Best hits",
            "the best of the best hits",
        ),
    ),
}
