"""EM from several starts, as every model fitted by EM does it."""

from collections.abc import Callable

import numpy as np

from sfmcore.models.base import EMModel

_SHORT_RUN = 15


def fit_from_starts(
    model: EMModel, start: Callable[[], None], iterate: Callable[[int], list[float]]
) -> None:
    """Run EM shortly from every start, and on from the best; sets what the runs leave behind.

    Parameters
    ----------
    model : EMModel
        Its `n_init`, `max_iter` and `tol` say how often and how long; `history_`, `n_iter_` and
        `converged_` are set.
    start : callable
        Sets the parameters to another start.
    iterate : callable
        Runs at most so many iterations, and returns the objective before each and at the end.
    """
    best: list[float] = []
    best_arrays: dict[str, np.ndarray] = {}
    for _ in range(model.n_init):
        start()
        history = iterate(_SHORT_RUN)
        if not best or history[-1] > best[-1]:
            best, best_arrays = history, model.get_arrays()
    model.set_arrays(best_arrays)
    more = iterate(model.max_iter)
    model.history_ = np.array(best[:-1] + more)
    model.n_iter_ = len(model.history_) - 1
    model.converged_ = bool(len(more) > 1 and more[-1] - more[-2] < model.tol)
