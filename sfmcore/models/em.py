"""EM from several starts, as every model fitted by EM does it."""

from collections.abc import Callable, Sequence

import numpy as np

from sfmcore.models.base import EMModel
from sfmcore.models.squarem import Climb, EMProblem, Waypoint, climb
from sfmcore.parallel.halfway import halfway

# E-steps of a run that finds out what a start is good for.
_SHORT_RUN = 9


def fit_from_starts(
    model: EMModel, start: Callable[[], None], problems: Sequence[EMProblem]
) -> None:
    """Run EM shortly from every start, and on from the best; sets what the runs leave behind.

    Parameters
    ----------
    model : EMModel
        Its `n_init`, `max_iter` and `tol` say how often and how long; `history_`, `n_iter_` and
        `converged_` are set.
    start : callable
        Sets the parameters to another start.
    problems : sequence of EMProblem
        The model on growing samples of its items, and on all of them at the end. The short runs
        are on the first, and each begins where the one before has ended. Within
        :func:`sfmcore.parallel.halfway.resumable` a run that was killed resumes at its last cycle.
    """
    place = halfway()
    state = place.found()
    if state is None:
        best = _best_of_starts(model, start, problems[0])
        # Objectives of a sample are not those of all items.
        state = {"problem": 0, "before": [] if len(problems) > 1 else best.history[:-1]}
        waypoint = None
    else:
        model.set_arrays(state["arrays"])
        waypoint = Waypoint(state["history"].tolist(), state["best"], state["bound"])
    before = list(state["before"])
    made: Climb | None = None
    for number in range(state["problem"], len(problems)):

        def keep(waypoint: Waypoint, number: int = number) -> None:
            place.keep(
                lambda: {
                    "problem": number,
                    "before": before,
                    "arrays": {name: own.copy() for name, own in model.get_arrays().items()},
                    "history": np.array(waypoint.history),
                    "best": waypoint.best,
                    "bound": waypoint.bound,
                }
            )

        made = climb(
            problems[number], limit=model.max_iter, tol=model.tol, start=waypoint, keep=keep
        )
        waypoint = None
    assert made is not None
    model.history_ = np.array(before + made.history)
    model.n_iter_ = len(model.history_) - 1
    model.converged_ = made.converged


def _best_of_starts(model: EMModel, start: Callable[[], None], problem: EMProblem) -> Climb:
    """Run EM shortly from every start, and leave the model where the best run ended."""
    best: Climb | None = None
    best_arrays: dict[str, np.ndarray] = {}
    for _ in range(model.n_init):
        start()
        short = climb(problem, limit=_SHORT_RUN, tol=model.tol)
        if best is None or short.history[-1] > best.history[-1]:
            best, best_arrays = short, model.get_arrays()
    assert best is not None
    model.set_arrays(best_arrays)
    return best
