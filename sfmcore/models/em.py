"""EM from several starts, as every model fitted by EM does it."""

from collections.abc import Callable, Sequence

import numpy as np

from sfmcore.models.base import EMModel
from sfmcore.models.squarem import Climb, EMProblem, climb

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
        are on the first, and each begins where the one before has ended.
    """
    *samples, whole = problems
    best: Climb | None = None
    best_arrays: dict[str, np.ndarray] = {}
    for _ in range(model.n_init):
        start()
        short = climb(problems[0], limit=_SHORT_RUN, tol=model.tol)
        if best is None or short.history[-1] > best.history[-1]:
            best, best_arrays = short, model.get_arrays()
    assert best is not None
    model.set_arrays(best_arrays)
    for sample in samples:
        climb(sample, limit=model.max_iter, tol=model.tol)
    made = climb(whole, limit=model.max_iter, tol=model.tol)
    # Objectives of a sample are not those of all items.
    before = [] if samples else best.history[:-1]
    model.history_ = np.array(before + made.history)
    model.n_iter_ = len(model.history_) - 1
    model.converged_ = made.converged
