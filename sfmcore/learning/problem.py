"""Items with their classes and weights: what a fit learns from."""

import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from sfmcore.data.arrays import BoolArray, Float64Array, Int64Array
from sfmcore.data.checks import check_whole
from sfmcore.data.streams import KEPT_FROM_MODELS
from sfmcore.data.targets import UNLABELED, numbered_labels, require_two_classes
from sfmcore.models.base import checked_weights

# Weights that add up to less than this share of the items are hardly meant as counts.
_FEW = 0.1


@dataclass(frozen=True)
class Problem:
    """Items, classes and weights of a fit.

    Attributes
    ----------
    items : batch of items
    classes : ndarray of shape (n_classes,)
        Sorted labels, at least two.
    numbers : ndarray of shape (n_items,), int64
        Class of each item; -1 for one without label.
    weights : ndarray of shape (n_items,)
        Above 0.
    places : ndarray of shape (n_items,), int64
        Rows of the user's X that the items were; further items without label follow.
    weighted : bool
        Whether the user gave weights.
    n_rows : int, optional
        Rows of the user's X; the items of higher places came without label beside it.
    groups : ndarray of shape (n_items,), int64, optional
        Group of each item, from 0: what is held out is held out with its group.
    """

    items: Any
    classes: npt.NDArray[Any]
    numbers: Int64Array
    weights: Float64Array
    places: Int64Array
    weighted: bool = False
    n_rows: int | None = None
    groups: Int64Array | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def targets(self) -> list[int]:
        """Classes that are told from the rest; of two classes only the second."""
        return [1] if self.n_classes == 2 else list(range(self.n_classes))

    def signs(self, target: int) -> npt.NDArray[np.int8]:
        """+1 for the class, -1 for the others, 0 for items without label."""
        signs = np.where(self.numbers == target, 1, -1)
        signs[self.numbers == UNLABELED] = 0
        return signs.astype(np.int8)

    def seen_by_models(self, fraction: float, seed: int) -> BoolArray | None:
        """Labelled items left when a share is kept from the models.

        The share is drawn without a look at the labels: a split that halves every class would
        tie the two parts together, and a certificate needs independent items.

        Parameters
        ----------
        fraction : float
            Share that is kept away; 0 for none.
        seed : int

        Returns
        -------
        ndarray of shape (n_items,), bool, or None
            None if nothing is kept away.

        Raises
        ------
        ValueError
            If a class is left without an item for its models, or weights were given.
        """
        if fraction == 0:
            return None
        if self.weighted:
            raise ValueError("a certificate requires equal weights: it takes no sample_weight")
        random = np.random.default_rng([seed, KEPT_FROM_MODELS])
        seen = self.numbers != UNLABELED
        members = np.flatnonzero(seen)
        count = max(1, round(fraction * len(members)))
        seen[random.permutation(members)[:count]] = False
        gone = np.setdiff1d(np.arange(self.n_classes), self.numbers[seen])
        if len(gone):
            names = ", ".join(map(repr, self.classes[gone].tolist()))
            raise ValueError(
                f"certificate_fraction={fraction} left no item to learn the models of {names} "
                "from: lower it, or leave rare classes out"
            )
        return seen


def make_problem(
    items: Any,
    y: npt.ArrayLike,
    sample_weight: npt.ArrayLike | None = None,
    more: Any = None,
    unlabeled: Any = "auto",
    groups: Sequence[Hashable] | None = None,
) -> Problem:
    """Items with their classes and weights; items of weight 0 are left out.

    Parameters
    ----------
    items : batch of items
    y : array-like of shape (n_items,)
    sample_weight : array-like of shape (n_items,), optional
    more : batch of items, optional
        Without label.
    unlabeled : "auto", None or a value, default="auto"
        Marker of unlabelled items in `y`.
    groups : sequence of shape (n_items,), optional
        What is alike beyond its class, such as a superfamily. Those of `more` have groups of their
        own.

    Returns
    -------
    Problem

    Raises
    ------
    ValueError
        If labels, weights or groups can't be used, or there are fewer than two classes.
    """
    n_rows = len(items)
    classes, numbers = numbered_labels(y, n_rows, unlabeled)
    weights = checked_weights(sample_weight, n_rows)
    if weights.sum() < _FEW * n_rows:
        warnings.warn(
            f"sample_weight adds up to {weights.sum():.3g} for {n_rows} items: a weight of 2 means "
            "an item given twice, so this counts as very few items; multiply the weights, for "
            "example so that their mean is 1",
            UserWarning,
            stacklevel=4,
        )
    group_of = None if groups is None else numbered_groups(groups, n_rows)
    if more is not None:
        items = _join(items, more)
        if group_of is not None:
            group_of = np.append(group_of, group_of.max(initial=-1) + 1 + np.arange(len(more)))
        numbers = np.append(numbers, np.full(len(more), UNLABELED))
        weights = np.append(weights, np.ones(len(more)))
    places = np.flatnonzero(weights > 0)
    if len(places) < len(weights):
        items, numbers, weights = items[places], numbers[places], weights[places]
        group_of = None if group_of is None else group_of[places]
        present = np.unique(numbers[numbers != UNLABELED])
        classes = classes[present]
        renumbered = np.searchsorted(present, numbers)
        numbers = np.where(numbers == UNLABELED, UNLABELED, renumbered)
    require_two_classes(classes, numbers, unlabeled)
    weighted = sample_weight is not None
    return Problem(items, classes, numbers, weights, places, weighted, n_rows, group_of)


def numbered_groups(groups: Sequence[Hashable], n_items: int) -> Int64Array:
    """Number of every item's group, in the order in which they come.

    Parameters
    ----------
    groups : sequence of shape (n_items,)
    n_items : int

    Raises
    ------
    ValueError
        If there are not as many groups as items.

    Examples
    --------
    >>> numbered_groups(["b", "a", "b"], 3).tolist()
    [0, 1, 0]
    """
    if len(groups) != n_items:
        raise ValueError(f"X has {n_items} items, groups has {len(groups)}")
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in groups], dtype=np.int64)


def draw_seed(random_state: int | np.random.RandomState | None) -> int:
    """The seed itself, or one that the generator draws.

    Raises
    ------
    ValueError
        If it is a negative integer, or nothing that scientific Python takes for a seed.
    """
    if isinstance(random_state, int | np.integer):
        check_whole("random_state", random_state, 0)
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def pair_seed(seed: int, target: int, number: int) -> int:
    """Seed of one pair: another one for every class and every pair of it."""
    return int(np.random.SeedSequence([seed, target, number]).generate_state(1, np.uint64)[0])


def _join(first: Any, second: Any) -> Any:
    """Both batches in one: of arrays by NumPy, of others by their own method."""
    if hasattr(first, "joined"):
        return first.joined(second)
    return np.concatenate([first, second])
