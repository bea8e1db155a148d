"""Minimising J(u), which is not convex: several starts, the best one kept."""

from collections.abc import Iterable, Iterator

import numpy as np
from scipy import optimize

from sfmcore.bounds.objective import Objective
from sfmcore.data.arrays import Float64Array

_MAX_ITER = 1000
_FIRST_STEPS = 30
_FINALISTS = 3
# Of the value, which a step must lower by more. Of many items the last digits would take most of
# the time: of 10,000 under a Laplacian kernel at C = 512, 1,643 values of J(u) instead of 253, for
# a J that is 0.5 % higher and the same accuracy on other items.
_TOLERANCE = 2.2e-9
_TOLERANCE_OF_MANY = 1e-5
_MANY = 5000
# The same where only the order of settings counts.
_ROUGH_START = 1e-3
_ROUGH = 1e-5
# The same where it is only asked which start leads furthest down.
_ROUGH_CHOICE = 1e-4


def minimise(objective: Objective, starts: Iterable[Float64Array]) -> Float64Array:
    """Point of the lowest J(u) that L-BFGS reaches from the given starts.

    Parameters
    ----------
    objective : Objective
    starts : iterable of ndarray of shape (n_features,)
        At least one.

    Returns
    -------
    ndarray of shape (n_features,)
    """
    best, lowest = None, np.inf
    for start in starts:
        u = _lbfgs(objective, start)
        value = objective(u)[0]
        if best is None or value < lowest:
            best, lowest = u, value
    if best is None:
        raise ValueError("at least one start is needed")
    return best


def first_steps(objective: Objective, start: Float64Array, n_steps: int) -> Float64Array:
    """Point where a few steps of L-BFGS lead.

    Parameters
    ----------
    objective : Objective
    start : ndarray of shape (n_features,)
    n_steps : int
        At most so many.

    Returns
    -------
    ndarray of shape (n_features,)
    """
    return _lbfgs(objective, start, max_iter=n_steps)


def finalists(objective: Objective, starts: Iterable[Float64Array]) -> list[Float64Array]:
    """The three of many starts whose J(u) is lowest after 30 steps of L-BFGS.

    Most random starts end far above the others, and are there early.

    Parameters
    ----------
    objective : Objective
    starts : iterable of ndarray of shape (n_features,)

    Returns
    -------
    list of ndarray of shape (n_features,)
        Where they are after these steps, the lowest first; up to three starts as they come.
    """
    points = list(starts)
    if len(points) <= _FINALISTS:
        return points
    points = [first_steps(objective, start, _FIRST_STEPS) for start in points]
    return sorted(points, key=lambda u: objective(u)[0])[:_FINALISTS]


def minimise_from_direction(objective: Objective, direction: Float64Array) -> Float64Array:
    """Point of the lowest J(u) from a direction, the convex surrogate or the mean of signed rows.

    Each of them now and then ends where the class is never said. Which one leads furthest down
    shows early: only that one goes on.

    Parameters
    ----------
    objective : Objective
    direction : ndarray of shape (n_features,)
        Its length does not matter.

    Returns
    -------
    ndarray of shape (n_features,)
    """
    starts = [
        scaled_to_minimum(objective, direction),
        rough_surrogate_minimum(objective),
        mean_direction(objective),
    ]
    points = [_lbfgs(objective, start, tolerance=_ROUGH_CHOICE) for start in starts]
    return minimise(objective, [min(points, key=lambda u: objective(u)[0])])


def surrogate_minimum(objective: Objective, start: Float64Array | None = None) -> Float64Array:
    """Minimum of the convex tangent surrogate of J(u), from `start` or u_0."""
    start = objective.prior_mean if start is None else start
    return _lbfgs(objective, start, convex=True)


def rough_surrogate_minimum(objective: Objective) -> Float64Array:
    """Minimum of the convex tangent surrogate of J(u) to a rough tolerance: a start of a search.

    Parameters
    ----------
    objective : Objective

    Returns
    -------
    ndarray of shape (n_features,)
    """
    return _lbfgs(objective, objective.prior_mean, convex=True, tolerance=_ROUGH_START)


