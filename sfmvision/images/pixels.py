"""From the pixels that OpenCV gives to RGB in 8 bits."""

import cv2
import numpy as np
import numpy.typing as npt

from sfmvision.images.containers.header import Header, Unusable

Pixels = npt.NDArray[np.uint8]

ROUNDING = 1e-6
"""How far floats may lie beyond 0 and 1: interpolation leaves such."""


def to_rgb(decoded: npt.NDArray[np.generic], header: Header) -> Pixels:
    """Bring decoded pixels of any type to RGB.

    Parameters
    ----------
    decoded : ndarray of shape (height, width) or (height, width, 3 or 4)
        Grey, or blue, green, red and perhaps alpha, as OpenCV gives them.
    header : Header
        How to understand them.

    Returns
    -------
    ndarray of shape (h, w, 3) of uint8
        Upright, on white where the image is transparent.

    Raises
    ------
    Unusable
        If their type or number can't be understood.
    """
    channels = decoded.shape[2] if decoded.ndim == 3 else 1
    if channels not in (1, 3, 4):
        raise Unusable(f"image of {channels} channels")
    values = _to_8_bits(decoded, header.white)
    conversion = cv2.COLOR_GRAY2RGB if channels == 1 else cv2.COLOR_BGR2RGB
    rgb = np.asarray(
        cv2.cvtColor(values[..., :3] if channels > 1 else values, conversion), np.uint8
    )
    if channels == 4:
        rgb = _on_white(rgb, values[..., 3], header.premultiplied)
    elif channels == 1 and header.transparent >= 0:
        rgb[decoded.reshape(rgb.shape[:2]) == header.transparent] = 255
    return np.ascontiguousarray(upright(rgb, header.orientation))


def _to_8_bits(values: npt.NDArray[np.generic], white: int) -> Pixels:
    if values.dtype.kind == "f":
        return _from_floats(values)
    if values.dtype not in (np.uint8, np.uint16):
        raise Unusable(f"pixels of type {values.dtype}, whose white is unknown")
    largest = 2 ** (8 * values.itemsize) - 1
    white = white or largest
    if white == 255 == largest:
        return values.astype(np.uint8, copy=False)
    table = (np.arange(largest + 1) * 255 + white // 2) // white
    eight: Pixels = np.minimum(table, 255).astype(np.uint8)[values]
    return eight


def _from_floats(values: npt.NDArray[np.generic]) -> Pixels:
    with np.errstate(invalid="ignore"):  # some NaN warn
        numbers = values.astype(np.float64)
    low, high = numbers.min(), numbers.max()
    if not np.isfinite(high - low):
        raise Unusable("values that are infinite or not a number")
    if low < -ROUNDING or high > 1 + ROUNDING:
        raise Unusable(f"values from {low:.8g} to {high:.8g}, expected from 0 to 1")
    return np.rint(numbers * 255).astype(np.uint8)


def _on_white(rgb: Pixels, alpha: Pixels, premultiplied: bool) -> Pixels:
    if alpha.min() == 255:
        return rgb
    wide = rgb.astype(np.uint16)
    opacity = alpha.astype(np.uint16)[..., None]
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
