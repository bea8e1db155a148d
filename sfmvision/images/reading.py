"""Reading an image from a file or from bytes, whole and upright, or saying why not."""

import os

import cv2
import numpy as np
import numpy.typing as npt

from sfmvision.images.containers.header import Header, Unusable
from sfmvision.images.errors import ImageError
from sfmvision.images.formats import HEAD, examine, for_opencv, kind_of
from sfmvision.images.pixels import to_rgb
from sfmvision.images.quiet import quiet_opencv

MAX_PIXELS = 100_000_000
"""How many pixels an image may have unless another number is given."""


def read_image(
    source: str | os.PathLike[str] | bytes,
    *,
    allow_truncated: bool = False,
    max_pixels: int = MAX_PIXELS,
) -> npt.NDArray[np.uint8]:
    """Read an image as RGB in 8 bits, always by the same rules.

    OpenCV decodes JPEG, PNG, GIF, WebP, TIFF, BMP, AVIF, JPEG 2000, PBM, PGM, PPM, PFM, Radiance
    and Sun raster files, as their content says, whatever their name. Then:

    * It is turned upright as its EXIF or its container asks.
    * 16 bits are scaled by the range of the type (65535 becomes 255), and 10 or 12 bits by
      theirs. Floats must be from 0 to 1. Signed or 32-bit whole numbers are refused.
    * Grey becomes three equal channels. Palettes are expanded. CMYK becomes RGB, also if Adobe
      stored it inverted; a CMYK JPEG without Adobe's mark is refused.
    * What is transparent lies on white; an opaque pixel stays as it is.
    * Of an animation, or a TIFF file of several pages, the first picture is taken.
    * Colour profiles and gamma are not applied.

    Parameters
    ----------
    source : str, path-like or bytes
        A file, or the content of one.
    allow_truncated : bool, default=False
        Whether to read a file that ends too early. A JPEG is then read as far as it goes, and the
        rest is grey. Files of other kinds can be read only if no pixels are missing.
    max_pixels : int, default=100_000_000
        An image with more pixels is refused, before it is decoded.

    Returns
    -------
    ndarray of shape (height, width, 3) of uint8
        Red, green, blue.

    Raises
    ------
    ImageError
        If it can't be read, isn't an image, is damaged, truncated or too large.

    Notes
    -----
    OpenCV's log is silenced while it decodes. libjpeg, which is inside OpenCV, still prints a
    line to standard error about a JPEG that is cut or damaged inside, and decodes it.

    Examples
    --------
    >>> read_image(b"P3 2 1 255  255 0 0  0 0 255 ").tolist()
    [[[255, 0, 0], [0, 0, 255]]]
    >>> read_image(b"a text")
    Traceback (most recent call last):
        ...
    sfmvision.images.errors.ImageError: <bytes>: not an image
    """
    name = "<bytes>" if isinstance(source, bytes) else os.fspath(source)
    data = source if isinstance(source, bytes) else read_content(name)
    try:
        return _read(data, allow_truncated, max_pixels)
    except Unusable as reason:
        raise ImageError(name, str(reason)) from None


def read_content(path: str | os.PathLike[str]) -> bytes:
    """Bytes of a file that begins as an image does.

    Parameters
    ----------
    path : str or path-like

    Raises
    ------
    ImageError
        If it can't be read or begins otherwise.
    """
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            head = file.read(HEAD)
            kind_of(head)  # so that a large file of another kind isn't read
            return head + file.read()
    except Unusable as reason:
        raise ImageError(name, str(reason)) from None
    except IsADirectoryError:
        raise ImageError(name, "a folder without an image that can be read") from None
    except OSError as error:
        raise ImageError(name, f"can't be read: {error.strerror or error}") from None
    except ValueError as error:  # a null character in the path
        raise ImageError(name, f"can't be read: {error}") from None


def _read(data: bytes, allow_truncated: bool, max_pixels: int) -> npt.NDArray[np.uint8]:
    header = examine(data)
    if header.unusable:
        raise Unusable(header.unusable)
    truncated = f"truncated {header.kind}"
    if header.truncated and not allow_truncated:
        raise Unusable(truncated)
    _check_size(header.width, header.height, max_pixels)
    decoded = _decoded(for_opencv(data, header), header)
    if decoded is None or not decoded.size:
        raise Unusable(truncated if header.truncated else f"damaged or unsupported {header.kind}")
    _check_size(decoded.shape[1], decoded.shape[0], max_pixels)
    return to_rgb(decoded, header)


def _check_size(width: int, height: int, max_pixels: int) -> None:
    if width * height > max_pixels:
        raise Unusable(f"image of {width} x {height} pixels is above max_pixels ({max_pixels})")


def _decoded(data: bytes, header: Header) -> npt.NDArray[np.generic] | None:
    # Unchanged, OpenCV keeps 16 bits and alpha, and applies an orientation only in TIFF.
    flags = cv2.IMREAD_COLOR if header.only_colour else cv2.IMREAD_UNCHANGED
    with quiet_opencv():
        try:
            return cv2.imdecode(np.frombuffer(data, np.uint8), flags)
        except (cv2.error, MemoryError):
            return None
