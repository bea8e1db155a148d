"""Figures of an evaluation that every domain draws: confusions, and what training optimised."""

from typing import Any

import numpy as np

from sfmcore.evaluation.halves import Evaluation
from sfmcore.plots.climbs import draw_climbs
from sfmcore.plots.confusion import draw_confusion
from sfmcore.plots.saving import new_figure

NAMES = ("confusion", "objective")
"""Of the figures, as :func:`evaluation_figures` may give them."""


def evaluation_figures(result: Evaluation) -> dict[str, Any]:
    """Draw what every evaluation has.

    Parameters
    ----------
    result : Evaluation

    Returns
    -------
    dict of str to matplotlib Figure
        ``confusion``, and ``objective`` unless nothing was iterated; see :func:`draw_objective`.
    """
    labels = [str(label) for label in result.labels]
    parts = f"{len(result.multiclass)} {'folds' if result.folded else 'partitions'}"
    figures = {
        "confusion": draw_confusion(
            result.confusion(), labels, title=f"per cent of each true class, {parts}"
        )
    }
    objective = draw_objective(result)
    return figures if objective is None else {**figures, "objective": objective}


def draw_objective(result: Evaluation) -> Any:
    """Draw J(u) over the iterations of Algorithm 1, or EM's objective where it made none.

    With exact features there is nothing to iterate after EM: J(u) of a pair is then a single
    number.

    Parameters
    ----------
    result : Evaluation

    Returns
    -------
    matplotlib Figure or None
        Of the first partition; None if no model kept its history either.
    """
    from sfmcore.plots.objective import ObjectiveDisplay

    part = "the first fold" if result.folded else "the first partition"
    if all(len(search.objective) <= 2 for search in result.searches):
        if not result.climbs:
            return None
        return draw_climbs(result.climbs, title=f"EM of the models of {part}")
    labels = [str(label) for label in result.labels]
    display = ObjectiveDisplay(
        [np.array(search.objective) for search in result.searches],
        None,
        labels=labels[1:] if len(labels) == 2 else labels,
        refitted=[len(one.objective) > one.n_iter + 1 for one in result.searches],
    )
    figure = new_figure(7.0, 4.5)
    display.plot(figure.add_subplot())
    return figure
