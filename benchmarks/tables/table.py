"""What a table of the paper is made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.tables.dataset import Dataset, Method
from benchmarks.tables.paper import Cells


@dataclass(frozen=True)
class Table:
    """A table: its sets, its methods, and what stands in the paper.

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
    paper : dict
        Mean and deviation by row and method; its rows are the table's.
    by_class : bool
        Whether a row is a class of the only set, or the mean over the classes of a set.
    competitors : frozenset of str
        Methods that `ours` is compared with in the count of rows; not its own variants.
    ours : str
    """

    title: str
    sets: tuple[str, ...]
    load: Callable[[str], Dataset]
    methods: Mapping[str, Method]
    titles: Mapping[str, str]
    paper: Cells
    by_class: bool
    competitors: frozenset[str]
    ours: str = "sfm"

    @property
    def rows(self) -> list[str]:
        """Names of the rows, in the paper's order."""
        return list(self.paper)

    def best_printed(self, row: str) -> float:
        """The most accurate of the paper's columns, in per cent."""
        return max(mean for mean, _ in self.paper[row].values())

    def values(self, result: Mapping[str, Any]) -> dict[str, float]:
        """Accuracies of a result by row."""
        if self.by_class:
            return {row: result["classes"][row] for row in self.rows}
        return {result["set"]: result["accuracy"]}
