"""Confusion matrices: with numbers for a few classes, as a heat map for many."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfmcore.data.arrays import Int64Array
from sfmcore.plots.saving import new_figure, short_name

MOST_WITH_NUMBERS = 15
"""Classes of a matrix whose cells can hold numbers."""
_MOST_NAMED = 40
# Inches of a large matrix, whatever the number of classes.
_WIDTH, _HEIGHT = 7.5, 6.3


def draw_confusion(counts: Int64Array, labels: Sequence[str], *, title: str) -> Any:
    """Draw the share of each true class (row) that gets each label.

    Up to :data:`MOST_WITH_NUMBERS` classes have their numbers in the cells. More become a heat map
    on a root scale, which shows rare confusions; more than 40 are numbered from 1 in the order of
    `labels`, since names could not be read.

    Parameters
    ----------
    counts : ndarray of shape (n_classes, n_classes)
        Items of each true class by the label they got.
    labels : sequence of str
        Names of the classes.
    title : str

    Returns
    -------
    matplotlib Figure
    """
    from sklearn.metrics import ConfusionMatrixDisplay

    shares = 100.0 * counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    n_classes = len(labels)
    if n_classes <= MOST_WITH_NUMBERS:
        side = 2.5 + 0.55 * n_classes
        figure = new_figure(side, side)
        axes = figure.add_subplot()
        display = ConfusionMatrixDisplay(
            shares, display_labels=[short_name(name) for name in labels]
        )
        display.plot(
            ax=axes,
            cmap="Blues",
            values_format=".1f",
            xticks_rotation="vertical",
            colorbar=False,
            im_kw={"vmin": 0.0, "vmax": 100.0},
            text_kw={"fontsize": 9 if n_classes <= 8 else 7},
        )
    else:
        figure = new_figure(_WIDTH, _HEIGHT)
        axes = figure.add_subplot()
        _heat_map(figure, axes, shares, labels)
    axes.set(title=title, xlabel="label given", ylabel="true class")
    return figure


def _heat_map(figure: Any, axes: Any, shares: Any, labels: Sequence[str]) -> None:
    from matplotlib.colors import PowerNorm

    image = axes.imshow(
        shares, cmap="Blues", norm=PowerNorm(0.5, vmin=0.0, vmax=100.0), interpolation="nearest"
    )
    bar = figure.colorbar(image, ax=axes, shrink=0.7, ticks=[0, 1, 5, 10, 25, 50, 100])
    bar.set_label("per cent of the true class (root scale)")
    n_classes = len(labels)
    if n_classes <= _MOST_NAMED:
        places, names = np.arange(n_classes), [short_name(name) for name in labels]
    else:
        step = 10 if n_classes <= 150 else 10 ** int(np.log10(n_classes / 4))
        places = np.array([0, *range(step - 1, n_classes, step)])
        names = [str(place + 1) for place in places]
    axes.set_xticks(places, names, rotation="vertical", fontsize=7)
    axes.set_yticks(places, names, fontsize=7)
