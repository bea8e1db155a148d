"""Measures of the labels that each class got: precision, recall, F1, Matthews correlation."""

import numpy as np

from sfmcore.data.arrays import Float64Array, Int64Array

CLASS_MEASURES = ("precision", "recall", "f1", "matthews")
"""All of them by name."""


def class_measures(confusion: Int64Array) -> dict[str, Float64Array]:
    """Measure one class at a time against the rest.

    Parameters
    ----------
    confusion : ndarray of shape (n_classes, n_classes)
        Items of each true class (row) by predicted class.

    Returns
    -------
    dict of str to ndarray of shape (n_classes,)
        By the names of `CLASS_MEASURES`; shares, the Matthews correlation from -1 to 1. NaN is what
        is not defined: the precision of a class that no item got, the recall of one without items,
        F1 where both are missing, and the correlation where all items are of the class or none is.

    Examples
    --------
    >>> found = class_measures(np.array([[8, 2], [0, 10]]))
    >>> [round(float(found[name][1]), 3) for name in CLASS_MEASURES]
    [0.833, 1.0, 0.909, 0.816]
    """
    # Here and not above: a command that only trains or predicts would load it for nothing.
    from sklearn.metrics import matthews_corrcoef, precision_recall_fscore_support

    n_classes, total = len(confusion), confusion.sum()
    truth, predicted = np.nonzero(confusion)
    precision, recall, f1, _ = precision_recall_fscore_support(
        truth,
        predicted,
        labels=np.arange(n_classes),
        sample_weight=confusion[truth, predicted],
        zero_division=np.nan,
    )
    right, of_class, said = np.diag(confusion), confusion.sum(1), confusion.sum(0)
    matthews = np.full(n_classes, np.nan)
    for number in np.flatnonzero((of_class > 0) & (of_class < total)):
        missed, wrong = of_class[number] - right[number], said[number] - right[number]
        others = total - of_class[number] - wrong
        matthews[number] = matthews_corrcoef(
            [0, 0, 1, 1], [0, 1, 0, 1], sample_weight=[others, wrong, missed, right[number]]
        )
    return dict(zip(CLASS_MEASURES, (precision, recall, f1, matthews), strict=True))
