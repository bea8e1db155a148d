"""ROC and precision-recall curves, a line for each class."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sfmcore.evaluation.curves import MeanCurve
from sfmcore.plots.palette import COLOURS, DASHES
from sfmcore.plots.saving import new_figure, short_name

MOST_LINES = len(COLOURS)
"""Of more lines none could be followed."""


def draw_roc(curves: Mapping[str, MeanCurve]) -> Any:
    """Draw ROC curves with bands of one deviation, and the diagonal of chance.

    Parameters
    ----------
    curves : mapping of str to MeanCurve
        By name of the class; at most :data:`MOST_LINES`.

    Returns
    -------
    matplotlib Figure
    """
    figure, axes = _lines(curves, legend="lower right")
    axes.plot([0, 1], [0, 1], color="#6b6b6b", linewidth=0.8, linestyle=":")
    axes.set(xlabel="false positive rate", ylabel="true positive rate")
    return figure


def draw_precision(curves: Mapping[str, MeanCurve]) -> Any:
    """Draw precision-recall curves with bands of one deviation.

    Parameters
    ----------
    curves : mapping of str to MeanCurve
        By name of the class; at most :data:`MOST_LINES`.

    Returns
    -------
    matplotlib Figure
    """
    figure, axes = _lines(curves, legend="lower left")
    axes.set(xlabel="recall", ylabel="precision")
    return figure


def _lines(curves: Mapping[str, MeanCurve], legend: str) -> tuple[Any, Any]:
    figure = new_figure(4.6, 4.2)
    axes = figure.add_subplot()
    for number, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[number % MOST_LINES]
        if curve.deviation.any():
            low, high = curve.mean - curve.deviation, curve.mean + curve.deviation
            axes.fill_between(
                curve.x, np.maximum(low, 0), np.minimum(high, 1), color=colour, alpha=0.15,
                linewidth=0,
            )  # fmt: skip
        axes.plot(
            curve.x, curve.mean, color=colour, linewidth=1.4, label=short_name(name),
            linestyle=DASHES[number % MOST_LINES],
        )  # fmt: skip
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    axes.legend(loc=legend, fontsize="small")
    return figure, axes
