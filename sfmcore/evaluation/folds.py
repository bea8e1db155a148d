"""Folds of labelled items, and items that are always in training."""

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold

from sfmcore.data.arrays import Int64Array
from sfmcore.data.targets import UNLABELED
from sfmcore.learning.problem import Problem

Fold = tuple[Int64Array, Int64Array]


def stratified_folds(numbers: Int64Array, n_folds: int, seed: int) -> list[Fold]:
    """Folds of the labelled items; fewer than asked for if the smallest class is smaller.

    Items without label, and an item that is alone in its class, are in every training part.

    Parameters
    ----------
    numbers : ndarray of shape (n_items,)
        Class of each item, -1 for one without label.
    n_folds : int
        At least 2.
    seed : int

    Returns
    -------
    list of (train, test)
        Empty if no class has two items.

    Examples
    --------
    >>> folds = stratified_folds(np.array([0, 0, 0, 0, 1, 1, -1]), 5, seed=0)
    >>> len(folds), sorted(np.concatenate([test for _, test in folds]).tolist())
    (2, [0, 1, 2, 3, 4, 5])
    """
    counts = np.bincount(numbers[numbers != UNLABELED])
    several = counts >= 2
    count = min([n_folds, *counts[several].tolist()]) if several.any() else 0
    if count < 2:
        return []
    tested = np.flatnonzero((numbers != UNLABELED) & several[numbers])
    splitter = StratifiedKFold(count, shuffle=True, random_state=seed % 2**32)
    everything = np.arange(len(numbers))
    folds = []
    for _, test in splitter.split(tested, numbers[tested]):
        held_out = tested[test]
        folds.append((np.setdiff1d(everything, held_out), held_out))
    return folds


def folds_of_labelled(splitter: Any, problem: Problem) -> list[Fold]:
    """Folds of a scikit-learn splitter over the labelled items.

    Parameters
    ----------
    splitter : object with a method `split`
    problem : Problem
    """
    labelled = np.flatnonzero(problem.numbers != UNLABELED)
    everything = np.arange(len(problem.numbers))
    unlabelled = everything[problem.numbers == UNLABELED]
    return [
        (np.sort(np.concatenate([labelled[train], unlabelled])), labelled[test])
        for train, test in splitter.split(labelled[:, None], problem.numbers[labelled])
    ]


def folds_of_rows(
    splits: Iterable[tuple[npt.ArrayLike, npt.ArrayLike]], problem: Problem
) -> list[Fold]:
    """Folds that are given as rows of the user's X.

    Rows of weight 0 are left out, and rows without label are not tested. Items that came without
    label beside X are in every training part.

    Parameters
    ----------
    splits : iterable of (train, test)
        Row numbers, where -1 is the last row, or masks of all rows.
    problem : Problem

    Raises
    ------
    ValueError
        If there is no such row.
    """
    n_rows = len(problem.places) if problem.n_rows is None else problem.n_rows
    beside = problem.places >= n_rows
    folds = []
    for split in splits:
        rows = [np.asarray(part) for part in split]
        rows = [np.flatnonzero(part) if part.dtype == bool else part for part in rows]
        for part in rows:
            if np.any(part < -n_rows) or np.any(part >= n_rows):
                raise ValueError(f"cv names a row that X, of {n_rows} rows, does not have")
        rows = [np.where(part < 0, part + n_rows, part) for part in rows]
        train, test = (np.isin(problem.places, part) for part in rows)
        test &= problem.numbers != UNLABELED
        folds.append((np.flatnonzero(train | beside), np.flatnonzero(test)))
    return folds


def warn_of_few_folds(asked: int, count: int) -> None:
    """Say once that there are fewer folds than asked for, or none."""
    if count == 0:
        text = (
            "no class has two items, so nothing can be cross-validated: using the simplest setting"
        )
    elif count < asked:
        text = f"the smallest class has {count} items: {count} folds instead of {asked}"
    else:
        return
    warnings.warn(text, UserWarning, stacklevel=4)
