"""Reasons for the label of one image as plain values, and as HTML with pictures."""

import io
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image

from sfmcore.data.names import one_line
from sfmcore.data.storable import storable
from sfmcore.explaining.explanation import Explanation
from sfmcore.reporting.parts import data_uri
from sfmcore.reporting.reasons import text
from sfmvision.descriptors.batch import reduced
from sfmvision.explaining.overlay import evidence_map, overlay
from sfmvision.explaining.patches import KINDS, Patches

LEGEND = (
    "The second picture is the image in grey; blue is where its patches speak for the label it "
    "got, and orange where they speak against it and for the runner-up."
)
"""How to read the pictures."""
_SIDE = 220
"""Pixels of the longer side of a picture."""
_TERMS = ("constant", "baseline", "remainder")


@storable
@dataclass(frozen=True)
class PictureReasons:
    """Why an image has its label.

    Attributes
    ----------
    item : int
        What the image is called: its place in X.
    label, runner_up : str
    score : float
        The sum of all of `sums`.
    sums : dict of str to float
        Evidence of its patches by kind, and the terms that belong to no patch.
    picture : ndarray of uint8
        The evidence, as JPEG.
    """

    item: int
    label: str
    runner_up: str
    score: float
    sums: dict[str, float]
    picture: npt.NDArray[np.uint8]


def picture_reasons(
    item: int,
    found: Explanation,
    number: int,
    patches: Patches,
    pixels: npt.NDArray[np.generic],
) -> PictureReasons:
    """Reasons of one image of an explanation.

    Parameters
    ----------
    item : int
        What the image is called.
    found : Explanation
        With the kinds of :data:`sfmvision.explaining.patches.KINDS`.
    number : int
        Of the image in it.
    patches : Patches
    pixels : ndarray of shape (height, width) or (height, width, 3)
        Of the image; of any size.
    """
    own = slice(found.offsets[number], found.offsets[number + 1])
    if pixels.shape[:2] != patches.shape:
        pixels = np.asarray(Image.fromarray(in_bytes(pixels)).resize(patches.shape[::-1]))
    coloured = overlay(in_bytes(pixels), evidence_map(patches, found.evidence[own]))
    sums = {kind: float(values[own].sum()) for kind, values in found.kinds.items()}
    sums |= {name: float(values[number]) for name, values in found.terms.items()}
    sums |= {"baseline": float(found.baseline[number]), "remainder": float(found.remainder[number])}
    return PictureReasons(
        item=item,
        label=str(found.label[number]),
        runner_up=str(found.runner_up[number]),
        score=float(found.score[number]),
        sums=sums,
        picture=np.frombuffer(jpeg_of(coloured), dtype=np.uint8),
    )


def reasons_html(name: str, pixels: npt.NDArray[np.generic], reasons: PictureReasons) -> str:
    """The image, where its evidence lies, and what it adds up to.

    Parameters
    ----------
    name : str
        Of the image.
    pixels : ndarray of shape (height, width) or (height, width, 3)
    reasons : PictureReasons

    Returns
    -------
    str
        HTML, in which all names are escaped.
    """
    label, runner_up = one_line(reasons.label), one_line(reasons.runner_up)
    coloured = _img(
        reasons.picture.tobytes(), f"Where it speaks for {label}, and where for {runner_up}"
    )
    return (
        f"<p><strong>{text(label)}</strong> against {text(runner_up)}: score "
        f'{reasons.score:.3f}</p><div class="beside">{picture_html(name, pixels)}{coloured}'
        f"{_sums(reasons)}</div>"
    )


def picture_html(name: str, pixels: npt.NDArray[np.generic]) -> str:
    """A small picture of an image, as it was read."""
    return _img(jpeg_of(in_bytes(pixels)), f"The image {name}")


def _img(data: bytes, alt: str) -> str:
    return f'<img src="{data_uri(data, "image/jpeg")}" alt="{text(one_line(alt))}">'


def _sums(reasons: PictureReasons) -> str:
    # A checkpoint gives dictionaries back in the order of their keys.
    rows = "".join(
        f'<tr><th scope="row">{name}</th><td class="n">{reasons.sums[name]:+.3f}</td></tr>'
        for name in (*KINDS, *_TERMS)
        if abs(reasons.sums[name]) >= 5e-4
    )
    return f"<table><caption>evidence</caption><tbody>{rows}</tbody></table>"


def in_bytes(pixels: npt.NDArray[np.generic]) -> npt.NDArray[np.uint8]:
    """Pixels of 8 bits; floats are from 0 to 1."""
    if pixels.dtype.kind == "f":
        clipped = np.clip(pixels.astype(np.float64), 0.0, 1.0)
        return np.rint(clipped * 255.0).astype(np.uint8)
    return pixels.astype(np.uint8)


def jpeg_of(pixels: npt.NDArray[np.uint8]) -> bytes:
    """A small picture as JPEG."""
    buffer = io.BytesIO()
    Image.fromarray(reduced(pixels, _SIDE)).save(buffer, "JPEG", quality=88)
    return buffer.getvalue()
