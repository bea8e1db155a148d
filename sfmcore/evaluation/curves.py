"""ROC and precision-recall curves of a class against the rest, means over partitions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sfmcore.data.arrays import BoolArray, Float64Array, Int64Array
from sfmcore.evaluation.answers import Answers

GRID = np.linspace(0.0, 1.0, 201)
"""Where curves are read: false positive rates, or recalls but for 0."""


@dataclass(frozen=True)
class MeanCurve:
    """A curve of one class.

    Attributes
    ----------
    x : ndarray of shape (n_points,)
    mean, deviation : ndarray of shape (n_points,)
        Over the partitions; a deviation of zeros for one partition.
    baseline : float
        Share of the items that are of the class, the mean over the partitions.
    """

    x: Float64Array
    mean: Float64Array
    deviation: Float64Array
    baseline: float


def mean_roc(answers: Sequence[Answers], number: int) -> MeanCurve | None:
    """True positive rate at each false positive rate.

    Parameters
    ----------
    answers : sequence of Answers
        One for each partition.
    number : int
        Of the class.

    Returns
    -------
    MeanCurve or None
        None if no partition has both items of the class and others, with scores.

    Examples
    --------
    >>> no = np.empty(0)
    >>> scores = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]])
    >>> part = Answers(np.arange(3), np.array([0, 1, 1]), scores.argmax(1), no, no, no, no, scores)
    >>> mean_roc([part], 1).mean.min()
    np.float64(1.0)
    """
    return _mean_of(answers, number, GRID, _roc)


def mean_precision(answers: Sequence[Answers], number: int) -> MeanCurve | None:
    """Precision at each recall: that of the shortest list from above that reaches it.

    Between two recalls of a list there is none in between, so nothing is interpolated.

    Parameters
    ----------
    answers : sequence of Answers
        One for each partition.
    number : int
        Of the class.

    Returns
    -------
    MeanCurve or None
        None as of :func:`mean_roc`.

    References
    ----------
    J. Davis, M. Goadrich, "The relationship between precision-recall and ROC curves", ICML 2006.
    """
    return _mean_of(answers, number, GRID[1:], _precision)


def _roc(positive: BoolArray, ranks: Int64Array) -> Float64Array:
    from sklearn.metrics import roc_curve

    false, true, _ = roc_curve(positive, ranks)
    found: Float64Array = np.interp(GRID, false, true)
    return found


def _precision(positive: BoolArray, ranks: Int64Array) -> Float64Array:
    from sklearn.metrics import precision_recall_curve

    precision, recall, _ = precision_recall_curve(positive, ranks)
    # From the top of the list down; recalls of k / n may lie below those of the grid by rounding.
    precision, recall = precision[::-1], recall[::-1]
    places = np.searchsorted(recall, GRID[1:] - 1e-12)
    found: Float64Array = precision[np.minimum(places, len(recall) - 1)]
    return found


def _mean_of(
    answers: Sequence[Answers],
    number: int,
    x: Float64Array,
    curve: Callable[[BoolArray, Int64Array], Float64Array],
) -> MeanCurve | None:
    rows, shares = [], []
    for part in answers:
        positive = part.truth == number
        if number >= part.scores.shape[1] or positive.all() or not positive.any():
            continue
        column = part.scores[:, number]
        if np.isnan(column).any():
            continue
        # Infinite scores have a rank too.
        rows.append(curve(positive, np.unique(column, return_inverse=True)[1]))
        shares.append(float(positive.mean()))
    if not rows:
        return None
    every = np.array(rows)
    spread = every.std(axis=0, ddof=1) if len(rows) > 1 else np.zeros(len(x))
    return MeanCurve(x, every.mean(axis=0), spread, float(np.mean(shares)))
