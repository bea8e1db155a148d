"""Opening an image by Pillow, as the kind that it is.

Pillow's plugins are called by name, not through `PIL.Image.open`: that tries others too, and its
limit of pixels belongs to the process.
"""

import logging
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO

from PIL import Image
from PIL.AvifImagePlugin import AvifImageFile
from PIL.BmpImagePlugin import BmpImageFile
from PIL.GifImagePlugin import GifImageFile
from PIL.ImageFile import ImageFile
from PIL.Jpeg2KImagePlugin import Jpeg2KImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.PpmImagePlugin import PpmImageFile
from PIL.SunImagePlugin import SunImageFile
from PIL.WebPImagePlugin import WebPImageFile

from sfmvision.images.errors import Unsupported, Unusable
from sfmvision.images.jpeg import open_jpeg
from sfmvision.images.picture import Picture, decode_as, lower_bytes
from sfmvision.images.structure import (
    Cut,
    check_bmp,
    check_gif_end,
    check_png_rows,
    check_sun,
    check_webp_size,
    exif_orientation,
    jpeg_2000_depth,
    png_pixels,
)
from sfmvision.images.tiff import open_tiff

_FROM_PILLOW = re.compile(r"PIL\.")
# With no handler at all, Python prints errors that are logged.
logging.getLogger("PIL").addHandler(logging.NullHandler())


def open_picture(kind: str, data: bytes, allow_truncated: bool) -> Picture:
    """Open an image; its pixels aren't decoded yet.

    Parameters
    ----------
    kind : str
        See `sfmvision.images.kinds.kind_of`.
    data : bytes
    allow_truncated : bool

    Raises
    ------
    Unusable
        If it is damaged, truncated, or can't be read right.
    """
    # One filter for the process, since to change filters for a while isn't safe among threads. It
    # is put in front again when others have come before it.
    if not warnings.filters or warnings.filters[0][3] != _FROM_PILLOW:
        warnings.filterwarnings("ignore", module=_FROM_PILLOW.pattern)
    with told(kind):
        return _OPENERS[kind](data, allow_truncated)


@contextmanager
def told(kind: str) -> Iterator[None]:
    """Bring what is raised on a bad file to a few words.

    Parameters
    ----------
    kind : str

    Raises
    ------
    Unusable
    """
    try:
        yield
    except Unusable:
        raise
    except Cut:
        raise Unusable(f"truncated {kind}") from None
    except MemoryError:
        raise Unusable("not enough memory for its pixels") from None
    except Image.DecompressionBombError:
        raise Unusable("more pixels than PIL.Image.MAX_IMAGE_PIXELS allows twice") from None
    except Exception as error:
        # On damaged files Pillow raises whatever Python does: all that comes is about the file.
        cut = re.search("truncated|not enough image data", str(error).lower())
        raise Unusable(f"{'truncated' if cut else 'damaged or unsupported'} {kind}") from None


def _png(data: bytes, allow_truncated: bool) -> Picture:
    pixels, exif = png_pixels(data, allow_truncated)
    image = PngImageFile(BytesIO(pixels))
    depth, colour, _, _, interlace = pixels[24:29]

    def check() -> None:
        # Only then, since it unpacks all of it once more.
        last = image.crop((0, image.height - 1, image.width, image.height))
        if interlace or last.getbbox() is None:
            check_png_rows(pixels)

    picture = Picture(image, orientation=exif_orientation(exif), check=check)
    key = image.info.get("transparency")
    if colour in (0, 2) and key is not None:
        # Pillow spreads fewer than 8 bits over 0 to 255, but not this.
        largest = (1 << depth) - 1
        scale = 255 // largest if depth < 8 else 1
        picture.key = tuple((value & largest) * scale for value in (key if colour else (key,)))
    if depth == 16:
        picture.white = 2**16 - 1
        if colour == 4:  # four bytes a pixel, as RGBA of 8 bits; Pillow keeps the higher only
            decode_as(image, lambda mode: "RGBA")
            picture.packed = True
        elif colour in (2, 6):
            picture.lower = lower_bytes(PngImageFile(BytesIO(pixels)))
    return picture


def _gif(data: bytes, allow_truncated: bool) -> Picture:
    if not allow_truncated:
        check_gif_end(data)
    image = GifImageFile(BytesIO(data))
    picture = Picture(image, covered=image.tile[0].extents)
    if image.mode == "L" and "transparency" in image.info:
        picture.key = (image.info["transparency"],)
    return picture


def _webp(data: bytes, allow_truncated: bool) -> Picture:
    check_webp_size(data)
    return _with_exif(WebPImageFile(BytesIO(data)))


def _bmp(data: bytes, allow_truncated: bool) -> Picture:
    bits, colours = check_bmp(data)
    image = BmpImageFile(BytesIO(data))
    # Pillow takes a palette of greys for none, whatever the number of bits.
    if image.mode == ("L" if bits < 8 else "1"):
        raise Unsupported(f"BMP of {bits} bits with {colours} greys")
    return Picture(image)


def _pnm(data: bytes, allow_truncated: bool) -> Picture:
    image = PpmImageFile(BytesIO(data))
    picture = Picture(image)
    (tile,) = image.tile
    if image.mode == "I":
        picture.white = 2**16 - 1
    if tile.codec_name == "ppm":
        # Pillow scales such in Python, a second for a million pixels.
        assert isinstance(tile.args, tuple)
        picture.white = int(tile.args[1])
        wide = picture.white > 255
        rawmode = {"I": "I;16B", "RGB": "RGB;16B" if wide else "RGB"}.get(image.mode, image.mode)
        image.tile = [type(tile)("raw", tile.extents, tile.offset, (rawmode, 0, 1))]
        if rawmode == "RGB;16B":
            picture.lower = PpmImageFile(BytesIO(data))
            picture.lower.tile = image.tile
            lower_bytes(picture.lower)
    return picture


def _jpeg_2000(data: bytes, allow_truncated: bool) -> Picture:
    picture = Picture(Jpeg2KImageFile(BytesIO(data)))
    if picture.image.mode == "I;16":  # shifted up to 16 bits
        depth = jpeg_2000_depth(data)
        picture.white = (1 << 16) - (1 << max(16 - depth, 0))
    return picture


def _sun(data: bytes, allow_truncated: bool) -> Picture:
    check_sun(data)
    return Picture(SunImageFile(BytesIO(data)))


def _with_exif(image: ImageFile) -> Picture:
    return Picture(image, orientation=exif_orientation(image.info.get("exif", b"")))


_OPENERS: dict[str, Callable[[bytes, bool], Picture]] = {
    "JPEG": open_jpeg,
    "PNG": _png,
    "GIF": _gif,
    "WebP": _webp,
    "TIFF": lambda data, allow_truncated: open_tiff(data),
    "BMP": _bmp,
    "AVIF": lambda data, allow_truncated: _with_exif(AvifImageFile(BytesIO(data))),
    "PNM": _pnm,
    "PFM": lambda data, allow_truncated: Picture(PpmImageFile(BytesIO(data))),
    "JPEG 2000": _jpeg_2000,
    "Sun raster": _sun,
}
