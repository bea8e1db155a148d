"""Upper bounds on true risks: the inequalities, numbers in and numbers out.

References
----------
A. Maurer, "A note on the PAC Bayesian theorem", arXiv:cs/0411099, 2004.
M. Seeger, "PAC-Bayesian generalisation error bounds for Gaussian process classification",
Journal of Machine Learning Research 3, 2002.
A. Masegosa, S. Lorenzen, C. Igel, Y. Seldin, "Second order PAC-Bayesian bounds for the weighted
majority vote", NeurIPS 2020.
J. Langford, "Tutorial on practical prediction theory for classification", Journal of Machine
Learning Research 6, 2005.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import stats

from sfmcore.bounds.objective import bound_value
from sfmcore.data.arrays import Float64Array
from sfmcore.data.checks import check_number, check_whole

C_GRID = tuple(2.0**power for power in range(-8, 7))
"""Values of C for Catoni's form: the 15 powers of two from 1/256 to 64.

The best C falls with the number of items and the risk: it is 1/100 or so for a million items, and
some tens where the items show hardly any error. A neighbour is at most a factor of sqrt(2) away.
"""

_MAX_BUDGET = 1e3
_BUDGET_MARGIN = 1e-12
_ROUND_UP = 1.0 + 4.0 * np.finfo(float).eps
_EXACT_CONSTANT_UP_TO = 10_000

# x - log(1 + x) = x^2 (1/2 - x/3 + x^2/4 - ...)
_SERIES = np.array([(-1.0) ** k / k for k in range(2, 18)])


def kl_inverse(q: npt.ArrayLike, budget: npt.ArrayLike) -> Float64Array:
    """Largest p in [q, 1] with kl(q || p) <= budget.

    kl is the relative entropy of two coins, in nats. The value is right to a part in 1e12, and
    never below the exact one.

    Parameters
    ----------
    q : array-like, any shape
        From 0 to 1.
    budget : array-like, a shape that fits
        At least 0; may be infinite.

    Returns
    -------
    ndarray of the common shape

    Raises
    ------
    ValueError
        If `q` or `budget` lies outside its range, or is NaN.

    Examples
    --------
    >>> kl_inverse([0.0, 0.1, 1.0], 0.05).round(4).tolist()
    [0.0488, 0.2201, 1.0]
    """
    q, budget = np.broadcast_arrays(
        np.asarray(q, dtype=np.float64), np.asarray(budget, dtype=np.float64)
    )
    if not np.all((q >= 0) & (q <= 1)):
        raise ValueError("q must lie from 0 to 1")
    if not np.all(budget >= 0):
        raise ValueError("budget must be at least 0")
    # p is 1 to the last bit long before this; a larger q only raises p.
    spent, start = np.minimum(budget, _MAX_BUDGET), np.maximum(q, 1e-290)
    target = spent * (1.0 + _BUDGET_MARGIN)
    # kl >= gap^2 / (2 p) and kl >= 2 gap^2 (Pinsker) limit the gap p - q from above.
    high = np.minimum(target + np.sqrt(target * (target + 2.0 * start)), np.sqrt(0.5 * target))
    high = np.minimum(high * _ROUND_UP, 1.0 - q)
    low = np.zeros_like(high)
    # The gap is bisected, not p: a tiny one keeps its digits beside a large q.
    for _ in range(60):
        middle = 0.5 * (low + high)
        above = _kl_of_gap(start, middle) >= target
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    p = np.where(q == 0, -np.expm1(-budget), q + high)
    return np.where(budget == 0, q, np.minimum(p * _ROUND_UP, 1.0))


def _kl_of_gap(q: Float64Array, gap: Float64Array) -> Float64Array:
    """kl(q || q + gap) as a sum of two terms that are not negative: nothing cancels."""
    rest = np.maximum(1.0 - q, np.finfo(float).tiny)
    return q * _excess(gap / q) + rest * _excess(-gap / rest)


def _excess(x: Float64Array) -> Float64Array:
    """Return x - log(1 + x), with all digits near 0."""
    near = np.clip(x, -0.05, 0.05)
    series = near**2 * np.polynomial.polynomial.polyval(near, _SERIES)
    with np.errstate(divide="ignore"):
        return np.where(x == near, series, x - np.log1p(x))


def maurer_constant(m: int) -> float:
    r"""xi(m), what the expectation of exp(m kl(mean || expectation)) is at most.

    .. math:: \xi(m) = \sum_{k=0}^m \binom{m}{k} (k/m)^k (1 - k/m)^{m-k} \le 2 \sqrt{m}

    It is exact up to m = 10,000, and 2 sqrt(m) beyond.

    Parameters
    ----------
    m : int
        Number of items, at least 1.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If `m` is not a whole number of at least 1.

    References
    ----------
    Maurer 2004, who proves the right-hand side for m >= 8.

    Examples
    --------
    >>> maurer_constant(2)
    2.5
    """
    check_whole("m", m, 1)
    if m > _EXACT_CONSTANT_UP_TO:
        return 2.0 * math.sqrt(m)
    # By Abel's identity the sum is 1 + 1 + (1 - 1/m) + (1 - 1/m) (1 - 2/m) + ...: 1 and
    # Ramanujan's Q function. No logarithms, no term lost.
    return 1.0 + float(np.cumprod(1.0 - np.arange(m) / m).sum())


def seeger_bound(risk: float, divergence: float, m: int, delta: float) -> float:
    r"""Bound on the true risk in the kl form, for all posteriors at once.

    .. math:: kl(R_S || R) \le (KL(Q || P) + \ln(\xi(m) / \delta)) / m

    Parameters
    ----------
    risk : float
        Mean over the items of the posterior's expected loss; the loss lies in [0, 1].
    divergence : float
        KL(Q || P). The prior P must not depend on the items, the posterior Q may.
    m : int
        Number of items, drawn independently.
    delta : float
        The limit holds with probability at least 1 - delta.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If a number lies outside its range.

    References
    ----------
    Seeger 2002; Maurer 2004 for the constant and for losses between 0 and 1.

    Examples
    --------
    >>> round(seeger_bound(0.1, divergence=5.0, m=1000, delta=0.05), 3)
    0.152
    """
    check_risk(risk, divergence, m, delta)
    budget = (divergence + math.log(maurer_constant(m) / delta)) / m
    return float(kl_inverse(risk, budget))


def catoni_bound(
    risk: float,
    divergence: float,
    m: int,
    delta: float,
    C_grid: Sequence[float] = C_GRID,
) -> tuple[float, float]:
    """Bound on the true risk in the form of Theorem 1, the lowest over a grid of C.

    A single C would have to be fixed beforehand. Here the theorem is asked for at every value of
    the grid, with delta / T each, so that the items may choose among the T values.

    Parameters
    ----------
    risk, divergence, m, delta
        As in :func:`seeger_bound`.
    C_grid : sequence of float
        The T values, fixed before the items were seen.

    Returns
    -------
    value : float
        At most 1.
    C : float
        Where it is reached.

    Raises
    ------
    ValueError
        If a number lies outside its range, or the grid is empty.

    Examples
    --------
    >>> value, C = catoni_bound(0.1, divergence=5.0, m=1000, delta=0.05)
    >>> round(value, 3), C
    (0.15, 0.5)
    """
    check_risk(risk, divergence, m, delta)
    check_grid(C_grid)
    share = delta / len(C_grid)
    value, C = min((bound_value(C * risk + divergence / m, C, m, share), C) for C in C_grid)
    return min(value, 1.0), float(C)


def chernoff_bound(risk: float, m: int, delta: float) -> float:
    r"""Bound on a fixed classifier's true risk from its mean loss on items it has never seen.

    .. math:: kl(R_S || R) \le \ln(1 / \delta) / m

    Parameters
    ----------
    risk : float
        Mean loss; the losses lie in [0, 1].
    m : int
        Number of items, drawn independently of each other and of the classifier.
    delta : float
        The limit holds with probability at least 1 - delta.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If a number lies outside its range.

    References
    ----------
    W. Hoeffding, "Probability inequalities for sums of bounded random variables", JASA 58, 1963.

    Examples
    --------
    >>> round(chernoff_bound(0.1, m=1000, delta=0.05), 3)
    0.125
    """
    check_risk(risk, 0.0, m, delta)
    return float(kl_inverse(risk, math.log(1.0 / delta) / m))


def binomial_bound(errors: int, m: int, delta: float) -> float:
    """Bound on a fixed classifier's true risk from its errors on items it has never seen.

    The risk at which so few errors have probability `delta` (Clopper and Pearson's upper limit).

    Parameters
    ----------
    errors : int
        From 0 to `m`.
    m : int
        Number of items, drawn independently of each other and of the classifier.
    delta : float
        The limit holds with probability at least 1 - delta.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If a number lies outside its range.

    References
    ----------
    Langford 2005.

    Examples
    --------
    >>> round(binomial_bound(10, m=100, delta=0.05), 3)
    0.164
    """
    check_whole("m", m, 1)
    check_whole("errors", errors, 0)
    if errors > m:
        raise ValueError(f"errors must be at most m = {m}, got {errors}")
    check_delta(delta)
    return 1.0 if errors == m else float(stats.beta.isf(delta, errors + 1, m - errors))


def check_risk(risk: float, divergence: float, m: int, delta: float) -> None:
    """Refuse what the inequalities are not about, by name."""
    check_number("risk", risk, "from 0 to 1", lambda value: 0 <= value <= 1)
    check_number("divergence", divergence, "of at least 0", lambda value: value >= 0)
    check_whole("m", m, 1)
    check_delta(delta)


def check_delta(delta: float) -> None:
    """Refuse what is no probability of failure."""
    check_number("delta", delta, "between 0 and 1", lambda value: 0 < value < 1)


def check_grid(C_grid: Sequence[float]) -> None:
    """Refuse an empty grid, or one with values that are not above 0."""
    if len(C_grid) == 0:
        raise ValueError("C_grid must hold at least one value")
    for C in C_grid:
        check_number("C_grid", C, "above 0 in every value", lambda value: value > 0)
