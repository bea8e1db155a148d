"""JPEG, and whether the data of its pixels was overwritten."""

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any

from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from sfmvision.images.errors import Unusable
from sfmvision.images.picture import Picture
from sfmvision.images.structure import Cut, check_scans, exif_orientation

_END, _SCAN = b"\xff\xd9", b"\xff\xda"
# The next marker that isn't part of coded pixels: 00 escapes a byte, D0 to D7 restart the coder.
_MARKER = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")
_MCU = 16  # rows and columns that are coded together, at most
_SPARE = 64  # bytes that the decoder may have read ahead, or a camera filled up with


class _JPEG(JpegImageFile):
    """A JPEG that is refused if its coded pixels are too few or too many.

    libjpeg paints something in any case, and Pillow passes none of its warnings on. So Pillow is
    given the data in three parts. After the first, which lacks 2 %, there must be rows to come;
    after the second, which lacks the end only, no more than the last.
    """

    _parts: tuple[int, ...] = ()
    _row = 0
    _left_over = False

    def getexif(self) -> Image.Exif:
        """Nothing: Pillow would look for a resolution, and warn."""
        return Image.Exif()

    def watch(self, start: int, end: int) -> None:
        """Say where the coded pixels are, which must be one scan of all components."""
        self._parts = (max(start, end - max(_SPARE, (end - start) // 50)), end)
        # What the decoder reads ahead may be several rows of a narrow image.
        late = _MCU * (1 + -(-16 * _MCU // self.width)) + 1
        self._row = max(0, self.height - 1 - late)

    def load_prepare(self) -> None:
        """Make room for the pixels, with a row that no image has."""
        super().load_prepare()
        for x, colour in self._marks():
            self.im.paste(colour, (x, self._row, x + 1, self._row + 1))

    def load_read(self, read_bytes: int) -> bytes:
        """Give Pillow the next bytes, at most to the end of a part."""
        assert self.fp is not None
        at = self.fp.tell()
        if self._row and at == self._parts[1]:
            marks = list(self._marks())
            if all(self.im.getpixel((x, self._row)) == colour for x, colour in marks):
                raise Unusable("damaged JPEG: its data ends before its pixels")
        return self.fp.read(min([read_bytes, *(end - at for end in self._parts if end > at)]))

    def load_end(self) -> None:
        """See how much was read; Pillow raises errors of the decoder after this."""
        assert self.fp is not None
        self._left_over = bool(self._parts) and self.fp.tell() <= self._parts[0]

    def load(self) -> Any:
        """Refuse what was decoded from less than there is."""
        pixels = super().load()
        if self._left_over:
            raise Unusable("damaged JPEG: its pixels end before its data")
        return pixels

    def _marks(self) -> Iterator[tuple[int, int | tuple[int, ...]]]:
        """Columns with a colour for each."""
        for x in range(0, self.width if self._row else 0, -(-self.width // 16)):
            value = (x * 37 + 11) % 256
            yield x, value if self.mode == "L" else (value, 255 - value, 9, 90)[: self.layers]


def open_jpeg(data: bytes, allow_truncated: bool) -> Picture:
    """Open a JPEG.

    Parameters
    ----------
    data : bytes
    allow_truncated : bool
        Whether to read it as far as it goes.

    Raises
    ------
    Cut
        If its end is missing.
    Unusable
        If its colours can't be known, or its pixels were overwritten.
    """
    stream = BytesIO(data)
    try:
        image = _JPEG(stream)
    except Exception:
        if stream.tell() >= len(data):
            raise Cut from None
        raise
    start = stream.tell()  # of the coded pixels, after the header of the first scan
    marker = _MARKER.search(data, start)
    single = marker is not None and marker[0] == _END
    end = marker.start() if marker is not None and single else data.find(_END, start)
    if end < 0:
        if not allow_truncated:
            raise Cut
        image = _JPEG(BytesIO(data + _END))
    elif not allow_truncated:
        _check_coded(image, data, start, end, single)
    # Adobe stores inks inverted and marks its files; Pillow takes every file for Adobe's.
    if image.mode == "CMYK" and "adobe" not in image.info:
        raise Unusable("CMYK JPEG without Adobe's mark, so that its colours are unknown")
    return Picture(image, orientation=exif_orientation(image.info.get("exif", b"")))


def _check_coded(image: _JPEG, data: bytes, start: int, end: int, single: bool) -> None:
    if image.info.get("progressive"):
        check_scans(data[data.rfind(_SCAN, 0, start) : end], image.layers)
        return
    if not single:
        return  # several scans, which are decoded together
    piece = (end - start) // 8
    for at in range(start, end - piece + 1, max(piece, 1)):
        part = data[at : at + piece]
        # A flat image may give zeros, with codes of one bit; no other byte is repeated so long.
        if piece >= 2 * _SPARE and part[0] and part == part[:1] * piece:
            raise Unusable("damaged JPEG: a large part of its data is one repeated byte")
    image.watch(start, end)
