"""Confidence intervals of a share that was counted."""

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

from sfmcore.data.arrays import Float64Array


def share_interval(
    hits: npt.ArrayLike, counts: npt.ArrayLike, *, level: float = 0.95
) -> tuple[Float64Array, Float64Array]:
    """Clopper-Pearson interval of the probability behind each share.

    It holds the probability at least as often as `level` says, for independent items.

    Parameters
    ----------
    hits, counts : array-like of shape (n_shares,)
        So many of so many items.
    level : float, default=0.95

    Returns
    -------
    low, high : ndarray of shape (n_shares,)
        From 0 to 1, which is the interval of no item.

    References
    ----------
    C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case
    of the binomial", Biometrika 26 (1934), 404-413.

    Examples
    --------
    >>> low, high = share_interval([8, 10], [10, 10])
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.444, 0.692], [0.975, 1.0])
    """
    k, n = np.asarray(hits, dtype=np.float64), np.asarray(counts, dtype=np.float64)
    tail = (1.0 - level) / 2.0
    # At the ends the beta distribution has no first or no second parameter.
    low = betaincinv(np.maximum(k, 1.0), n - k + 1.0, tail)
    high = betaincinv(k + 1.0, np.maximum(n - k, 1.0), 1.0 - tail)
    return np.where(k > 0, low, 0.0), np.where(k < n, high, 1.0)
