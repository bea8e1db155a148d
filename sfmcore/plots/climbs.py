"""The objective of EM, or of a sampler, over its iterations."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfmcore.evaluation.climbs import Climb
from sfmcore.plots.palette import COLOURS, DASHES
from sfmcore.plots.saving import new_figure


def draw_climbs(climbs: Sequence[Climb], *, title: str = "") -> Any:
    """Draw how far each model's objective has risen since its first value.

    Objectives of different models differ by more than they rise. A cross ends the line of a model
    whose EM stopped before it reached its tolerance.

    Parameters
    ----------
    climbs : sequence of Climb
        At least one.
    title : str

    Returns
    -------
    matplotlib Figure
    """
    from matplotlib.ticker import NullFormatter, StrMethodFormatter

    figure = new_figure(5.4, 3.6)
    axes = figure.add_subplot()
    kinds = list(dict.fromkeys(climb.kind for climb in climbs))
    stopped = False
    for number, kind in enumerate(kinds):
        own = [climb for climb in climbs if climb.kind == kind]
        style = {"color": COLOURS[number % len(COLOURS)], "linewidth": 1.1}
        for place, climb in enumerate(own):
            steps, gains = np.arange(1, len(climb.values) + 1), climb.values - climb.values[0]
            label = f"{kind} ({len(own)})" if place == 0 else "_"
            axes.plot(steps, gains, linestyle=DASHES[number % len(DASHES)], label=label, **style)
            if not climb.converged:
                name = "_" if stopped else "stopped at its limit"
                axes.plot(steps[-1:], gains[-1:], marker="x", linestyle="", label=name, **style)
                stopped = True
    axes.set(
        title=title,
        xlabel="values of the objective (E-steps, or every tenth sweep)",
        ylabel="rise, in nats per symbol or item",
        xscale="log",
    )
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.legend(fontsize="small")
    return figure
