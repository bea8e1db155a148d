"""Stratified folds of an evaluation: every item is tested once."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sfmcore.data.arrays import BoolArray, Int64Array

# The splitter takes groups greedily, in random order among equals: another order may do better.
_TRIES = 10


def fold_numbers(
    y: npt.ArrayLike, groups: Sequence[Hashable] | None, n_folds: int, seed: int
) -> Int64Array:
    """Fold in which each item is tested; classes are spread evenly, and groups kept whole.

    Parameters
    ----------
    y : array-like of shape (n_items,)
    groups : sequence of shape (n_items,) or None
    n_folds : int
        At least 2.
    seed : int

    Returns
    -------
    ndarray of shape (n_items,), int64
        Without groups every class is in every fold. With groups every class is in two folds at
        least, so that every training part has it.

    Raises
    ------
    ValueError
        If there are fewer than two folds, a class has fewer items than there are folds, there are
        fewer groups than folds, or a class would be missing in a training part.

    Examples
    --------
    >>> folds = fold_numbers([0] * 6 + [1] * 3, None, 3, seed=0)
    >>> [np.bincount(folds[:6]).tolist(), sorted(folds[6:].tolist())]
    [[2, 2, 2], [0, 1, 2]]
    """
    if n_folds < 2:
        raise ValueError(f"folds must be at least 2, got {n_folds}")
    labels, classes, counts = np.unique(np.asarray(y), return_inverse=True, return_counts=True)
    if groups is not None and len(groups) != len(classes):
        raise ValueError(f"y has {len(classes)} items, groups has {len(groups)}")
    if len(few := np.flatnonzero(counts < n_folds)):
        names = ", ".join(f"{labels[number]} {counts[number]}" for number in few)
        raise ValueError(
            f"{n_folds} folds need as many items of every class; these have fewer: {names}"
        )
    # Here and not above: a command that only trains or predicts would load it for nothing.
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    random = np.random.default_rng(seed)
    if groups is None:
        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=_drawn(random))
        return _folds_of(splitter, classes)
    numbers: dict[Hashable, int] = {}
    group_of = np.array([numbers.setdefault(key, len(numbers)) for key in groups])
    if n_folds > len(numbers):
        raise ValueError(f"{n_folds} folds need as many groups, and there are {len(numbers)}")
    if not (several := _met_twice(classes, group_of)).all():
        raise ValueError(
            f"a class with only one group can't be split into folds: {_names(labels[~several])}"
        )
    for _ in range(_TRIES):
        splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=_drawn(random))
        folds = _folds_of(splitter, classes, group_of)
        if (several := _met_twice(classes, folds)).all():
            return folds
    raise ValueError(
        f"found no folds that leave these classes in every training part: "
        f"{_names(labels[~several])}"
    )


def _drawn(random: np.random.Generator) -> int:
    return int(random.integers(2**31))


def _folds_of(splitter: Any, classes: Int64Array, groups: Int64Array | None = None) -> Int64Array:
    folds = np.empty(len(classes), dtype=np.int64)
    for number, (_, test) in enumerate(splitter.split(classes, classes, groups)):
        folds[test] = number
    return folds


def _met_twice(classes: Int64Array, others: Int64Array) -> BoolArray:
    """Whether each class has items of two of the others at least."""
    pairs = np.unique(np.column_stack([classes, others]), axis=0)
    return np.bincount(pairs[:, 0]) > 1


def _names(labels: npt.NDArray) -> str:
    return ", ".join(map(str, labels.tolist()))
