"""Pictures of the most confident mistakes, made while their classifier is there."""

import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from markupsafe import Markup
from PIL import Image

from sfmcore.data.arrays import Int64Array
from sfmcore.data.names import one_line
from sfmcore.data.storable import storable
from sfmcore.evaluation.answers import Answers
from sfmcore.evaluation.mistakes import Mistake, most_confident_mistakes
from sfmcore.learning.problem import Problem
from sfmcore.reporting.outcome import MOST_MISTAKES, Shown
from sfmcore.reporting.parts import data_uri
from sfmvision.classifier import SceneClassifier
from sfmvision.descriptors.batch import ImageBatch, reduced
from sfmvision.explaining.overlay import evidence_map, overlay
from sfmvision.explaining.patches import KINDS
from sfmvision.explaining.pictures import picture_of

_SIDE = 220
"""Pixels of the longer side of a picture."""
_LEGEND = (
    "The second picture is the image in grey; blue is where its patches speak for the label it "
    "got, and orange where they speak against it and for the runner-up."
)


@storable
@dataclass(frozen=True)
class PictureReasons:
    """Why an image has its label.

    Attributes
    ----------
    item : int
        Place in X.
    label, runner_up : str
    score : float
    sums : dict of str to float
        Evidence of its patches by kind.
    picture : ndarray of uint8
        The evidence, as JPEG.
    """

    item: int
    label: str
    runner_up: str
    score: float
    sums: dict[str, float]
    picture: npt.NDArray[np.uint8]


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
        own = slice(found.offsets[number], found.offsets[number + 1])
        pixels = picture_of(images, number)
        if pixels.shape[:2] != patches.shape:
            pixels = np.asarray(Image.fromarray(_bytes(pixels)).resize(patches.shape[::-1]))
        coloured = overlay(_bytes(pixels), evidence_map(patches, found.evidence[own]))
        made.append(
            PictureReasons(
                item=place,
                label=str(found.label[number]),
                runner_up=str(found.runner_up[number]),
                score=float(found.score[number]),
                sums={kind: float(values[own].sum()) for kind, values in found.kinds.items()},
                picture=np.frombuffer(_jpeg(coloured), dtype=np.uint8),
            )
        )
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

    def plain_picture(item: int) -> str:
        if places is not None and item not in places:
            return ""
        number = item if places is None else places.index(item)
        return _img(_jpeg(_bytes(picture_of(batch, number))), f"The image {name(item)}")

    def preview(item: int) -> str:
        plain = plain_picture(item)
        return plain and f'<div class="beside">{plain}</div>'

    def evidence(mistake: Mistake) -> str:
        plain = plain_picture(mistake.item)
        reasons = known.get((mistake.partition, mistake.item))
        if reasons is None or not plain:
            return preview(mistake.item)
        coloured = _img(
            reasons.picture.tobytes(),
            f"Where it speaks for {reasons.label}, and where against it",
        )
        shown = f'<div class="beside">{plain}{coloured}{_sums(reasons)}</div>'
        return f"{_lead(reasons)}{shown}"

    return Shown(name, evidence, preview, _LEGEND if any(explained) else "")


def _img(data: bytes, alt: str) -> Markup:
    image = Markup('<img src="{}" alt="{}">')
    return image.format(data_uri(data, "image/jpeg"), one_line(alt))


def _sums(reasons: PictureReasons) -> Markup:
    row = Markup('<tr><th scope="row">{}</th><td class="n">{}</td></tr>')
    rows = Markup("").join(
        # A checkpoint gives dictionaries back in the order of their keys.
        row.format(kind, f"{reasons.sums[kind]:+.3f}")
        for kind in KINDS
        if reasons.sums[kind]
    )
    table = Markup("<table><caption>evidence</caption><tbody>{}</tbody></table>")
    return table.format(rows)


def _lead(reasons: PictureReasons) -> Markup:
    text = Markup("<p><strong>{}</strong> against {}: score {}</p>")
    label, runner_up = one_line(reasons.label), one_line(reasons.runner_up)
    return text.format(label, runner_up, f"{reasons.score:.3f}")


def _bytes(pixels: npt.NDArray) -> npt.NDArray[np.uint8]:
    """Pixels of 8 bits; floats are from 0 to 1."""
    if pixels.dtype.kind == "f":
        return np.rint(np.clip(pixels, 0.0, 1.0) * 255.0).astype(np.uint8)
    return pixels.astype(np.uint8)


def _jpeg(pixels: npt.NDArray[np.uint8]) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(reduced(pixels, _SIDE)).save(buffer, "JPEG", quality=88)
    return buffer.getvalue()
