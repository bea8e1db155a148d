"""A picture of an image's evidence: blue for the label, orange against it, on its greys.

Blue and orange are told apart by all common kinds of colour blindness.
"""

import os
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from sfmcore.data.arrays import Float64Array
from sfmcore.files.atomic import atomic_write
from sfmvision.explaining.patches import Patches

_FOR, _AGAINST = (31, 96, 168), (214, 110, 0)
# The evidence that has the full colour: so much of the picture has less.
_FULL = 0.98
_MOST_COLOUR = 0.75


def evidence_map(patches: Patches, evidence: Float64Array) -> Float64Array:
    """Evidence of every pixel: that of a patch is spread evenly over its square.

    Parameters
    ----------
    patches : Patches
    evidence : ndarray of shape (n_parts,)

    Returns
    -------
    ndarray of shape (height, width)
        Adds up to the evidence of the patches.

    Examples
    --------
    >>> one = Patches(np.array([[2.0, 2.0]]), np.array([2.0]), np.array([False]), (4, 4))
    >>> evidence_map(one, np.array([8.0]))[1].tolist()
    [0.0, 2.0, 2.0, 0.0]
    """
    height, width = patches.shape
    corners = np.zeros((height + 1, width + 1))
    half = patches.sides[:, None] / 2.0
    low = np.floor(patches.centres - half).astype(int)
    high = np.ceil(patches.centres + half).astype(int)
    limits = np.array([height, width])
    low, high = np.clip(low, 0, limits - 1), np.clip(high, 1, limits)
    high = np.maximum(high, low + 1)
    each = evidence / np.prod(high - low, axis=1)
    for rows, columns, sign in ((low, low, 1), (high, low, -1), (low, high, -1), (high, high, 1)):
        np.add.at(corners, (rows[:, 0], columns[:, 1]), sign * each)
    summed: Float64Array = corners.cumsum(axis=0).cumsum(axis=1)[:height, :width]
    return summed


def overlay(pixels: npt.NDArray[Any], evidence: Float64Array) -> npt.NDArray[np.uint8]:
    """The image in grey with its evidence in colours.

    Parameters
    ----------
    pixels : ndarray of shape (height, width) or (height, width, 3), uint8
    evidence : ndarray of shape (height, width)
        From :func:`evidence_map`.

    Returns
    -------
    ndarray of shape (height, width, 3), uint8
    """
    grey = pixels.astype(np.float64)
    if grey.ndim == 3:
        grey = grey.mean(axis=2)
    size = np.abs(evidence)
    full = float(np.quantile(size, _FULL)) or float(size.max()) or 1.0
    share = _MOST_COLOUR * np.minimum(size / full, 1.0)[:, :, None]
    colour = np.where(evidence[:, :, None] >= 0, np.array(_FOR), np.array(_AGAINST))
    mixed = (1.0 - share) * grey[:, :, None] + share * colour
    return np.rint(np.clip(mixed, 0, 255)).astype(np.uint8)


def write_png(path: str | os.PathLike[str], pixels: npt.NDArray[np.uint8]) -> None:
    """Write a picture that appears once it is complete.

    Parameters
    ----------
    path : str or path-like
    pixels : ndarray of shape (height, width, 3), uint8
    """
    with atomic_write(path, "wb") as file:
        Image.fromarray(pixels).save(file, format="PNG")
