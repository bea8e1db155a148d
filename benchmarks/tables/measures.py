"""What is measured of labels and of an order, in per cent; a perfect answer has 100."""

import numpy as np
import numpy.typing as npt
from sklearn.metrics import matthews_corrcoef

Labels = npt.NDArray[np.str_]


def accuracy(found: Labels, truth: Labels) -> float:
    """Share of right labels.

    Examples
    --------
    >>> accuracy(np.array(["a", "a", "b"]), np.array(["a", "a", "a"]))
    66.66666666666666
    """
    return 100.0 * float(np.mean(found == truth))


def balanced(found: Labels, truth: Labels) -> float:
    """Mean over the true classes of the share of right labels: the mean recall.

    Examples
    --------
    >>> balanced(np.array(["a", "a", "a"]), np.array(["a", "a", "b"]))
    50.0
    """
    right = found == truth
    return 100.0 * float(np.mean([np.mean(right[truth == label]) for label in np.unique(truth)]))


def matthews(found: Labels, truth: Labels) -> float:
    """Correlation of found and true labels, times 100 (Matthews, 1975)."""
    return 100.0 * float(matthews_corrcoef(truth, found))


def roc(scores: npt.ArrayLike, positive: npt.ArrayLike, most_false: int | None = None) -> float:
    """Area under the curve of true against false positives, as far as a number of false ones.

    ROC50 is that of the first 50 false positives, divided by what a perfect order reaches there
    (Gribskov and Robinson, 1996). Items of equal score count as half before and half after each
    other.

    Parameters
    ----------
    scores : array-like of shape (n_items,)
    positive : array-like of bool, shape (n_items,)
        Both kinds must be there.
    most_false : int, optional
        All by default, and if there are fewer.

    Returns
    -------
    float

    Examples
    --------
    >>> roc([4, 3, 2, 1], [True, False, True, False])
    75.0
    >>> roc([4, 3, 2, 1], [True, False, True, False], 1)
    50.0
    """
    values, truth = np.asarray(scores, dtype=float), np.asarray(positive, dtype=bool)
    own, others = np.sort(values[truth]), np.sort(values[~truth])[::-1]
    counted = others[:most_false]
    above = len(own) - np.searchsorted(own, counted, side="right")
    level = np.searchsorted(own, counted, side="right") - np.searchsorted(own, counted)
    return 100.0 * float(np.mean(above + 0.5 * level)) / len(own)
