"""Measures of what was said about the test items of one partition.

Those of labels come first: accuracy, balanced accuracy, macro F1 and Matthews correlation. The
others rank the items by the score of a class, one class against the rest, and are means over the
classes: the area under the ROC curve, average precision, and ROC50. All are shares, 1 for what
makes no mistake. NaN is what is not defined, such as a rank measure of a class without a test item.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfmcore.data.arrays import BoolArray, Float64Array, Int64Array
from sfmcore.data.storable import storable


def roc50(positive: npt.ArrayLike, scores: npt.ArrayLike, n_false: int = 50) -> float:
    """Area under the ROC curve up to the first 50 false positives, as a share of the largest.

    It asks what the top of a list is worth that somebody reads from above, where a few false
    positives more are no matter after many.

    Parameters
    ----------
    positive : array-like of shape (n_items,), bool
    scores : array-like of shape (n_items,)
        Larger ones come first. Of equal scores any order could be read, so the area is the mean
        over all of them.
    n_false : int, default=50
        False positives after which the curve ends; all of them if there are no more. Then this is
        the area under the whole curve.

    Returns
    -------
    float
        From 0 to 1; NaN without a positive or without a negative item.

    References
    ----------
    M. Gribskov and N. L. Robinson, "Use of receiver operating characteristic (ROC) analysis to
    evaluate sequence matching", Computers & Chemistry 20 (1996), 25-33.

    Examples
    --------
    Two positive items; one stands before the first negative, both before the second.

    >>> roc50([True, False, True, False], [4.0, 3.0, 2.0, 1.0])
    0.75
    >>> roc50([True, False, True, False], [4.0, 3.0, 2.0, 1.0], n_false=1)
    0.5
    """
    truth = np.asarray(positive, dtype=bool)
    n_positive = int(truth.sum())
    last = min(n_false, len(truth) - n_positive)
    if n_positive == 0 or last == 0:
        return float("nan")
    # A block is the items of one score, the largest score first.
    blocks = np.unique(-np.asarray(scores, dtype=np.float64), return_inverse=True)[1]
    right, wrong = (np.bincount(blocks[own], minlength=blocks.max() + 1) for own in (truth, ~truth))
    right_above, wrong_above = (np.cumsum(counts) - counts for counts in (right, wrong))
    counted = np.clip(last - wrong_above, 0, wrong)
    # In a random order of a block, its w wrong items cut the right ones into w + 1 parts of equal
    # expectation, and j of the parts stand before the j-th.
    within = right * counted * (counted + 1) / (2 * (wrong + 1))
    return float((counted * right_above + within).sum() / (last * n_positive))


RANK_MEASURES = ("auroc", "average_precision", "roc50")
"""Measures that every class has by itself."""
MEASURES = ("accuracy", "balanced_accuracy", "macro_f1", "matthews", *RANK_MEASURES)
"""All measures by name."""


@storable
@dataclass(frozen=True)
class Measures:
    """Measures of one partition.

    Attributes
    ----------
    overall : dict of str to float
        By the names of `MEASURES`; those of ranks are means over the classes that have one.
    by_class : dict of str to ndarray of shape (n_classes,)
        By the names of `RANK_MEASURES`.
    """

    overall: dict[str, float]
    by_class: dict[str, Float64Array]


def measures_of(truth: Int64Array, predicted: Int64Array, scores: Float64Array) -> Measures:
    """Measure labels and scores of test items.

    Parameters
    ----------
    truth, predicted : ndarray of shape (n_items,)
        Numbers of classes. Balanced accuracy is the mean over the classes that `truth` holds, and
        macro F1 over those that either holds.
    scores : ndarray of shape (n_items, n_classes)

    Returns
    -------
    Measures

    Examples
    --------
    >>> scores = np.array([[0.9, 0.1], [0.6, 0.4], [0.7, 0.3]])
    >>> found = measures_of(np.array([0, 0, 1]), np.array([0, 0, 0]), scores)
    >>> found.overall["balanced_accuracy"], found.by_class["auroc"].tolist()
    (0.5, [0.5, 0.5])
    """
    by_class = {name: np.full(scores.shape[1], np.nan) for name in RANK_MEASURES}
    for number, column in enumerate(scores.T):
        positive = truth == number
        if positive.all() or not positive.any() or np.isnan(column).any():
            continue
        # Infinite scores have a rank too.
        ranks = np.unique(column, return_inverse=True)[1]
        for name, value in zip(RANK_MEASURES, _of_ranks(positive, ranks), strict=True):
            by_class[name][number] = value
    values = [*_of_labels(truth, predicted), *map(mean_of_defined, by_class.values())]
    return Measures(dict(zip(MEASURES, values, strict=True)), by_class)


def _of_labels(truth: Int64Array, predicted: Int64Array) -> list[float]:
    """Accuracy, balanced accuracy, macro F1, Matthews correlation."""
    # Here and not above: a command that only trains or predicts would load it for nothing.
    from sklearn import metrics

    present = np.unique(truth)
    balanced = metrics.recall_score(truth, predicted, labels=present, average="macro")
    # Of one class there is no correlation. Of one label only there is: none, which is zero.
    several = len(present) > 1
    return [
        float(metrics.accuracy_score(truth, predicted)),
        float(balanced),
        float(metrics.f1_score(truth, predicted, average="macro")),
        float(metrics.matthews_corrcoef(truth, predicted)) if several else float("nan"),
    ]


def _of_ranks(positive: BoolArray, ranks: Int64Array) -> list[float]:
    """Area under the ROC curve, average precision, ROC50."""
    from sklearn import metrics

    return [
        float(metrics.roc_auc_score(positive, ranks)),
        float(metrics.average_precision_score(positive, ranks)),
        roc50(positive, ranks),
    ]


def mean_of_defined(values: Float64Array) -> float:
    """Mean of what is not NaN; NaN if nothing else is there.

    Examples
    --------
    >>> mean_of_defined(np.array([0.5, np.nan, 1.0]))
    0.75
    """
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")
