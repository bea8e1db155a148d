"""Pictures of an evaluation: confusions, the objective, and the most confident mistakes."""

from pathlib import Path
from typing import Any

import numpy as np

from sfmcore.evaluation.halves import Evaluation
from sfmcore.files.atomic import check_writable
from sfmcore.plots.drawing import require_matplotlib
from sfmvision.descriptors.batch import ImageBatch
from sfmvision.images.errors import ImageError
from sfmvision.images.reading import read_image

_NAMES = ("confusion", "objective", "mistakes")
_MISTAKES = 24
_COLUMNS = 6


def check_drawable(folder: str) -> None:
    """Refuse before the work what can't be drawn or written after it.

    Raises
    ------
    ValueError
        If matplotlib is missing or the folder can't be made.
    """
    try:
        require_matplotlib("--figures")
    except ImportError as error:
        raise ValueError(str(error)) from error
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name in _NAMES:
            check_writable(Path(folder, f"{name}.png"))
    except OSError as error:
        raise ValueError(f"--figures {folder}: {error.strerror or error}") from error


def draw_figures(folder: Path, result: Evaluation, batch: ImageBatch) -> list[Path]:
    """Write ``confusion.png``, ``objective.png`` and ``mistakes.png``.

    Parameters
    ----------
    folder : Path
    result : Evaluation
    batch : ImageBatch
        The evaluated images.

    Returns
    -------
    list of Path
        What was written.
    """
    from matplotlib.text import Text

    drawn = _confusion(result), _objective(result), _mistakes(result, batch)
    written = []
    for name, figure in zip(_NAMES, drawn, strict=True):
        path = folder / f"{name}.png"
        for text in figure.findobj(Text):
            text.set_parse_math(False)  # a label is no formula, whatever dollars it holds
        figure.savefig(path, dpi=120, bbox_inches="tight")
        written.append(path)
    return written


def _figure(**options: Any) -> Any:
    # Not through pyplot, which keeps figures and may want a display.
    from matplotlib.figure import Figure

    return Figure(**options)


def _confusion(result: Evaluation) -> Any:
    from sklearn.metrics import ConfusionMatrixDisplay

    counts = result.confusion()
    shares = 100.0 * counts / np.maximum(counts.sum(1, keepdims=True), 1)
    side = 2.5 + 0.7 * len(result.labels)
    figure = _figure(figsize=(side, side))
    display = ConfusionMatrixDisplay(shares, display_labels=result.labels)
    axes = figure.add_subplot()
    display.plot(
        ax=axes, cmap="Blues", values_format=".1f", xticks_rotation="vertical", colorbar=False
    )
    partitions = len(result.multiclass)
    axes.set_title(f"per cent of each true class, {partitions} partitions")
    return figure


def _objective(result: Evaluation) -> Any:
    from sfmcore.plots.objective import ObjectiveDisplay

    labels = [str(label) for label in result.labels]
    display = ObjectiveDisplay(
        [np.array(search.objective) for search in result.searches],
        None,
        labels=labels[1:] if len(labels) == 2 else labels,
        refitted=[len(one.objective) > one.n_iter + 1 for one in result.searches],
    )
    figure = _figure(figsize=(7, 4.5))
    display.plot(figure.add_subplot())
    return figure


def _mistakes(result: Evaluation, batch: ImageBatch) -> Any:
    worst: dict[int, tuple[float, int, int]] = {}
    for part in result.answers:
        wrong = part.predicted != part.truth
        for item, predicted, truth, confidence in zip(
            part.items[wrong],
            part.predicted[wrong],
            part.truth[wrong],
            part.confidence[wrong],
            strict=True,
        ):
            if confidence > worst.get(int(item), (0.0, 0, 0))[0]:
                worst[int(item)] = (float(confidence), int(predicted), int(truth))
    shown = sorted(worst.items(), key=lambda entry: (-entry[1][0], entry[0]))[:_MISTAKES]
    n_rows = max(1, -(-len(shown) // _COLUMNS))
    figure = _figure(figsize=(2.2 * _COLUMNS, 2.6 * n_rows))
    panels = figure.subplots(n_rows, _COLUMNS, squeeze=False).ravel().tolist()
    for axes in panels:
        axes.set_axis_off()
    if not shown:
        panels[0].set_title("no mistakes")
    for axes, (item, (confidence, predicted, truth)) in zip(panels, shown, strict=False):
        axes.imshow(_thumbnail(batch, item))
        axes.set_title(
            f"{result.labels[truth]}\nsaid {result.labels[predicted]}, {100 * confidence:.0f} %",
            fontsize=8,
        )
    return figure


def _thumbnail(batch: ImageBatch, item: int) -> Any:
    source, describer = batch.sources[item], batch.describer
    if source.pixels is not None:
        pixels = source.pixels
        return np.repeat(pixels[:, :, None], 3, axis=2) if pixels.ndim == 2 else pixels
    try:
        return read_image(
            source.name,
            allow_truncated=describer.allow_truncated,
            max_pixels=describer.max_pixels,
        )
    except ImageError:
        # The file has gone since it was described.
        return np.full((8, 8, 3), 128, dtype=np.uint8)
