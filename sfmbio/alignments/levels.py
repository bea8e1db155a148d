"""What scores of alignments are by chance: lengths, and the level of most scores of a sequence."""

import numpy as np

from sfmbio.alignments.gaps import LAMBDA, K
from sfmcore.data.arrays import Float64Array, Int64Array

QUANTILE = 0.25
"""Of scores with sequences that are not related, which the lower quarter is made of wherever fewer
than three quarters are relatives."""

EXPECTED = float((np.log(K) - np.log(-np.log(QUANTILE))) / LAMBDA)
"""That quantile of Gumbel's distribution, where lengths are taken off."""

# A level counts for as many scores as this prior.
_PRIOR = 10.0


def less_lengths(raw: np.ndarray, lengths: Int64Array, target_lengths: Int64Array) -> Float64Array:
    """Scores less the logarithms of both lengths, as Karlin and Altschul have it.

    Parameters
    ----------
    raw : ndarray of shape (n_items, n_targets)
    lengths : ndarray of shape (n_items,)
    target_lengths : ndarray of shape (n_targets,) or (n_items, n_targets)

    Examples
    --------
    >>> less_lengths(np.array([[40, 40]]), np.array([1]), np.array([1, 100])).round(2).tolist()
    [[40.0, 22.75]]
    """
    rows, columns = (np.log(np.maximum(own, 1)) / LAMBDA for own in (lengths, target_lengths))
    plain: Float64Array = raw - rows[:, None]
    plain -= columns
    return plain


def lower_quartiles(scores: Float64Array, expected: float) -> Float64Array:
    """Lower quartile of each row, of few scores near the expected one.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_columns)
        NaN is left out.
    expected : float

    Returns
    -------
    ndarray of shape (n_rows,)

    Examples
    --------
    >>> lower_quartiles(np.array([[1.0, 3.0, 5.0, np.nan]]), 0.0).round(2).tolist()
    [0.46]
    """
    missing = np.isnan(scores)
    counts = scores.shape[1] - np.count_nonzero(missing, axis=1)
    found = np.full(len(scores), expected)
    # NumPy's quantile without NaN takes rows one by one.
    for count in np.unique(counts[counts > 0]).tolist():
        rows = np.flatnonzero(counts == count)
        own = scores[rows]
        own[missing[rows]] = np.inf
        place = QUANTILE * (count - 1)
        low = int(place)
        high = min(low + 1, count - 1)
        own.partition([low, high], axis=1)
        found[rows] = own[:, low] + (place - low) * (own[:, high] - own[:, low])
    share = counts / (counts + _PRIOR)
    quantiles: Float64Array = share * found + (1.0 - share) * expected
    return quantiles


def line_through(x: Float64Array, y: Float64Array) -> Float64Array:
    """Intercept and slope of the least squares of y over x; level where x does not vary.

    Parameters
    ----------
    x, y : ndarray of shape (n,)

    Examples
    --------
    >>> line_through(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 5.0])).tolist()
    [-1.0, 2.0]
    >>> line_through(np.array([1.0, 1.0]), np.array([2.0, 4.0])).tolist()
    [3.0, 0.0]
    """
    spread = np.sum((x - x.mean()) ** 2)
    slope = np.sum((x - x.mean()) * (y - y.mean())) / spread if spread > 0 else 0.0
    return np.array([y.mean() - slope * x.mean(), slope])
