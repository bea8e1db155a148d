"""The most confident mistakes of an evaluation of images, as a figure."""

from typing import Any

from sfmcore.evaluation.halves import Evaluation
from sfmcore.evaluation.mistakes import most_confident_mistakes
from sfmcore.plots.saving import new_figure
from sfmvision.descriptors.batch import ImageBatch
from sfmvision.explaining.pictures import picture_of

_MISTAKES = 24
_COLUMNS = 6


def draw_mistakes(result: Evaluation, batch: ImageBatch) -> Any:
    """Draw the images whose wrong labels were the most confident ones.

    Parameters
    ----------
    result : Evaluation
    batch : ImageBatch
        The evaluated images.

    Returns
    -------
    matplotlib Figure
        As large as what it shows.
    """
    shown = most_confident_mistakes(result.answers, _MISTAKES)
    if not shown:
        figure = new_figure(2.2, 0.5)
        figure.suptitle("no mistakes")
        return figure
    n_columns = min(len(shown), _COLUMNS)
    n_rows = -(-len(shown) // n_columns)
    figure = new_figure(2.2 * n_columns, 2.6 * n_rows)
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel().tolist()
    for axes in panels:
        axes.set_axis_off()
    for axes, mistake in zip(panels, shown, strict=False):
        axes.imshow(picture_of(batch, mistake.item))
        axes.set_title(
            f"{result.labels[mistake.truth]}\nsaid {result.labels[mistake.predicted]}, "
            f"{100 * mistake.confidence:.0f} %",
            fontsize=8,
        )
    return figure
