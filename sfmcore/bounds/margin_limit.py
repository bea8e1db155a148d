r"""A limit of a linear vote's true risk from margins, where u has seen the items.

Twice the Gibbs risk counts a half of every item that the vote is just right on. Here the random
classifier is wrong below a margin of theta, which it nearly always is where the vote errs. A vote
does not change with the length of u, so the limit may choose how sure it takes the vote to be.
``docs/theory.md`` has the proof, equations (22) to (24).

References
----------
J. Langford, J. Shawe-Taylor, "PAC-Bayes & margins", NIPS 2002.
B. Leblanc, P. Germain, "A framework for bounding deterministic risk with PAC-Bayes: applications to
majority votes", arXiv:2510.25569, 2025.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfmcore.bounds.inequalities import check_delta, kl_inverse, maurer_constant
from sfmcore.bounds.objective import upper_tail
from sfmcore.data.arrays import Float64Array
from sfmcore.data.checks import check_number, check_whole

THETAS = (1.5, 2.5)
"""Margins below which the random classifier counts as wrong: where the vote errs it then is with
probability 0.933 or 0.994. A finer grid gains less than its logarithm costs."""

STRETCHES = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Lengths of the prior's mean, as multiples of u_0."""

# What a scale may cost in divergence beyond the cheapest one: scales are free to choose.
_EXTRA = np.array([0.0, *4.0 ** np.arange(-2.0, 5.0)])


@dataclass(frozen=True)
class Lengths:
    """Squared lengths of u and u_0 and their product, which say KL for all their multiples.

    Attributes
    ----------
    posterior : float
        |u|^2; of several pairs the mean, as everywhere here.
    product : float
        u . u_0.
    prior : float
        |u_0|^2.

    Examples
    --------
    >>> lengths = Lengths.of(np.array([3.0, 0.0]), np.array([1.0, 0.0]))
    >>> [lengths.divergence(1.0, stretch).item() for stretch in (1.0, 3.0)]
    [2.0, 0.0]
    """

    posterior: float
    product: float
    prior: float

    @classmethod
    def of(cls, u: Float64Array, prior_mean: Float64Array) -> "Lengths":
        """Lengths of one u and its u_0."""
        return cls(float(u @ u), float(u @ prior_mean), float(prior_mean @ prior_mean))

    def divergence(self, scale: npt.ArrayLike, stretch: float) -> npt.NDArray[np.float64]:
        """KL of N(scale u, I) from N(stretch u_0, I)."""
        t, s = np.asarray(scale, dtype=np.float64), stretch
        # Rounding may leave a little below 0.
        return np.maximum(
            0.5 * (t * t * self.posterior - 2.0 * t * s * self.product + s * s * self.prior), 0.0
        )

    def stretches(self, grid: Sequence[float]) -> tuple[float, ...]:
        """Those of the grid that differ: of u_0 = 0 there is one."""
        return tuple(grid) if self.prior > 0 else (1.0,)

    def scales(self, stretch: float) -> Float64Array:
        """Multiples of u that are worth a try: the nearest to the prior's mean, and longer ones."""
        if self.posterior == 0:
            return np.ones(1)
        nearest = max(0.0, stretch * self.product / self.posterior)
        return nearest + np.sqrt(2.0 * _EXTRA / self.posterior)


Place = tuple[float, float, float]
"""A theta, a stretch and a scale."""


@dataclass(frozen=True)
class MarginLimit:
    """The smallest limit over a grid, and where it was found.

    Attributes
    ----------
    value : float
        Bound on the true risk; at most 1.
    theta, stretch : float
        Place in the grid that the union bound pays for.
    scale : float
        Multiple of u, which is free.
    loss : float
        Mean loss on the items there.
    divergence : float
        KL there.
    """

    value: float
    theta: float
    stretch: float
    scale: float
    loss: float
    divergence: float


