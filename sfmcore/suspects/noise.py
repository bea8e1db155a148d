"""Which labels are wrong how often, and how probably each one is.

Out-of-fold probabilities are of labels as they were given, the wrong ones among them. How often a
class is labelled as another is estimated from the items whose class is clear (a "confident joint"
of given and true labels); with that, probabilities of given labels become probabilities of the true
class, and Bayes' rule says how far to trust the label that an item has.
"""

import numpy as np

from sfmcore.data.arrays import Float64Array, Int64Array

# The estimate is at its fixed point, but for a few items near a tie, long before.
_STEPS = 20
# Items at a time, whose arrays stay in the cache.
_BLOCK = 512
# Mistakes of a class that are taken to be of no kind.
_PRIOR = 5.0
# Of a mean of equal numbers.
_ROUNDING = 1e-9


def class_limits(shares: Float64Array, given: Int64Array) -> Float64Array:
    """Probability from which an item is clearly of a class: the mean over items with its label.

    A class that is hard to tell has a lower limit than one that is easy.

    Parameters
    ----------
    shares : ndarray of shape (n_items, n_classes)
        Probabilities by classifiers that did not learn from the item.
    given : ndarray of shape (n_items,), int64
        Class of each item's label; every class has an item.

    Returns
    -------
    ndarray of shape (n_classes,)

    Examples
    --------
    >>> shares = np.array([[0.9, 0.1], [0.7, 0.3], [0.2, 0.8]])
    >>> class_limits(shares, np.array([0, 0, 1])).tolist()
    [0.8, 0.8]
    """
    n_classes = shares.shape[1]
    sums = np.bincount(given, shares[np.arange(len(given)), given], minlength=n_classes)
    return np.asarray(sums / np.bincount(given, minlength=n_classes), dtype=np.float64)


def label_noise(shares: Float64Array, given: Int64Array) -> Float64Array:
    """How often items of each class are given each label.

    Items that reach the limit of a class (:func:`class_limits`), or of several the one that is most
    probable, are counted by given label and that class. Rows of the counts are scaled to the number
    of items with each label, which counts items that reach no limit as if they were like others of
    their label. Which mistakes a class has is drawn to what is even, the more the fewer they are.

    Parameters
    ----------
    shares : ndarray of shape (n_items, n_classes)
    given : ndarray of shape (n_items,), int64

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        Probability of a label (column) given the true class (row).

    References
    ----------
    C. G. Northcutt, L. Jiang, I. L. Chuang, "Confident Learning: Estimating Uncertainty in Dataset
    Labels", Journal of Artificial Intelligence Research 70 (2021), 1373-1411.

    Examples
    --------
    Of ten items that are clearly of the second class two have the label of the first.

    >>> shares = np.repeat([[0.9, 0.1], [0.1, 0.9]], 10, axis=0)
    >>> given = np.array([0] * 10 + [1] * 8 + [0] * 2)
    >>> label_noise(shares, given).round(2).tolist()
    [[0.92, 0.08], [0.26, 0.74]]
    """
    n_classes = shares.shape[1]
    reached = shares >= class_limits(shares, given) - _ROUNDING
    clear = reached.any(axis=1)
    best = np.where(reached, shares, -1.0).argmax(axis=1)
    counts = np.zeros((n_classes, n_classes))
    np.add.at(counts, (given[clear], best[clear]), 1.0)
    counts = _smoothed(counts)
    sizes = np.bincount(given, minlength=n_classes)
    joint = counts * (sizes / counts.sum(axis=1))[:, None]
    return np.asarray((joint / joint.sum(axis=0)).T)


def _smoothed(counts: Float64Array) -> Float64Array:
    """Counts of given (row) and true classes, their rare mistakes drawn to the mean of a class.

    How many items of a class have a wrong label is kept, and one more is added on either side: no
    label is impossible, and where nothing is known labels are as often right as wrong. Which labels
    they have is mixed with `_PRIOR` mistakes that are spread evenly. Of few items a single mistake
    would else make the next one of its kind many times more probable than others.
    """
    n_classes = len(counts)
    right = np.diag(counts)
    wrong = counts - np.diag(right)
    totals = wrong.sum(axis=0)
    shares = (wrong + _PRIOR / (n_classes - 1)) / (totals + _PRIOR)
    np.fill_diagonal(shares, 0.0)
    return np.asarray(np.diag(right + 1.0) + shares * (totals + 1.0))


def true_shares(shares: Float64Array, given: Int64Array, noise: Float64Array) -> Float64Array:
    """Probability that each class is the true one, by the votes and by the label.

    Shares of true classes that, put through the noise, come nearest to the shares of given labels
    are found by expectation maximisation, item by item. They are then weighed with how probable the
    item's own label is for each true class.

    Parameters
    ----------
    shares : ndarray of shape (n_items, n_classes)
        Probabilities of given labels.
    given : ndarray of shape (n_items,), int64
    noise : ndarray of shape (n_classes, n_classes)
        See :func:`label_noise`; above 0.

    Returns
    -------
    ndarray of shape (n_items, n_classes)

    References
    ----------
    Y. Vardi and D. Lee, "From image deblurring to optimal investments: maximum likelihood solutions
    for positive linear inverse problems", Journal of the Royal Statistical Society B 55 (1993),
    569-612.

    Examples
    --------
    Where one label in ten is wrong, votes of 0.9 are as sure as can be.

    >>> noise = np.array([[0.9, 0.1], [0.1, 0.9]])
    >>> shares = np.array([[0.9, 0.1], [0.9, 0.1], [0.5, 0.5]])
    >>> true_shares(shares, np.array([0, 1, 1]), noise).round(2).tolist()
    [[1.0, 0.0], [0.94, 0.06], [0.1, 0.9]]
    """
    made = np.empty(shares.shape)
    for start in range(0, len(shares), _BLOCK):
        own = slice(start, start + _BLOCK)
        observed = shares[own] / shares[own].sum(axis=1, keepdims=True)
        true = observed.copy()
        for _ in range(_STEPS):
            # Sums over classes by hand: those of BLAS may follow the number of its threads.
            ratio = observed / _times(true, noise)
            true = true * _times(ratio, noise.T)
        weighed = true * noise[:, given[own]].T
        made[own] = weighed / weighed.sum(axis=1, keepdims=True)
    return made


def _times(rows: Float64Array, matrix: Float64Array) -> Float64Array:
    """Rows times a matrix, each sum in the order of the columns."""
    made = np.zeros((len(rows), matrix.shape[1]))
    for number in range(matrix.shape[0]):
        made += rows[:, number, None] * matrix[number]
    return made
