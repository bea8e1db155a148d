"""What held-out items gave their true class: the material of confidence and of sets of labels."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfmcore.learning.label_sets import LabelSets
from sfmcore.plots.palette import COLOURS, DASHES
from sfmcore.plots.saving import new_figure, short_name

MOST_LINES = len(COLOURS)
"""Classes that are drawn: of more, those whose items gave the least."""


def draw_held_out(sets: LabelSets, labels: Sequence[str]) -> Any:
    """Draw the share of held-out items whose true class had at most a given probability.

    Parameters
    ----------
    sets : LabelSets
    labels : sequence of str
        Names of the classes.

    Returns
    -------
    matplotlib Figure
    """
    figure = new_figure(4.6, 3.6)
    axes = figure.add_subplot()
    for place, number in enumerate(hardest_classes(sets)):
        own = sets.classes == number
        values, weights = sets.probabilities[own], sets.weights[own]
        order = np.argsort(values, kind="stable")
        shares = np.cumsum(weights[order]) / weights.sum()
        axes.step(
            np.concatenate([[0.0], values[order], [1.0]]),
            np.concatenate([[0.0], shares, [1.0]]),
            where="post",
            color=COLOURS[place],
            linestyle=DASHES[place],
            linewidth=1.3,
            label=short_name(labels[number]),
        )
    axes.set(
        xlabel="probability of the true class",
        ylabel="share of its held-out items",
        xlim=(-0.02, 1.02),
        ylim=(-0.02, 1.02),
    )
    axes.legend(loc="upper left", fontsize="small")
    return figure


def hardest_classes(sets: LabelSets) -> list[int]:
    """Classes to draw, in their order; of many those with the smallest mean probabilities.

    Parameters
    ----------
    sets : LabelSets

    Examples
    --------
    >>> shares = np.full((4, 2), 0.5)
    >>> hardest_classes(LabelSets.of(shares, np.array([0, 0, 1, 1]), np.ones(4)))
    [0, 1]
    """
    sums = np.bincount(sets.classes, sets.probabilities * sets.weights, sets.n_classes)
    sizes = np.bincount(sets.classes, sets.weights, sets.n_classes)
    known = np.flatnonzero(sizes > 0)
    means = sums[known] / sizes[known]
    return sorted(known[np.argsort(means, kind="stable")][:MOST_LINES].tolist())
