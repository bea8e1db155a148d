"""JPEG: its segments, from the first to the end of the image."""

import re

from sfmvision.images.containers.header import Cut, Header, Unusable, numbers, take
from sfmvision.images.containers.tiff import exif_orientation

END = b"\xff\xd9"
"""The mark of the end; without it OpenCV may read nothing at all."""

# The next marker that isn't part of coded pixels: 00 escapes a byte, D0 to D7 restart the coder.
_MARKER = re.compile(rb"\xff([\x01-\xcf\xd8-\xfe])")
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_WITHOUT_LENGTH = (0x01, 0xD8)


def parse(data: bytes, header: Header) -> None:
    """Walk the segments of a JPEG file.

    The end of a thumbnail inside a segment isn't taken for the end of the image, as segments are
    stepped over by their length. What follows the end doesn't matter.

    Parameters
    ----------
    data : bytes
    header : Header
        Is told the size and the orientation.

    Raises
    ------
    Cut
        If the mark of the end is missing.
    Unusable
        If it isn't valid, or its colours can't be known.
    """
    at, scans, components, by_adobe, has_exif = 2, 0, 0, False, False
    while found := _MARKER.search(data, at):
        marker, at = found[1][0], found.end()
        if marker in _WITHOUT_LENGTH:
            continue
        if marker == END[1]:
            if not scans or not header.height:
                raise Unusable("damaged JPEG: no pixels before its end")
            return
        (length,) = numbers(">H", data, at)
        if length < 2:
            raise Unusable("damaged JPEG: a segment of no length")
        segment = take(data, at + 2, length - 2)
        at += length
        if marker in _FRAMES and not components:
            header.height, header.width, components = numbers(">xHHB", segment, 0)
        elif marker == 0xDA:
            scans += 1
            # Adobe stores inks inverted and marks its files; OpenCV takes every file for Adobe's.
            if components == 4 and not by_adobe:
                raise Unusable("CMYK JPEG without Adobe's mark, so that its colours are unknown")
        elif marker == 0xEE and segment.startswith(b"Adobe"):
            by_adobe = True
        elif marker == 0xE1 and segment.startswith(b"Exif\0\0") and not has_exif:
            header.orientation, has_exif = exif_orientation(segment[6:]), True
    raise Cut
