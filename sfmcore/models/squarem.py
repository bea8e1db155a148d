"""EM made faster by extrapolation (SQUAREM)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

import numpy as np

from sfmcore.data.arrays import Float64Array

# The longest step allowed at first, and what the longest is multiplied or divided by. A step of
# length 1 is EM's own.
_FIRST_BOUND = 4.0
_GROWTH = 4.0
# E-steps of a cycle: after the two of EM, and after the extrapolation from them.
_CYCLE = 3


class EMProblem(Protocol):
    """A model and its data, as EM sees them."""

    def expect(self) -> float:
        """Make the E-step at the parameters, and return the objective there."""

    def maximise(self) -> None:
        """Set the parameters by the M-step from the last E-step."""

    def coordinates(self) -> Float64Array:
        """The parameters as one vector, positive ones as logarithms."""

    def move_to(self, coordinates: Float64Array) -> None:
        """Set the parameters by such a vector, or by an allowed one that is near it."""


@dataclass(frozen=True)
class Climb:
    """Course of an EM run.

    Attributes
    ----------
    history : list of float
        The highest objective so far, after each E-step; it never falls.
    converged : bool
        Whether the tolerance was reached.
    """

    history: list[float]
    converged: bool


@dataclass(frozen=True)
class Waypoint:
    """Memory of an EM run between two cycles, beside the parameters.

    Attributes
    ----------
    history : list of float
        As of :class:`Climb`, so far.
    best : ndarray of shape (n_coordinates,)
        Where its last entry was reached.
    bound : float
        The longest step allowed.
    """

    history: list[float]
    best: Float64Array
    bound: float


def climb(
    problem: EMProblem,
    *,
    limit: int,
    tol: float,
    start: Waypoint | None = None,
    keep: Callable[[Waypoint], None] | None = None,
) -> Climb:
    """Run accelerated EM from the problem's parameters on, and leave it at the best it found.

    Parameters
    ----------
    problem : EMProblem
    limit : int
        E-steps to make after the one at the parameters given.
    tol : float
        EM ends when three E-steps, a cycle, raise the objective by no more than this.
    start : Waypoint, optional
        Go on from there, with the parameters of that moment. The course is the same to the bit as
        without the interruption; the E-step at the parameters is made again.
    keep : callable, optional
        Gets a waypoint before each cycle.

    Returns
    -------
    Climb

    Examples
    --------
    A problem whose EM step halves the distance from 3.

    >>> class Halving:
    ...     def __init__(self):
    ...         self.x = np.zeros(1)
    ...     def expect(self):
    ...         return -float((self.x[0] - 3.0) ** 2)
    ...     def maximise(self):
    ...         self.x = (self.x + 3.0) / 2.0
    ...     def coordinates(self):
    ...         return self.x
    ...     def move_to(self, coordinates):
    ...         self.x = coordinates
    >>> problem = Halving()
    >>> made = climb(problem, limit=100, tol=1e-9)
    >>> made.converged, len(made.history), problem.x.tolist()
    (True, 6, [3.0])
    """
    history: list[float] = [] if start is None else list(start.history)
    best = problem.coordinates() if start is None else start.best
    bound = _FIRST_BOUND if start is None else start.bound

    def between(bound: float) -> None:
        if keep is not None:
            keep(Waypoint(list(history), best, bound))

    points = _points(problem, bound, between)
    converged = False
    value = -np.inf
    if start is not None:
        value = next(points)  # which the history has
    for value in islice(points, max(0, limit + 1 - len(history))):
        # A NaN, which an extrapolation may lead to, is not above anything.
        if not history or value >= history[-1]:
            best = problem.coordinates()
            history.append(value)
        else:
            history.append(history[-1])
        converged = len(history) > _CYCLE and history[-1] - history[-1 - _CYCLE] <= tol
        if converged:
            break
    if value != history[-1]:
        problem.move_to(best)
    return Climb(history, converged)


def _points(problem: EMProblem, bound: float, between: Callable[[float], None]) -> Iterator[float]:
    """The objective after each E-step; `between` gets the bound before each cycle.

    Two steps of EM, from x to x1 and on to x2, give the point

        x' = x + 2 a r + a^2 v,    r = x1 - x,    v = (x2 - x1) - r,    a = |r| / |v|.

    If its objective is not below that of x1, EM's step from x' is the next x: it damps what the
    extrapolation has put wrong. Otherwise x2 is the next, and `a` is held shorter.

    References
    ----------
    R. Varadhan, C. Roland, "Simple and globally convergent methods for accelerating the
    convergence of any EM algorithm", Scandinavian Journal of Statistics 35 (2008).
    """
    value = problem.expect()
    yield value
    while True:
        between(bound)
        x = problem.coordinates()
        problem.maximise()
        x1, value = problem.coordinates(), problem.expect()
        yield value
        problem.maximise()
        x2 = problem.coordinates()
        r = x1 - x
        v = (x2 - x1) - r
        length = _quotient(r, v)
        a = min(length, bound)
        if length >= bound:
            bound *= _GROWTH
        if a > 1.0:
            problem.move_to(x + 2.0 * a * r + a * a * v)
            extrapolated = problem.expect()
            yield extrapolated
            if extrapolated >= value:
                problem.maximise()
            else:
                problem.move_to(x2)
                bound = max(a / _GROWTH, 1.0)
        value = problem.expect()
        yield value


def _quotient(r: Float64Array, v: Float64Array) -> float:
    """Length of the step; 1 is EM's own, which is what is left if EM does not move."""
    squares = float(np.sum(r * r)), float(np.sum(v * v))
    if squares[1] == 0.0:
        return 1.0 if squares[0] == 0.0 else np.inf
    return max(float(np.sqrt(squares[0] / squares[1])), 1.0)
