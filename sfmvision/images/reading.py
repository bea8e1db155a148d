"""Reading an image from a file or from bytes, whole and upright, or saying why not."""

import os
import stat

import numpy as np
import numpy.typing as npt

from sfmvision.images.errors import ImageError, Unusable
from sfmvision.images.kinds import HEAD, kind_of
from sfmvision.images.opening import open_picture, told
from sfmvision.images.pixels import to_rgb

MAX_PIXELS = 100_000_000
"""Largest number of pixels of an image by default."""


def read_image(
    source: str | os.PathLike[str] | bytes,
    *,
    allow_truncated: bool = False,
    max_pixels: int = MAX_PIXELS,
) -> npt.NDArray[np.uint8]:
    """Read an image as RGB in 8 bits, always by the same rules.

    Pillow decodes JPEG, PNG, GIF, WebP, TIFF, BMP, AVIF, JPEG 2000, PBM, PGM, PPM, grey PFM and
    Sun raster files, as their content says, whatever their name. Then:

    * It is turned upright as its EXIF or its container asks.
    * 16 bits are scaled by the range of the type (65535 becomes 255), and 10 or 12 bits by
      theirs. Floats must be from 0 to 1. Signed or 32-bit whole numbers are refused.
    * Grey becomes three equal channels. Palettes are expanded. CMYK becomes RGB, also if Adobe
      stored it inverted; a CMYK JPEG without Adobe's mark is refused.
    * What is transparent lies on white; an opaque pixel stays as it is.
    * Of an animation, or a TIFF file of several pages, the first picture is taken. What it leaves
      of the screen is white.
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
    Nothing is printed, and Pillow's warnings are ignored from the first call on.
    `PIL.ImageFile.LOAD_TRUNCATED_IMAGES` must be left as it is, False.

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
        with open(name, "rb", opener=_open_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Unusable("a device or a pipe, not an image file")
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


def _open_at_once(path: str, flags: int) -> int:
    """Open a file, and don't wait for the other end if it is a named pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _read(data: bytes, allow_truncated: bool, max_pixels: int) -> npt.NDArray[np.uint8]:
    kind = kind_of(data[:HEAD])
    picture = open_picture(kind, data, allow_truncated)
    width, height = picture.image.size
    if width * height > max_pixels:
        raise Unusable(f"image of {width} x {height} pixels is above max_pixels ({max_pixels})")
    with told(kind):
        picture.load()
        return to_rgb(picture)
