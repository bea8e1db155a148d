"""TIFF: those of its many kinds that Pillow reads right."""

import ctypes
from contextlib import suppress
from io import BytesIO

from PIL import Image
from PIL.TiffImagePlugin import TiffImageFile

from sfmvision.images.errors import Unsupported, Unusable
from sfmvision.images.picture import Picture, decode_as, lower_bytes
from sfmvision.images.structure import Cut, tiff_tags

_WIDTH, _HEIGHT, _BITS, _COMPRESSION, _PHOTOMETRIC = 256, 257, 258, 259, 262
_ORIENTATION, _SAMPLES, _PLANAR, _COLOURS, _INKS = 274, 277, 284, 320, 332
_EXTRA, _FORMAT = 338, 339
_PLACES = ((273, 279), (324, 325))  # offsets and sizes of strips, of tiles
_READ = {
    *(_WIDTH, _HEIGHT, _BITS, _COMPRESSION, _PHOTOMETRIC, _ORIENTATION, _SAMPLES, _PLANAR),
    *(_COLOURS, _INKS, _EXTRA, _FORMAT, *(tag for pair in _PLACES for tag in pair)),
}

# What the numbers of the tags mean.
_RGB, _CMYK, _YCBCR = 2, 5, 6
_NAMES = {4: "a mask", 6: "YCbCr", 8: "CIELab", 9: "ICCLab", 10: "ITULab"}
_OLD_JPEG, _JPEG = 6, 7
_SEPARATE = 2
_UNSIGNED, _FLOATS = 1, 3
_PREMULTIPLIED, _STRAIGHT = 1, 2

# libtiff, which Pillow has for compressed files, prints errors of its own besides. Pillow passes no
# way to stop it, but its extension leads to the function.
with suppress(OSError, AttributeError):
    ctypes.CDLL(Image.core.__file__).TIFFSetErrorHandler(None)


class _TIFF(TiffImageFile):
    """A TIFF that is left as it is stored.

    Pillow would turn it in a second copy, and as XMP says too, and read directories of EXIF that
    may take any memory.
    """

    def load_end(self) -> None:
        """Take the size before any rotation."""
        self._size = self.im.size


def open_tiff(data: bytes) -> Picture:
    """Open a TIFF.

    Parameters
    ----------
    data : bytes

    Raises
    ------
    Cut
        If its directory or some of its pixels lie beyond its end.
    Unusable
        If it is damaged, or one that Pillow would read wrongly.
    """
    if data.startswith(b"MM\0+"):
        raise Unsupported("TIFF of 64 bits in the byte order MM")
    tags = tiff_tags(data, _READ)
    if tags.get(_PHOTOMETRIC) == (0,) and tags.get(_BITS) == (16,) and data.startswith(b"MM"):
        raise Unsupported("TIFF of 16 bits whose 0 is white in the byte order MM")
    if what := _not_right(tags):
        raise Unsupported(f"TIFF {what}")
    for offsets, sizes in _PLACES:
        places = zip(tags.get(offsets, ()), tags.get(sizes, ()), strict=False)
        if any(offset + size > len(data) for offset, size in places):
            raise Cut
    image = _opened(data, tags)
    _check_tiles(image, tags)
    orientation, extra = tags.get(_ORIENTATION, (1,))[0], tags.get(_EXTRA, (0,))[0]
    picture = Picture(
        image,
        opaque=extra not in (_PREMULTIPLIED, _STRAIGHT),
        premultiplied=extra == _PREMULTIPLIED,
        orientation=orientation if 1 <= orientation <= 8 else 1,
    )
    bits = tags.get(_BITS, (1,))[0]
    if image.mode.startswith("I;16"):
        picture.white, picture.inverted = 2**bits - 1, tags[_PHOTOMETRIC][0] == 0
    elif bits == 16:
        picture.white, picture.lower = 2**16 - 1, lower_bytes(_opened(data, tags))
    return picture


def _not_right(tags: dict[int, tuple[int, ...]]) -> str:
    """Say what Pillow would read wrongly, or refuse without a name; empty for the rest."""

    def first(tag: int, default: int = 1) -> int:
        return tags.get(tag, (default,))[0]

    bits, colours, compression = first(_BITS), first(_PHOTOMETRIC, -1), first(_COMPRESSION)
    separate = first(_PLANAR) == _SEPARATE and first(_SAMPLES) > 1
    if colours < 0:
        return "that doesn't say what its colours mean"
    if colours in _NAMES and (colours, compression) != (_YCBCR, _JPEG):
        return f"in {_NAMES[colours]}"
    if compression == _OLD_JPEG:
        return "with old-style JPEG"
    if first(_FORMAT) not in (_UNSIGNED, _FLOATS) or (first(_FORMAT) == _UNSIGNED and bits > 16):
        return f"of whole numbers of {bits} bits, whose white is unknown"
    if first(_FORMAT) == _FLOATS and (colours != 1 or bits != 32 or first(_SAMPLES) != 1):
        return "of floats, other than grey of 32 bits whose 0 is black"
    if colours == _CMYK and (bits != 8 or first(_INKS) != 1):
        return "of inks, other than CMYK of 8 bits"
    if (
        colours in (0, 1)
        and first(_SAMPLES) > 1
        and (bits, colours, first(_EXTRA, 0)) != (8, 1, _STRAIGHT)
    ):
        return "of grey and alpha, other than 8 bits whose 0 is black, not multiplied"
    if separate and (colours not in (_RGB, _CMYK) or first(_EXTRA, _STRAIGHT) == 0):
        return "of separate planes with further samples"
    if separate and bits != 8 and compression != 1:
        return f"of separate planes of {bits} bits, compressed"
    if _COLOURS in tags and max(tags[_COLOURS]) < 256:
        return "whose palette has 8 bits instead of 16"
    return ""


def _opened(data: bytes, tags: dict[int, tuple[int, ...]]) -> _TIFF:
    """Open it, with the raw modes that keep the pixels as they are stored."""
    image = _TIFF(BytesIO(data))
    depth = "" if tags.get(_BITS, (1,))[0] == 8 else ";16L" if data[:2] == b"II" else ";16B"
    if tags.get(_PLANAR, (1,))[0] == _SEPARATE and image.tile[0].codec_name == "raw":
        # Pillow forgets that a plane may have 16 bits, and that it may be multiplied by another.
        decode_as(image, lambda mode: mode.upper() + depth)
    elif image.mode == "RGBA":
        decode_as(image, lambda mode: mode.replace("a", "A"))
    return image


def _check_tiles(image: _TIFF, tags: dict[int, tuple[int, ...]]) -> None:
    """Refuse strips that don't fill the image; Pillow leaves black where there are none."""
    boxes = {(tile.extents, tile.args) for tile in image.tile}
    area = 0
    for box, _ in boxes:
        assert box is not None
        area += (box[2] - box[0]) * (box[3] - box[1])
    separate = tags.get(_PLANAR, (1,))[0] == _SEPARATE and image.tile[0].codec_name == "raw"
    planes = len(image.getbands()) if separate else 1
    if area < tags[_WIDTH][0] * tags[_HEIGHT][0] * planes:
        raise Unusable("damaged TIFF: strips are missing")