def margin_limit(
    margins: npt.ArrayLike,
    lengths: Lengths,
    *,
    delta: float = 0.05,
    thetas: Sequence[float] = THETAS,
    stretches: Sequence[float] = STRETCHES,
) -> MarginLimit:
    r"""Bound on the true risk of the vote sign(u . phi), for all u at once.

    .. math:: R(vote) \le \min_{\theta, s} \frac{1}{\Phi(\theta)}
        kl^{-1}\Bigl(\frac1m \sum_i \Phi(\theta - t a_i) \Bigm| \frac1m \Bigl[\frac{|t u - s u_0|^2}
        {2} + \ln \frac{\xi(m) n}{\delta}\Bigr]\Bigr)

    Phi is the distribution function here, n the size of the grid and t > 0 any number.

    Parameters
    ----------
    margins : array-like of shape (n_items,)
        a = y u . phi of every item, at most 0 where the vote errs; phi of at most unit length.
        Of several rows, whose sum votes, the mean of y u . phi over them.
    lengths : Lengths
        Of u and u_0; of several pairs the means.
    delta : float, default=0.05
        The limit holds with probability at least 1 - delta.
    thetas, stretches : sequence of float
        Fixed before the items were seen; above 0.

    Returns
    -------
    MarginLimit

    Raises
    ------
    ValueError
        If there are no items, or a number lies outside its range.

    Examples
    --------
    >>> margins = np.full(1000, 3.0)
    >>> found = margin_limit(margins, Lengths(16.0, 15.0, 15.0))
    >>> round(found.value, 3), found.theta
    (0.012, 1.5)
    """
    a = np.asarray(margins, dtype=np.float64)
    if a.ndim != 1 or not np.all(np.isfinite(a)):
        raise ValueError(f"margins must hold one finite number per item, got shape {a.shape}")
    check_whole("the number of items", len(a), 1)
    check_delta(delta)
    check_grid("thetas", thetas)
    check_grid("stretches", stretches)
    tried = places(lengths, thetas, stretches)
    losses = np.array([min(1.0, upper_tail(t * a - theta).mean()) for theta, _, t in tried])
    least = {theta: float(upper_tail(-theta)) for theta in thetas}
    found = limits_of(tried, losses, least, lengths, len(a), price_of(tried, len(a), delta))
    return min(found, key=lambda one: one.value)


def places(lengths: Lengths, thetas: Sequence[float], stretches: Sequence[float]) -> list[Place]:
    """Every place of the grid with every scale that is worth a try there."""
    return [
        (float(theta), float(stretch), float(scale))
        for theta in thetas
        for stretch in lengths.stretches(stretches)
        for scale in lengths.scales(stretch)
    ]


def price_of(tried: Sequence[Place], n_items: int, delta: float) -> float:
    """Term that the inequality and the union over the grid add to KL; scales are free."""
    grid = {(theta, stretch) for theta, stretch, _ in tried}
    return math.log(maurer_constant(n_items) * len(grid) / delta)


def limits_of(
    tried: Sequence[Place],
    losses: Float64Array,
    least: Mapping[float, float],
    lengths: Lengths,
    n_items: int,
    price: float,
) -> list[MarginLimit]:
    """Limits at some places.

    Parameters
    ----------
    tried : sequence of (theta, stretch, scale)
    losses : ndarray of shape (n_places,)
        Mean losses on the items.
    least : mapping of float to float
        What the loss is at least where the vote errs, by theta.
    lengths : Lengths
    n_items : int
    price : float
        See :func:`price_of`.
    """
    paid = np.array([float(lengths.divergence(scale, stretch)) for _, stretch, scale in tried])
    values = kl_inverse(losses, (paid + price) / n_items)
    return [
        MarginLimit(min(1.0, float(value) / least[place[0]]), *place, float(loss), float(kl))
        for value, place, loss, kl in zip(values, tried, losses, paid, strict=True)
    ]


def check_grid(name: str, grid: Sequence[float]) -> None:
    """Refuse an empty grid, or one with values that are not above 0."""
    if len(grid) == 0:
        raise ValueError(f"{name} must hold at least one value")
    for value in grid:
        check_number(name, value, "above 0 in every value", lambda value: 0 < value < math.inf)
