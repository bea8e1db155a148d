"""EM made faster by extrapolation (SQUAREM), and stopped by what is left to gain."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

import numpy as np

from sfmcore.data.arrays import Float64Array

# The longest step allowed at first, and what the longest is multiplied or divided by. A step of
# length 1 is EM's own.
_FIRST_BOUND = 4.0
_GROWTH = 4.0
# Short steps follow long ones and say little of EM's slowest direction, so a few are looked at.
_REMEMBERED = 3


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
    """What EM went through.

    Attributes
    ----------
    history : list of float
        The highest objective so far, after each E-step; it never falls.
    converged : bool
        Whether what was left to gain came down to the tolerance.
    """

    history: list[float]
    converged: bool


def climb(problem: EMProblem, *, limit: int, tol: float) -> Climb:
    """Run accelerated EM from the problem's parameters on, and leave it at the best it found.

    Parameters
    ----------
    problem : EMProblem
    limit : int
        E-steps to make after the one at the parameters given.
    tol : float
        EM ends when the objective is expected to rise by no more than this in all the steps that
        could follow, or when a step does not raise it.

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
    (True, 5, [3.0])
    """
    history: list[float] = []
    best = problem.coordinates()
    converged = False
    for value, left in islice(_points(problem), limit + 1):
        # The objective of a model that can't have made the data is no number that compares.
        if not history or value >= history[-1]:
            best = problem.coordinates()
            history.append(value)
        else:
            history.append(history[-1])
        if left <= tol:
            converged = True
            break
    if value != history[-1]:
        problem.move_to(best)
    return Climb(history, converged)


def _points(problem: EMProblem) -> Iterator[tuple[float, float]]:
    """The objective after each E-step, and how much it may still rise.

    Two steps of EM, from x to x1 and on to x2, give the point

        x' = x + 2 a r + a^2 v,    r = x1 - x,    v = (x2 - x1) - r,    a = |r| / |v|.

    If its objective is not below that of x1, EM's step from x' is the next x: it damps what the
    extrapolation has put wrong. Otherwise x2 is the next, and `a` is held shorter.

    References
    ----------
    R. Varadhan, C. Roland, "Simple and globally convergent methods for accelerating the
    convergence of any EM algorithm", Scandinavian Journal of Statistics 35 (2008).
    """
    bound = _FIRST_BOUND
    lengths: deque[float] = deque(maxlen=_REMEMBERED)
    value = problem.expect()
    yield value, np.inf
    while True:
        x, before = problem.coordinates(), value
        problem.maximise()
        x1, value = problem.coordinates(), problem.expect()
        yield value, _rise_left(value - before, lengths)
        problem.maximise()
        x2 = problem.coordinates()
        r = x1 - x
        v = (x2 - x1) - r
        lengths.append(_quotient(r, v))
        a = min(lengths[-1], bound)
        if lengths[-1] >= bound:
            bound *= _GROWTH
        if a > 1.0:
            problem.move_to(x + 2.0 * a * r + a * a * v)
            extrapolated = problem.expect()
            yield extrapolated, np.inf
            if extrapolated >= value:
                problem.maximise()
            else:
                problem.move_to(x2)
                bound = max(a / _GROWTH, 1.0)
        value = problem.expect()
        yield value, np.inf


def _quotient(r: Float64Array, v: Float64Array) -> float:
    """Length of the step; 1 is EM's own, which is what is left if EM does not move."""
    squares = float(np.sum(r * r)), float(np.sum(v * v))
    if squares[1] == 0.0:
        return 1.0 if squares[0] == 0.0 else np.inf
    return max(float(np.sqrt(squares[0] / squares[1])), 1.0)


def _rise_left(gain: float, lengths: deque[float]) -> float:
    """What EM would still gain after a step that gained so much.

    With a step of length a, EM's error falls by 1 - 1/a a step in its slowest direction, and
    what is missing of the objective by the square of that.
    """
    if gain <= 0.0:
        return 0.0
    if not lengths:
        return np.inf
    kept = (1.0 - 1.0 / max(lengths)) ** 2
    return gain * kept / (1.0 - kept) if kept < 1.0 else np.inf
