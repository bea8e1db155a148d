r"""A bound on the true risk of the label of the largest score, where u has seen the items.

One hypothesis draws the w of all classes, and its own label decides: the divergences add up
once, in one inequality, where the sum over one-versus-rest votes pays for each of them in a limit
of its own, and for every vote that errs where the label does not. ``docs/theory.md`` has the proof,
equations (26) and (27).
"""

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr

from sfmcore.bounds.inequalities import check_delta
from sfmcore.bounds.margin_limit import (
    STRETCHES,
    Lengths,
    MarginLimit,
    Place,
    check_grid,
    limits_of,
    places,
    price_of,
)
from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.data.checks import check_whole

JOINT_THETAS = (2.0, 3.0)
"""Leads of the true class below which the random label counts as wrong."""

# Nodes of the trapezoidal rule: its error falls like that of a Fourier series.
_STEP, _END = 0.125, 8.0
_NODES = np.arange(-_END, _END + _STEP / 2, _STEP)
_WEIGHTS = np.exp(-0.5 * _NODES**2) * (_STEP / math.sqrt(2.0 * math.pi))
_QUADRATURE = 1e-9
# Places of the grid and scales are compared on so many items, and the best on all.
_COMPARED, _KEPT = 128, 3
_CHUNK = 1 << 20


def joint_margin_limit(
    scores: Float64Array,
    numbers: Int64Array,
    lengths: Lengths,
    *,
    delta: float = 0.05,
    thetas: Sequence[float] = JOINT_THETAS,
    stretches: Sequence[float] = STRETCHES,
) -> MarginLimit:
    r"""Bound on the true probability of a wrong label, for all u at once.

    .. math:: R(label) \le \min_{\theta, s} \frac{1}{\Phi(\theta / \sqrt 2)} kl^{-1}\Bigl(\frac1m
        \sum_i P[\max_{c \ne y_i} z_{ic} \ge z_{iy_i} - \theta] \Bigm| \frac1m \Bigl[\sum_c
        \frac{|t u_c - s u_{0c}|^2}{2} + \ln \frac{\xi(m) n}{\delta}\Bigr]\Bigr)

    with independent z_c from N(t u_c . phi, 1), and Phi the distribution function.

    Parameters
    ----------
    scores : ndarray of shape (n_items, n_classes)
        u_c . phi, or its mean over several rows; the largest decides.
    numbers : ndarray of shape (n_items,)
        True class of each item.
    lengths : Lengths
        Sums over the classes. Where these share their rows, u_c and u_0c may stand without their
        means over the classes.
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
    >>> numbers = np.arange(1500) % 3
    >>> scores = np.where(np.arange(3) == numbers[:, None], 3.0, -3.0)
    >>> round(joint_margin_limit(scores, numbers, Lengths(30.0, 29.0, 29.0)).value, 3)
    0.008
    """
    m = len(numbers)
    check_whole("the number of items", m, 1)
    if scores.ndim != 2 or len(scores) != m or not np.all(np.isfinite(scores)):
        raise ValueError(f"scores must hold a row of finite numbers for each of {m} items")
    check_delta(delta)
    check_grid("thetas", thetas)
    check_grid("stretches", stretches)
    leads = leads_of(scores, numbers)
    least = {theta: float(ndtr(theta / math.sqrt(2.0))) for theta in thetas}
    tried = places(lengths, thetas, stretches)
    price = price_of(tried, m, delta)

    def limits(part: Float64Array, own: Sequence[Place]) -> list[MarginLimit]:
        means = np.array([behind(scale * part, theta).mean() for theta, _, scale in own])
        losses = np.minimum(means + _QUADRATURE, 1.0)
        return limits_of(own, losses, least, lengths, m, price)

    # Any scale and any place in the grid is allowed, so a part of the items may choose them. Of
    # limits that are all 1, the one with the lowest loss may still be below 1 on all items.
    few = leads[np.linspace(0, m - 1, min(m, _COMPARED)).astype(np.int64)]
    compared = sorted(limits(few, tried), key=lambda one: (one.value, one.loss))
    kept = [(one.theta, one.stretch, one.scale) for one in compared[:_KEPT]]
    return min(limits(leads, kept), key=lambda one: one.value)


def leads_of(scores: Float64Array, numbers: Int64Array) -> Float64Array:
    """By how much the true class leads each other one, shape (n_items, n_classes - 1).

    Examples
    --------
    >>> leads_of(np.array([[1.0, 3.0, 0.0]]), np.array([1])).tolist()
    [[2.0, 3.0]]
    """
    rows = np.arange(len(numbers))
    others = np.ones(scores.shape, dtype=bool)
    others[rows, numbers] = False
    return scores[rows, numbers][:, None] - scores[others].reshape(len(scores), -1)


def behind(leads: Float64Array, theta: float) -> Float64Array:
    """Probability that the true class, drawn, does not lead all others, drawn, by theta.

    Parameters
    ----------
    leads : ndarray of shape (n_items, n_others)
        Leads of the means; each class is drawn from its own normal distribution.
    theta : float

    Returns
    -------
    ndarray of shape (n_items,)

    Examples
    --------
    >>> behind(np.array([[0.0], [2.0]]), 0.0).round(4).tolist()
    [0.5, 0.0786]
    """
    found = np.empty(len(leads))
    size = max(1, _CHUNK // (leads.shape[1] * len(_NODES)))
    for start in range(0, len(leads), size):
        part = slice(start, start + size)
        # The true class is drawn at a node beside its mean.
        passed = ndtr(_NODES[:, None] + (leads[part] - theta)[:, None, :]).prod(2)
        found[part] = 1.0 - passed @ _WEIGHTS
    return np.clip(found, 0.0, 1.0)
