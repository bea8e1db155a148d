"""Pictures of the most confident mistakes, made while their classifier is there."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfmcore.data.arrays import Int64Array
from sfmcore.evaluation.answers import Answers
from sfmcore.evaluation.mistakes import Mistake, most_confident_mistakes
from sfmcore.learning.problem import Problem
from sfmcore.reporting.outcome import MOST_MISTAKES, Shown
from sfmvision.classifier import SceneClassifier
from sfmvision.descriptors.batch import ImageBatch
from sfmvision.explaining.pictured import (
    LEGEND,
    PictureReasons,
    picture_html,
    picture_reasons,
    reasons_html,
)
from sfmvision.explaining.pictures import picture_of


def examine_mistakes(
    model: SceneClassifier,
    problem: Problem,
    train: Int64Array,
    answers: Answers,
    items: ImageBatch,
) -> list[PictureReasons]:
    """Explain the mistakes of one partition; an :class:`sfmcore.evaluation.halves.Examine`."""
    return explained_mistakes(model, answers, items)


def explained_mistakes(
    model: SceneClassifier, answers: Answers, items: ImageBatch
) -> list[PictureReasons]:
    """Explain the most confident mistakes among some answers.

    Parameters
    ----------
    model : SceneClassifier
        Which gave the answers.
    answers : Answers
    items : ImageBatch
        All of X.

    Returns
    -------
    list of PictureReasons
        Empty if the models can't be explained.
    """
    places = mistaken([answers])
    return explained_images(model, places, items[np.array(places)]) if places else []


def mistaken(answers: Sequence[Answers]) -> list[int]:
    """Places in X of the most confident mistakes."""
    return [one.item for one in most_confident_mistakes(answers, MOST_MISTAKES)]


def explained_images(
    model: SceneClassifier, places: Sequence[int], images: ImageBatch
) -> list[PictureReasons]:
    """Explain the labels of images.

    Parameters
    ----------
    model : SceneClassifier
    places : sequence of int
        What each image is called: its place in X.
    images : ImageBatch
        As many.

    Returns
    -------
    list of PictureReasons
        Empty if the models can't be explained.
    """
    try:
        found, where = model.explain_patches(images)
    except ValueError:  # features are drawn
        return []
    made = []
    for number, (place, patches) in enumerate(zip(places, where, strict=True)):
        pixels = picture_of(images, number)
        made.append(picture_reasons(place, found, number, patches, pixels))
    return made


def shown_images(
    batch: ImageBatch,
    explained: Sequence[list[PictureReasons]],
    *,
    places: Sequence[int] | None = None,
    names: Sequence[str] | None = None,
) -> Shown:
    """How a report shows images.

    Parameters
    ----------
    batch : ImageBatch
        All of X, or those at `places`.
    explained : sequence of list of PictureReasons
        By partition, from :func:`explained_mistakes`.
    places : sequence of int, optional
        Places in X of the images of the batch; all without it. Others are named only.
    names : sequence of str, optional
        Of all of X; without it, of the batch.
    """
    known = {(part, own.item): own for part, every in enumerate(explained) for own in every}

    def name(item: int) -> str:
        return batch.sources[item].name if names is None else names[item]

    def pixels_of(item: int) -> Any:
        if places is not None and item not in places:
            return None
        return picture_of(batch, item if places is None else places.index(item))

    def preview(item: int) -> str:
        pixels = pixels_of(item)
        if pixels is None:
            return ""
        return f'<div class="beside">{picture_html(name(item), pixels)}</div>'

    def evidence(mistake: Mistake) -> str:
        pixels = pixels_of(mistake.item)
        reasons = known.get((mistake.partition, mistake.item))
        if pixels is None or reasons is None:
            return preview(mistake.item)
        return reasons_html(name(mistake.item), pixels, reasons)

    return Shown(name, evidence, preview, LEGEND if any(explained) else "")
