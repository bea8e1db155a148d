"""Reliability diagrams: how often labels of a confidence are right."""

from typing import Any

import numpy as np

from sfmcore.evaluation.intervals import share_interval
from sfmcore.evaluation.reliability import ReliabilityBins
from sfmcore.plots.palette import COLOURS, MIDDLE
from sfmcore.plots.saving import new_figure


def draw_reliability(bins: ReliabilityBins) -> Any:
    """Draw the share of right labels against confidence, and below it the items of each bin.

    Parameters
    ----------
    bins : ReliabilityBins

    Returns
    -------
    matplotlib Figure
    """
    from matplotlib.ticker import PercentFormatter

    figure = new_figure(4.6, 4.6)
    above, below = figure.subplots(2, sharex=True, height_ratios=(4, 1))
    shares = bins.right / bins.counts
    low, high = share_interval(bins.right, bins.counts)
    above.plot([0, 1], [0, 1], color=MIDDLE, linestyle=":", label="perfect calibration")
    above.errorbar(
        bins.confidence,
        shares,
        yerr=np.maximum([shares - low, high - shares], 0.0),
        color=COLOURS[0],
        marker="o",
        markersize=4,
        linewidth=1.2,
        elinewidth=0.9,
        capsize=2,
        label="measured, with 95 % intervals",
    )
    above.set(ylabel="share of right labels", ylim=(-0.02, 1.02))
    above.legend(loc="upper left", fontsize="small")
    below.bar(bins.confidence, bins.counts / bins.counts.sum(), width=0.03, color=COLOURS[0])
    below.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    below.set(xlabel="confidence", ylabel="items", xlim=(-0.02, 1.02))
    return figure
