"""From a decoded image of any kind to upright RGB in 8 bits."""

from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from PIL.Image import Image

from sfmvision.images.errors import Unusable
from sfmvision.images.picture import Picture

Pixels = npt.NDArray[np.uint8]
Samples = npt.NDArray[Any]

ROUNDING = 1e-6
"""Largest excess of floats beyond 0 and 1, as interpolation produces it."""

_STRIP = 2**20
"""Pixels that are converted at a time, so that there are not two copies of everything."""

_AS_STORED = ("L", "LA", "La", "RGB", "RGBA", "I", "I;16", "I;16B", "F")


def to_rgb(picture: Picture) -> Pixels:
    """Bring a decoded image to RGB.

    Parameters
    ----------
    picture : Picture
        Loaded.

    Returns
    -------
    ndarray of shape (h, w, 3) of uint8
        Upright, on white where the image is transparent.

    Raises
    ------
    Unusable
        If its values can't be understood.
    """
    width, height = picture.image.size
    if picture.image.mode == "F":
        _check_range(picture.image)
    rgb: Pixels = np.empty((height, width, 3), np.uint8)
    for top, bottom in _strips(picture.image):
        rgb[top:bottom] = _converted(picture, top, bottom)
    if picture.covered is not None:
        left, top, right, bottom = picture.covered
        rgb[:top] = rgb[bottom:] = 255
        rgb[:, :left] = rgb[:, right:] = 255
    return np.ascontiguousarray(upright(rgb, picture.orientation))


def _strips(image: Image) -> Iterator[tuple[int, int]]:
    """Give the first row of each strip, and the row after its last."""
    rows = max(1, _STRIP // image.width)
    for top in range(0, image.height, rows):
        yield top, min(top + rows, image.height)


def _samples(image: Image, top: int, bottom: int) -> Samples:
    """Give some rows of an image, in channels that NumPy understands."""
    part = image
    if (top, bottom) != (0, image.height):
        part = image.crop((0, top, image.width, bottom))
    if image.mode not in _AS_STORED:
        with_alpha = image.mode == "PA" or "transparency" in image.info
        part = part.convert("L" if image.mode == "1" else "RGBA" if with_alpha else "RGB")
    samples: Samples = np.asarray(part)
    return samples.reshape(*samples.shape[:2], -1)


def _converted(picture: Picture, top: int, bottom: int) -> Pixels:
    samples = _samples(picture.image, top, bottom)
    if picture.packed:
        samples = np.ascontiguousarray(samples).view(">u2")
    elif picture.lower is not None:
        higher = samples.astype(np.uint16)
        higher <<= 8
        higher |= _samples(picture.lower, top, bottom)
        samples = higher
    transparent = None
    if picture.key:
        transparent = (samples == np.array(picture.key)).all(axis=2)
    values = _to_8_bits(samples, picture.white)
    if picture.inverted:
        values = 255 - values
    n_channels = values.shape[2]
    alpha = values[..., -1:] if n_channels in (2, 4) and not picture.opaque else None
    colours = values[..., : 3 if n_channels >= 3 else 1]
    if alpha is not None and alpha.min() < 255:
        colours = _on_white(colours, alpha, picture.premultiplied)
    if transparent is not None:
        colours = np.where(transparent[..., None], np.uint8(255), colours)
    if colours.shape[2] == 1:
        return np.asarray(cv2.cvtColor(np.ascontiguousarray(colours), cv2.COLOR_GRAY2RGB), np.uint8)
    return colours


def _to_8_bits(values: Samples, white: int) -> Pixels:
    if values.dtype.kind == "f":
        return np.rint(values * np.float32(255)).clip(0, 255).astype(np.uint8)
    if white == 255:
        return values.astype(np.uint8, copy=False)
    largest = 255 if values.dtype == np.uint8 else 2**16 - 1
    table = np.minimum((np.arange(largest + 1) * 255 + white // 2) // white, 255).astype(np.uint8)
    eight: Pixels = table[values]
    return eight


def _check_range(image: Image) -> None:
    """Refuse floats that aren't from 0 to 1, as their white is unknown."""
    parts = [_samples(image, top, bottom) for top, bottom in _strips(image)]
    low, high = min(part.min() for part in parts), max(part.max() for part in parts)
    if not np.isfinite(np.float64(high) - low):
        raise Unusable("values that are infinite or not a number")
    if low < -ROUNDING or high > 1 + ROUNDING:
        raise Unusable(f"values from {low:.8g} to {high:.8g}, expected from 0 to 1")


def _on_white(colours: Pixels, alpha: Pixels, premultiplied: bool) -> Pixels:
    wide, opacity = colours.astype(np.uint16), alpha.astype(np.uint16)
    if premultiplied:
        wide = np.minimum(wide + (255 - opacity), 255)
    else:
        wide = (wide * opacity + 255 * (255 - opacity) + 127) // 255  # at most 65152 before
    return wide.astype(np.uint8)


def upright(image: Pixels, orientation: int) -> Pixels:
    """Turn and mirror an image as EXIF's orientation asks.

    Parameters
    ----------
    image : ndarray of shape (h, w, 3)
    orientation : int
        From 1, nothing, to 8.

    Returns
    -------
    ndarray of shape (h, w, 3) or (w, h, 3)
        A view.

    Examples
    --------
    >>> upright(np.array([[[1], [2]], [[3], [4]]], np.uint8), 6)[..., 0].tolist()
    [[3, 1], [4, 2]]
    """
    if orientation >= 5:
        image = image.swapaxes(0, 1)
    if orientation in (2, 3, 6, 7):
        image = image[:, ::-1]
    if orientation in (3, 4, 7, 8):
        image = image[::-1]
    return image
