"""From a score for every class to what a method says."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.tables.dataset import Booleans, Half, Outcome


def answers(
    half: Half,
    scores: npt.ArrayLike,
    classes: npt.ArrayLike,
    *,
    training: Mapping[str, float] | None = None,
    decisions: Booleans | None = None,
) -> Outcome:
    """Say the class of the largest score, the first of equal ones.

    Parameters
    ----------
    half : Half
    scores : array-like of shape (n_test, n_classes)
    classes : array-like of str, shape (n_classes,)
        At least those of the half's targets.
    training : mapping, optional
        What learning took.
    decisions : ndarray of bool, shape (n_test, n_classes), optional
        Whether an item is of each class; by default of the one that is said.

    Returns
    -------
    Outcome
        Of two classes, the score is the second's less the first's.
    """
    values, names = np.asarray(scores, dtype=float), np.asarray(classes)
    labels = names[values.argmax(1)]
    said = labels[:, None] == names if decisions is None else decisions
    places = [names.tolist().index(target) for target in half.dataset.targets]
    own = values[:, [1]] - values[:, [0]] if len(names) == 2 else values[:, places]
    return Outcome(said[:, places], labels=labels, training=dict(training or {}), scores=own)


def of_classes(values: npt.NDArray[Any], y: npt.NDArray[np.str_]) -> tuple[Any, Any]:
    """Largest value for each class, where columns are items of known class.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_items)
    y : ndarray of str, shape (n_items,)

    Returns
    -------
    largest : ndarray of shape (n_rows, n_classes)
    classes : ndarray of str, shape (n_classes,)

    Examples
    --------
    >>> largest, classes = of_classes(np.array([[1.0, 3.0, 2.0]]), np.array(["a", "b", "a"]))
    >>> largest.tolist(), classes.tolist()
    ([[2.0, 3.0]], ['a', 'b'])
    """
    classes = np.unique(y)
    return np.column_stack([values[:, y == label].max(1) for label in classes]), classes
