"""The tables by number: the paper's 1 to 3, and protein benchmarks from the literature."""

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from benchmarks.tables import paper
from benchmarks.tables.comparison import Comparison, compare, compare_problems
from benchmarks.tables.location import datasets as location
from benchmarks.tables.location import methods as location_methods
from benchmarks.tables.many_classes import datasets as many_classes
from benchmarks.tables.many_classes import methods as many_classes_methods
from benchmarks.tables.many_classes.bands import BANDS
from benchmarks.tables.many_classes.bands import measure as by_band
from benchmarks.tables.peptides import datasets as peptides
from benchmarks.tables.peptides import methods as peptide_methods
from benchmarks.tables.proteins import datasets as proteins
from benchmarks.tables.proteins import methods as protein_methods
from benchmarks.tables.remote_homology import datasets as remote_homology
from benchmarks.tables.remote_homology import methods as remote_homology_methods
from benchmarks.tables.remote_homology.families import draw_families
from benchmarks.tables.scenes import datasets as scenes
from benchmarks.tables.scenes import methods as scene_methods
from benchmarks.tables.superfamilies import datasets as superfamilies
from benchmarks.tables.superfamilies import methods as superfamily_methods
from benchmarks.tables.table import Table, Texts, as_measured, by_class, by_measure, by_set
from benchmarks.tables.vectors import datasets as vectors
from benchmarks.tables.vectors import methods as vector_methods

# Ours, and parts of them; all other methods are competitors.
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


_SEARCHED = f"{Texts.trained} Searches have no training; theirs is the time of the whole search."


def _of_sets(*names: str) -> tuple[str, ...]:
    """Rows of :func:`by_measure`."""
    return tuple(row for name in names for row in (name, f"{name}, balanced"))


def _of_families(name: str, ours: Sequence[float], theirs: Sequence[float]) -> Comparison:
    return compare_problems(ours, theirs)


def _of_locations(name: str, ours: Sequence[float], theirs: Sequence[float]) -> Comparison:
    """Compare by the test's share of the training: a fold's, or a half's."""
    folds = location.GIVEN.get(name)
    return compare(ours, theirs, test_to_train=1.0 if folds is None else 1.0 / (folds - 1))


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
    "4": _table(
        "remote homology, 54 families of SCOP 1.53",
        remote_homology,
        remote_homology_methods,
        remote_homology_methods.TITLES,
        {},
        as_measured,
        rows=("ROC", "ROC50"),
        given=remote_homology.GIVEN,
        measure=remote_homology_methods.measure,
        compare=_of_families,
        draw=draw_families,
        texts=Texts(
            "Members of a family must be told from other folds by a classifier trained on the "
            "other families of the superfamily (Liao and Noble, 2003). Area under the whole ROC "
            "curve (ROC) and up to the 50th false positive (ROC50), times 100: "
            "mean ± standard deviation over the 54 families",
            compared="Mean difference over the families, and p of Wilcoxon's signed-rank test.",
        ),
    ),
    "5": _table(
        "enzymes of 118 classes",
        many_classes,
        many_classes_methods,
        many_classes_methods.TITLES,
        {},
        by_measure,
        rows=tuple(
            row
            for name in many_classes.NAMES
            for row in _of_sets(name, *(f"{name}, {band}" for band in BANDS))
        ),
        given=many_classes.GIVEN,
        measure=by_band,
        texts=Texts(
            "Multi-class accuracy and balanced accuracy (mean over the classes) in per cent. "
            "Trained on the training set and tested once on the test set; also by the E-value of "
            "the nearest training sequence (MMseqs2), with sequences without a hit in the last "
            "band. `ec3_largest` are the 30 largest classes",
            compared="Differences; a single test set gives no p.",
            trained=_SEARCHED,
        ),
    ),
    "6": _table(
        "location in the cell",
        location,
        location_methods,
        location_methods.TITLES,
        {},
        by_measure,
        rows=_of_sets(*location.NAMES),
        given=location.GIVEN,
        compare=_of_locations,
        texts=Texts(
            "Multi-class accuracy and balanced accuracy (mean recall of the classes) in per cent. "
            "`multiloc`, eleven classes: mean ± standard deviation over five folds; "
            "`subcellular`, four classes: over {count} random stratified halves",
            trained=_SEARCHED,
        ),
    ),
    "7": _table(
        "antimicrobial peptides",
        peptides,
        peptide_methods,
        peptide_methods.TITLES,
        peptide_methods.PUBLISHED,
        as_measured,
        rows=peptide_methods.ROWS,
        given=peptides.GIVEN,
        measure=peptide_methods.measure,
        texts=Texts(
            "The published split of Veltri et al. (2018): trained on the training and tuning "
            "sets, tested once on the test set. Accuracy, area under the ROC curve and Matthews "
            "correlation, times 100",
            "Published",
            "the published figure",
            "Differences; a single test set gives no p.",
            "value times 100",
        ),
    ),
    "8": _table(
        "superfamilies and folds of SCOP 1.53",
        superfamilies,
        superfamily_methods,
        superfamily_methods.TITLES,
        {},
        by_measure,
        rows=_of_sets(*superfamilies.NAMES),
        texts=Texts(
            "Multi-class accuracy and balanced accuracy (mean over the classes) in per cent, "
            "mean ± standard deviation over {count} random stratified halves. "
            "Superfamilies and folds with at least ten domains"
        ),
    ),
}
