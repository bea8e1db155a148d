"""GIF, WebP, BMP, the portable maps, JPEG 2000, Radiance and Sun raster files."""

import re

from sfmvision.images.containers.header import Cut, Header, Unusable, numbers, take
from sfmvision.images.containers.tiff import exif_orientation

GIF_END = b";"

_PNM = re.compile(rb"P([1-6])" + 2 * rb"(?:\s|#[^\n]*\n)+(\d{1,9})" + rb"(?=[\s#])")
_PNM_WHITE = re.compile(rb"(?:\s|#[^\n]*\n)+(\d{1,5})\s")
_PFM = re.compile(rb"P([Ff])\s+(\d{1,9})\s+(\d{1,9})\s+([-+.\deE]{1,30})\s")
_RADIANCE = re.compile(rb"\n[-+][XY] (\d{1,9}) [-+][XY] (\d{1,9})\n")
_CODESTREAM = b"\xff\x4f\xff\x51"


def parse_gif(data: bytes, header: Header) -> None:
    """Walk the blocks of a GIF file to its trailer, or raise Cut."""
    header.width, header.height, flags = numbers("<HHB", data, 6)
    at = 13 + _table_size(flags)
    while (introducer := take(data, at, 1)) != GIF_END:
        if introducer == b",":
            (flags,) = numbers("<9xB", data, at)
            at += 11 + _table_size(flags)  # one byte more tells the size of the codes
        elif introducer == b"!":
            at += 2
        else:
            raise Unusable("damaged GIF: an unknown block")
        while size := take(data, at, 1)[0]:
            at += 1 + size
        at += 1


def _table_size(flags: int) -> int:
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def parse_webp(data: bytes, header: Header) -> None:
    """Walk the chunks of a WebP file, or raise Cut if it is shorter than it says."""
    end = 8 + numbers("<I", data, 4)[0]
    if end > len(data):
        raise Cut
    at = 12
    while at + 8 <= end:
        name, (size,) = data[at : at + 4], numbers("<I", data, at + 4)
        body = take(data, at + 8, size)
        if name == b"VP8X":
            wide, low, high, low_2 = numbers("<4xHBHB", body, 0)
            header.width, header.height = 1 + (wide | low << 16), 1 + (high | low_2 << 16)
        elif name == b"VP8 " and not header.width:
            header.width, header.height = (side & 0x3FFF for side in numbers("<6xHH", body, 0))
        elif name == b"VP8L" and not header.width:
            (sides,) = numbers("<xI", body, 0)
            header.width, header.height = 1 + (sides & 0x3FFF), 1 + (sides >> 14 & 0x3FFF)
        elif name == b"EXIF":
            header.orientation = exif_orientation(body.removeprefix(b"Exif\0\0"))
        at += 8 + size + size % 2


def parse_bmp(data: bytes, header: Header) -> None:
    """Read the header of a BMP file, or raise Cut if its rows aren't all there."""
    start, size = numbers("<10xII", data, 0)
    if size == 12:
        header.width, header.height, bits = numbers("<HHxxH", data, 18)
        compression, stored = 0, 0
    elif size in (40, 52, 56, 64, 108, 124):
        width, height, bits, compression, stored = numbers("<iixxHII", data, 18)
        header.width, header.height = abs(width), abs(height)
    else:
        raise Unusable("not an image")
    if compression in (0, 3):  # rows as they are, in units of four bytes
        stored = (header.width * bits + 31) // 32 * 4 * header.height
    if start + stored > len(data):
        raise Cut


def parse_pnm(data: bytes, header: Header) -> None:
    """Read the header of a portable bit, grey or pixel map, or raise Cut if it is too short."""
    found = _PNM.match(data)
    if not found:
        raise Unusable("not an image")
    kind, header.width, header.height = (int(group) for group in found.groups())
    at, white = found.end() + 1, 1
    if kind in (2, 3, 5, 6):
        tone = _PNM_WHITE.match(data, found.end())
        if not tone:
            raise Cut
        at, white = tone.end(), int(tone[1])
        # OpenCV spreads the values of text up to 255 itself, and no others.
        header.white = white if kind in (5, 6) or white > 255 else 0
    channels, width = 3 if kind in (3, 6) else 1, 2 if white > 255 else 1
    row = (header.width + 7) // 8 if kind == 4 else header.width * channels * width
    if kind > 3 and at + row * header.height > len(data):
        raise Cut


def parse_pfm(data: bytes, header: Header) -> None:
    """Read the header of a portable float map, or raise Cut if it is too short."""
    found = _PFM.match(data)
    if not found:
        raise Unusable("not an image")
    header.width, header.height = int(found[2]), int(found[3])
    channels = 3 if found[1] == b"F" else 1
    if found.end() + 4 * channels * header.width * header.height > len(data):
        raise Cut


def parse_jpeg_2000(data: bytes, header: Header) -> None:
    """Read the size and the depth in the code stream of a JPEG 2000 file."""
    at = data.find(_CODESTREAM)
    if at < 0:
        raise Cut
    right, bottom, left, top = numbers(">4I", data, at + 8)
    header.width, header.height = right - left, bottom - top
    (depth,) = numbers(">B", data, at + 42)
    header.white = 2 ** ((depth & 0x7F) + 1) - 1


def parse_radiance(data: bytes, header: Header) -> None:
    """Read the size of a Radiance file."""
    found = _RADIANCE.search(data)
    if not found:
        raise Cut
    header.height, header.width = int(found[1]), int(found[2])


def parse_sun(data: bytes, header: Header) -> None:
    """Read the header of a Sun raster file, or raise Cut if it is shorter than it says."""
    header.width, header.height, _, size, _, _, colours = numbers(">7I", data, 4)
    if 32 + size + colours > len(data):
        raise Cut
