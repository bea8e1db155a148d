"""What a table is made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.tables.dataset import Dataset, Method
from benchmarks.tables.paper import Cells

_BALANCED = ", balanced"


def by_set(result: Mapping[str, Any]) -> dict[str, float]:
    """A row is a set: the mean over its classes."""
    return {result["set"]: result["accuracy"]}


def by_class(result: Mapping[str, Any]) -> dict[str, float]:
    """A row is a class of the only set, against the rest."""
    return dict(result["classes"])


def by_measure(result: Mapping[str, Any]) -> dict[str, float]:
    """Two rows a set, all classes at once: accuracy, and its mean over the classes."""
    name, found = result["set"], result["multiclass"]
    return {name: found["accuracy"], f"{name}{_BALANCED}": found["balanced"]}


@dataclass(frozen=True)
class Texts:
    """What is said of the figures.

    Attributes
    ----------
    protocol : str
        What they are; ``{count}`` stands for the number of partitions.
    stated : str
        Heading of what others state.
    best_stated : str
        What the best of it is called.
    """

    protocol: str = (
        "One-versus-rest accuracy in per cent, mean ± deviation over {count} random halves of "
        "every class"
    )
    stated: str = "In the paper"
    best_stated: str = "the paper's best column"


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
        Mean and deviation by row and method, in the paper or elsewhere; its rows are the table's.
    values : callable
        Accuracies of a result by row: :func:`by_set`, :func:`by_class` or :func:`by_measure`.
    competitors : frozenset of str
        Methods that `ours` is compared with in the count of rows, not its own variants; without
        any, nothing is counted.
    published : frozenset of str
        Sets with a published test part: one partition each.
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
    published: frozenset[str] = frozenset()
    texts: Texts = field(default_factory=Texts)
    ours: str = "sfm"

    @property
    def rows(self) -> list[str]:
        """Names of the rows, in the paper's order."""
        return list(self.stated)

    def partitions_of(self, name: str, asked: int) -> range:
        """Partitions of a set."""
        return range(1 if name in self.published else asked)

    def is_published(self, row: str) -> bool:
        """Whether a row is of a set with a published test part."""
        return row.removesuffix(_BALANCED) in self.published

    def best_stated(self, row: str) -> float:
        """The most accurate of what others state, in per cent."""
        return max(mean for mean, _ in self.stated[row].values())
