"""What a table is made of."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.tables.comparison import Comparison, compare
from benchmarks.tables.dataset import Dataset, Half, Method, Outcome
from benchmarks.tables.paper import Cells
from benchmarks.tables.plots import draw_table

_BALANCED = ", balanced"


def by_set(result: Mapping[str, Any]) -> dict[str, float]:
    """A row is a set: the mean over its classes."""
    return {result["set"]: result["accuracy"]}


def by_class(result: Mapping[str, Any]) -> dict[str, float]:
    """A row is a class of the only set, against the rest."""
    return dict(result["classes"])


def by_measure(result: Mapping[str, Any]) -> dict[str, float]:
    """Two rows a set, all classes at once: accuracy, and its mean over the classes.

    What a table measures beside has a row each.
    """
    name, found = result["set"], result["multiclass"]
    more = {f"{name}, {key}": value for key, value in result.get("measures", {}).items()}
    return {name: found["accuracy"], f"{name}{_BALANCED}": found["balanced"], **more}


def as_measured(result: Mapping[str, Any]) -> dict[str, float]:
    """A row is what the table measures of its only set."""
    return dict(result["measures"])


def nothing(half: Half, outcome: Outcome) -> dict[str, float]:
    """Measure nothing beside the accuracies."""
    return {}


def of_halves(name: str, ours: Sequence[float], theirs: Sequence[float]) -> Comparison:
    """Compare on random halves, which share most of their items."""
    return compare(ours, theirs)


@dataclass(frozen=True)
class Texts:
    """Texts around the figures.

    Attributes
    ----------
    protocol : str
        How they were measured; ``{count}`` stands for the number of partitions.
    stated : str
        Heading of the published figures.
    best_stated : str
        Name of the best published figure.
    compared : str
        Caption of the differences and their p.
    axis : str
        Label of the plot's axes.
    trained : str
        Caption of the training times.
    """

    protocol: str = (
        "One-versus-rest accuracy in per cent, mean ± standard deviation over {count} random "
        "stratified halves"
    )
    stated: str = "In the paper"
    best_stated: str = "the paper's best column"
    compared: str = (
        "Mean of the paired differences, and p of the corrected resampled t-test "
        "(Nadeau and Bengio, 2003)."
    )
    axis: str = "accuracy (%)"
    trained: str = "Mean CPU time in seconds on one thread; wall-clock time in brackets."


@dataclass(frozen=True)
class Table:
    """A table: its sets, its methods, and what others state.

    Attributes
    ----------
    title : str
    sets : tuple of str
    load : callable
        Reads a set.
    methods : mapping of str to Method
        In the order of the columns.
    titles : mapping of str to str
        Headings of the columns, by method.
    stated : dict
        Mean and deviation by row and method, in the paper or elsewhere.
    values : callable
        Figures of a result by row: :func:`by_set`, :func:`by_class`, :func:`by_measure` or
        :func:`as_measured`.
    competitors : frozenset of str
        Methods that `ours` is compared with in the count of rows, not its own variants; without
        any, nothing is counted.
    rows : tuple of str
        In the order shown; by default those of `stated`.
    given : mapping of str to int
        Number of parts of the sets that come parted, or have fixed folds.
    measure : callable
        Takes a half and an outcome; returns what is measured beside the accuracies, by name.
    compare : callable
        Takes a set's name and what two methods reach on the same partitions.
    draw : callable
        Makes the plot of a summary.
    texts : Texts
    ours : str
    """

    title: str
    sets: tuple[str, ...]
    load: Callable[[str], Dataset]
    methods: Mapping[str, Method]
    titles: Mapping[str, str]
    stated: Cells
    values: Callable[[Mapping[str, Any]], dict[str, float]]
    competitors: frozenset[str]
    rows: tuple[str, ...] = ()
    given: Mapping[str, int] = field(default_factory=dict)
    measure: Callable[[Half, Outcome], dict[str, float]] = nothing
    compare: Callable[[str, Sequence[float], Sequence[float]], Comparison] = of_halves
    draw: Callable[[Mapping[str, Any], Path], None] = draw_table
    texts: Texts = field(default_factory=Texts)
    ours: str = "sfm"

    def __post_init__(self) -> None:
        if not self.rows:
            object.__setattr__(self, "rows", tuple(self.stated))

    def partitions_of(self, name: str, asked: int) -> range:
        """Partitions of a set."""
        return range(self.given.get(name, asked))

    def set_of(self, row: str) -> str:
        """The set that a row is of: the one that it begins with, or the only one."""
        name = row.partition(", ")[0]
        return name if name in self.sets else self.sets[0]

    def best_stated(self, row: str) -> float | None:
        """The most accurate of what others state, in per cent; None where nobody does."""
        return max((mean for mean, _ in self.stated.get(row, {}).values()), default=None)
