"""What a table's methods are run on, and what a method is."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Booleans = npt.NDArray[np.bool_]
Indexes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Part:
    """One way to part a set that is given, in the place of a random half.

    Attributes
    ----------
    train, test : ndarray
        Sorted places; some items may be in neither.
    name : str
    y : ndarray of str of shape (n_items,), optional
        Labels of this part alone.
    """

    train: Indexes
    test: Indexes
    name: str = ""
    y: npt.NDArray[np.str_] | None = None


@dataclass(frozen=True)
class Dataset:
    """Items and their labels.

    Attributes
    ----------
    name : str
    X : batch of items
        Vectors, codes of sequences, or an array of paths; indexed by arrays of places.
    y : ndarray of str of shape (n_items,)
    source : str
        The data set's name, the file, and what was left out.
    feature_names : tuple of str
        Of vectors.
    categorical : tuple of int
        Columns of `X` that hold codes of more than two categories: their order means nothing.
    parts : tuple of Part
        Published parts or fixed folds, in the place of random halves.
    """

    name: str
    X: Any
    y: npt.NDArray[np.str_]
    source: str
    feature_names: tuple[str, ...] = ()
    categorical: tuple[int, ...] = ()
    parts: tuple[Part, ...] = ()

    @property
    def targets(self) -> list[str]:
        """Classes that are told from the rest; of two classes the second: it is one problem."""
        labels: list[str] = np.unique(self.y).tolist()
        return labels[1:] if len(labels) == 2 else labels


@dataclass(frozen=True)
class Half:
    """One part, to learn from, and another, to be tested on: random halves where none is published.

    Attributes
    ----------
    dataset : Dataset
    train, test : ndarray
        Sorted places of the items.
    seed : int
        For whatever learns.
    name : str
        Of a part that is given.
    """

    dataset: Dataset
    train: Indexes
    test: Indexes
    seed: int
    name: str = ""

    @property
    def X(self) -> Any:
        """Items to learn from."""
        return self.dataset.X[self.train]

    @property
    def y(self) -> npt.NDArray[np.str_]:
        """Their labels."""
        return self.dataset.y[self.train]

    @property
    def X_test(self) -> Any:
        """Items to be tested on; a method does not see their labels."""
        return self.dataset.X[self.test]

    @property
    def y_test(self) -> npt.NDArray[np.str_]:
        """Their labels, for whatever measures."""
        return self.dataset.y[self.test]


@dataclass(frozen=True)
class Outcome:
    """What a method says of the test items.

    Attributes
    ----------
    decisions : ndarray of bool, shape (n_test, n_targets)
        Whether an item is of the class, each class against the rest.
    chosen : dict
        What was chosen on the way, by class where each chooses; plain values for JSON.
    labels : ndarray of str, shape (n_test,), optional
        The one class of each item, for tables of accuracy over all classes at once.
    training : dict of str to float
        What learning took: ``seconds`` and ``processor_seconds``. Empty where nobody looked.
    scores : ndarray of shape (n_test, n_targets), optional
        The larger, the more an item is of the class; for what is measured of the order.
    """

    decisions: Booleans
    chosen: dict[str, Any] = field(default_factory=dict)
    labels: npt.NDArray[np.str_] | None = None
    training: dict[str, float] = field(default_factory=dict)
    scores: npt.NDArray[np.float64] | None = None


Method = Callable[[Half], Outcome]
"""Learns from a half and answers for the other, on one thread."""


def each_class(binary: Callable[[Half, Booleans], tuple[Booleans, dict[str, Any]]]) -> Method:
    """Make a method of what solves one class against the rest.

    Parameters
    ----------
    binary : callable
        Takes a half and whether each training item is of the class; returns the same of the test
        items, and what it chose.
    """

    def method(half: Half) -> Outcome:
        found = {label: binary(half, half.y == label) for label in half.dataset.targets}
        decisions = np.column_stack([answers for answers, _ in found.values()])
        return Outcome(decisions, {label: chosen for label, (_, chosen) in found.items()})

    return method