def rough_minima(
    objective: Objective, Cs: Iterable[float], directions: Iterable[Float64Array] = ()
) -> Iterator[Float64Array]:
    """For each C, a point near the minimum of J(u) that its convex surrogate's leads to.

    For cross-validation, which asks which settings are better and not for u: J(u) is within a few
    parts in 100,000 of where :func:`minimise` ends, after a third of its steps. A surrogate's
    minimum is found from that of the C before. The u of another C is no start: where one class is
    rare, it may say the other for every item, and J is flat there.

    Parameters
    ----------
    objective : Objective
        Its C is changed.
    Cs : iterable of float
        In rising order. The first is searched from the mean of the signed rows as well.
    directions : iterable of ndarray of shape (n_features,), optional
        Further starts of the first, of length 1: the surrogate's minimum lends them its own.

    Yields
    ------
    ndarray of shape (n_features,)
    """
    surrogate = objective.prior_mean
    for number, C in enumerate(Cs):
        objective.C = C
        surrogate = _lbfgs(objective, surrogate, convex=True, tolerance=_ROUGH_START)
        starts = [surrogate]
        if number == 0:
            length = float(np.linalg.norm(surrogate))
            starts += [length * direction for direction in directions]
            starts.append(mean_direction(objective))
        found = [_lbfgs(objective, start, tolerance=_ROUGH) for start in starts]
        yield found[0] if len(found) == 1 else min(found, key=lambda u: objective(u)[0])


def mean_direction(objective: Objective) -> Float64Array:
    """Mean of sign * phi over the labelled rows, scaled to the norm at which J is lowest."""
    direction = -objective(objective.prior_mean, convex=True)[1]
    direction /= max(float(np.linalg.norm(direction)), np.finfo(float).tiny)
    candidates = [objective.prior_mean + size * direction for size in (1.0, 4.0, 16.0)]
    return min(candidates, key=lambda u: objective(u)[0])


def scaled_to_minimum(objective: Objective, direction: Float64Array) -> Float64Array:
    """Multiple of `direction`, of 0.01 to 10,000 times its length, at which J(u) is lowest.

    Parameters
    ----------
    objective : Objective
    direction : ndarray of shape (n_features,)

    Returns
    -------
    ndarray of shape (n_features,)
    """
    length = float(np.linalg.norm(direction))
    if length == 0.0:
        return direction
    line = objective.along(direction)

    def value(log_size: float) -> float:
        return line(np.array([float(np.exp(log_size)) * length]))[0]

    limits = (np.log(1e-2), np.log(1e4))
    return (
        float(np.exp(optimize.minimize_scalar(value, bounds=limits, method="bounded").x))
        * direction
    )


def random_starts(
    n_starts: int, n_features: int, random: np.random.Generator, half_width: float = 20.0
) -> Iterable[Float64Array]:
    """Uniform starts in the box [-20, 20]^d of the paper."""
    for _ in range(n_starts):
        yield random.uniform(-half_width, half_width, n_features)


def descend(objective: Objective, u: Float64Array, rate: float, n_steps: int) -> Float64Array:
    """Plain gradient descent, the paper's update; a step that does not lower J is halved."""
    value, slope = objective(u)
    for _ in range(n_steps):
        for _ in range(30):
            step = u - rate * slope
            lower, next_slope = objective(step)
            if lower < value:
                break
            rate *= 0.5
        else:
            return u
        u, value, slope = step, lower, next_slope
    return u


def _lbfgs(
    objective: Objective,
    start: Float64Array,
    *,
    convex: bool = False,
    max_iter: int = _MAX_ITER,
    tolerance: float | None = None,
) -> Float64Array:
    if tolerance is None:
        tolerance = _TOLERANCE if objective.n_items <= _MANY else _TOLERANCE_OF_MANY
    return objective.descend(
        start,
        convex=convex,
        memory=10,
        max_iter=max_iter,
        tolerance=tolerance,
        slope_tolerance=1e-5,
        sufficient=1e-4,
        curvature=0.9,
        max_search=20,
    )[0]
