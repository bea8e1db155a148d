r"""Limits of a share vote's true risk from several draws of the Gibbs classifier at once.

Where shares of votes are averaged over many rows, the decision is no linear one, and no margin
speaks for it. But a vote of a few draws errs nearly as the vote of all does. ``docs/theory.md``
has the proof, equations (25) and (28).

References
----------
A. Lacasse, F. Laviolette, M. Marchand, F. Turgeon-Boutin, "Learning with randomized majority
votes", ECML 2010.
J. Langford, J. Shawe-Taylor, "PAC-Bayes & margins", NIPS 2002.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats
from scipy.special import ndtr

from sfmcore.bounds.inequalities import check_risk, seeger_bound
from sfmcore.data.arrays import Float64Array, Int64Array

DRAWS = ((5, 2), (15, 6), (31, 12), (101, 40))
"""Numbers of draws n, and how many of them must be wrong for a loss of 1."""

JOINT_DRAWS = ((7, 3), (15, 5), (31, 9), (101, 18))
"""Numbers of draws n, and how few draws more than a wrong class the true class may have."""

_ROUNDING = 1e-12


@dataclass(frozen=True)
class DrawsLimit:
    """The smallest limit over a grid, and where it was found.

    Attributes
    ----------
    value : float
        Bound on the true risk; at most 1.
    n_draws, threshold : int
        Place in the grid that the union bound pays for.
    loss : float
        Mean loss on the items there, or more.
    """

    value: float
    n_draws: int
    threshold: int
    loss: float


def draws_limit(
    losses: npt.ArrayLike,
    *,
    divergence: float,
    delta: float = 0.05,
    grid: Sequence[tuple[int, int]] = DRAWS,
) -> DrawsLimit:
    r"""Bound on the majority vote's true risk: of n draws, at least r are wrong.

    .. math:: R(B_Q) \le \min_{n, r} \frac{P(Bin(n, R) \ge r)}{P(Bin(n, 1/2) \ge r)},

    the numerator's mean over R = the item's loss limited by the kl form with n KL.

    Parameters
    ----------
    losses : array-like of shape (n_items,)
        Probability that one draw is wrong on the item.
    divergence : float
        KL(Q || P) of one draw.
    delta : float, default=0.05
        The limit holds with probability at least 1 - delta.
    grid : sequence of (n, r)
        Fixed before the items were seen.

    Returns
    -------
    DrawsLimit

    Raises
    ------
    ValueError
        If a number lies outside its range.

    Examples
    --------
    >>> found = draws_limit(np.full(1000, 0.1), divergence=0.5)
    >>> round(found.value, 3), found.n_draws
    (0.025, 31)
    """
    own = np.asarray(losses, dtype=np.float64)
    check_risk(0.0, divergence, len(own), delta)
    share = delta / len(grid)
    found = []
    for n, r in grid:
        loss = float(stats.binom.sf(r - 1, n, own).mean())
        limit = seeger_bound(min(loss, 1.0), n * divergence, len(own), share)
        found.append(DrawsLimit(min(1.0, limit / float(stats.binom.sf(r - 1, n, 0.5))), n, r, loss))
    return min(found, key=lambda one: one.value)


def joint_draws_limit(
    numbers: Int64Array,
    margins: Sequence[Float64Array],
    *,
    divergence: float,
    delta: float = 0.05,
    grid: Sequence[tuple[int, int]] = JOINT_DRAWS,
) -> DrawsLimit:
    """Bound on the true risk of the label of the largest share.

    Of n draws of all classes' w, some wrong class has at most r votes less than the true one.

    Parameters
    ----------
    numbers : ndarray of shape (n_items,)
        True class of each item.
    margins : sequence of ndarray of shape (n_items, n_rows)
        u . phi of each class against the rest.
    divergence : float
        KL(Q || P) of one draw of all classes' w: the sum over the classes.
    delta : float, default=0.05
        The limit holds with probability at least 1 - delta.
    grid : sequence of (n, r)
        Fixed before the items were seen.

    Returns
    -------
    DrawsLimit

    Raises
    ------
    ValueError
        If a number lies outside its range.

    Examples
    --------
    >>> numbers = np.arange(1500) % 3
    >>> margins = [np.where(numbers == k, 2.0, -2.0)[:, None] for k in range(3)]
    >>> round(joint_draws_limit(numbers, margins, divergence=0.5).value, 3)
    0.011
    """
    check_risk(0.0, divergence, len(numbers), delta)
    every = np.stack([ndtr(rows) for rows in margins])
    own = every[numbers, np.arange(len(numbers))]
    totals = np.zeros((len(grid), len(numbers)))
    for number, shares in enumerate(every):
        better, worse = (shares * (1.0 - own)).mean(1), ((1.0 - shares) * own).mean(1)
        others = numbers != number
        for place, (n, r) in enumerate(grid):
            totals[place, others] += lead_probability(better[others], worse[others], n, r)
    share, found = delta / len(grid), []
    for (n, r), total in zip(grid, totals, strict=True):
        loss = min(1.0, float(np.minimum(total, 1.0).mean()) + _ROUNDING)
        limit = seeger_bound(loss, n * divergence, len(numbers), share)
        found.append(DrawsLimit(min(1.0, limit / least_lead(n, r)), n, r, loss))
    return min(found, key=lambda one: one.value)


def lead_probability(better: Float64Array, worse: Float64Array, n: int, r: int) -> Float64Array:
    """Probability that n steps of +1, 0 and -1 end at -r or above.

    Parameters
    ----------
    better, worse : ndarray of shape (n_items,)
        Probabilities of a step of +1 and of -1.
    n, r : int

    Examples
    --------
    >>> lead_probability(np.array([0.5]), np.array([0.5]), n=2, r=0).round(6).tolist()
    [0.75]
    """
    size = 2 * n + 1
    turn = np.exp(2j * np.pi * np.arange(size) / size)
    stay = 1.0 - better - worse
    waves = stay[:, None] + better[:, None] * turn + worse[:, None] * turn.conj()
    ends = np.fft.fft(waves**n, axis=1).real / size
    # The place d holds the end d, and from n + 1 on d - size.
    kept = [d % size for d in range(-r, n + 1)]
    return np.clip(ends[:, kept].sum(1), 0.0, 1.0)


def least_lead(n: int, r: int) -> float:
    """Least of :func:`lead_probability` where a step of +1 is as likely as one of -1, or likelier.

    Of those steps that are not 0, some N, the walk is symmetric: it ends at -r or above with
    probability (1 + P(-r <= end <= r)) / 2.

    Examples
    --------
    >>> least_lead(2, 0), least_lead(2, 1)
    (0.5, 0.75)
    """
    within = [
        float(
            stats.binom.cdf((N + r) // 2, N, 0.5)
            - stats.binom.cdf(math.ceil((N - r) / 2) - 1, N, 0.5)
        )
        for N in range(n + 1)
    ]
    return 0.5 * (1.0 + min(within))
