"""Checks of a file's structure that Pillow doesn't make, or would make at too high a price."""

import re
import struct
import zlib
from collections.abc import Container, Iterator

from sfmvision.images.errors import Unsupported, Unusable

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_END = b"\0\0\0\0IEND\xaeB`\x82"
_PIXELS = (b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND")

_ORIENTATION = 274
# Bytes of a value by its type in TIFF.
_SIZES = {
    1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4,
    16: 8, 17: 8, 18: 8,
}  # fmt: skip
_AS_BYTES, _FRACTIONS = (1, 2, 7), (5, 10)
_WHOLE = {1: "B", 3: "H", 4: "I", 13: "I", 16: "Q", 18: "Q"}
# A palette of 16 bits has 196,608 values. A value becomes an object of Python, a fraction several.
_MOST_VALUES, _MOST_FRACTIONS = 2**18, 16

# Of red, green, blue and alpha in BMP, by the bits of a pixel: those that Pillow reads right.
_USUAL = (0xFF0000, 0xFF00, 0xFF, 0)
_MASKS: dict[int, tuple[tuple[int, ...], ...]] = {
    16: ((0xF800, 0x7E0, 0x1F, 0), (0x7C00, 0x3E0, 0x1F, 0)),
    24: (_USUAL,),
    32: (
        _USUAL,
        (0xFF0000, 0xFF00, 0xFF, 0xFF000000),
        (0xFF, 0xFF00, 0xFF0000, 0xFF000000),
        (0xFF000000, 0xFF0000, 0xFF00, 0),
        (0xFF000000, 0xFF0000, 0xFF00, 0xFF),
    ),
}
# Of PNG: first row, first column, and the steps of each pass.
_PASSES = {
    0: ((0, 0, 1, 1),),
    1: (
        *((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4)),
        *((2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)),
    ),
}
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}

_SCAN = re.compile(rb"\xff\xda\x00.([\x01-\x04])", re.DOTALL)


class Cut(Exception):  # noqa: N818 - an answer within this package, which no user sees
    """The data ends before what its container announces."""


def _take(data: bytes, at: int, size: int) -> bytes:
    piece = data[at : at + size]
    if len(piece) < size:
        raise Cut
    return piece


def _numbers(layout: str, data: bytes, at: int) -> tuple[int, ...]:
    return struct.unpack(layout, _take(data, at, struct.calcsize(layout)))


def png_pixels(data: bytes, allow_truncated: bool = False) -> tuple[bytes, bytes]:
    """Check the chunks of a PNG file, and keep those that its first picture needs.

    Pillow doesn't check the sums of pixels, doesn't miss the last chunk, and refuses a file for
    the sum of a comment; in text it finds bombs, and in an animation another first picture.

    Parameters
    ----------
    data : bytes
    allow_truncated : bool, default=False
        Whether the end may be missing.

    Returns
    -------
    pixels : bytes
        The file without the chunks that say nothing about pixels.
    exif : bytes
        The content of eXIf if its checksum is right, else empty.

    Raises
    ------
    Cut
        If a chunk isn't there to its end, or the last chunk is missing.
    Unusable
        If a checksum is wrong, or IHDR isn't first.
    """
    kept: list[bytes | memoryview] = [_SIGNATURE]
    exif, at, name, view = b"", len(_SIGNATURE), b"", memoryview(data)
    try:
        while name != b"IEND":
            length, name = struct.unpack(">I4s", _take(data, at, 8))
            (checksum,) = _numbers(">I", data, at + 8 + length)
            end = at + 12 + length
            if (name == b"IHDR") != (at == len(_SIGNATURE)):
                raise Unusable("damaged PNG: IHDR isn't the first chunk")
            whole = zlib.crc32(view[at + 4 : end - 4]) == checksum
            if name in _PIXELS:
                if not whole:
                    raise Unusable(f"damaged PNG: wrong checksum of {name.decode()}")
                kept.append(view[at:end])
            elif name == b"eXIf" and whole:
                exif = data[at + 8 : end - 4]
            at = end
    except Cut:
        if not allow_truncated or all(chunk[4:8] != b"IDAT" for chunk in kept):
            raise
        kept.append(_END)
    return b"".join(kept), exif


def check_png_rows(pixels: bytes) -> None:
    """Raise Cut if there are fewer rows than a PNG says; Pillow leaves black where there are none.

    Parameters
    ----------
    pixels : bytes
        What `png_pixels` returned.
    """
    width, height, depth, colour, interlace = struct.unpack(">IIBB2xB", pixels[16:29])
    missing = 0
    for top, left, down, right in _PASSES[interlace]:
        rows, columns = -(-(height - top) // down), -(-(width - left) // right)
        if columns > 0:
            missing += rows * (1 + (columns * depth * _CHANNELS[colour] + 7) // 8)
    unpacker, at = zlib.decompressobj(), len(_SIGNATURE)
    while at < len(pixels):
        length, name = struct.unpack(">I4s", pixels[at : at + 8])
        body = pixels[at + 8 : at + 8 + length] if name == b"IDAT" else b""
        while body and missing > 0:
            missing -= len(unpacker.decompress(body, 2**20))
            body = unpacker.unconsumed_tail
        at += 12 + length
    if missing - len(unpacker.flush()) > 0:
        raise Cut


def check_gif_end(data: bytes) -> None:
    """Walk the blocks of a GIF file to its trailer; Pillow stops at the first picture.

    Raises
    ------
    Cut
        If the trailer is missing.
    Unusable
        If a block is of no known kind.
    """
    at = 13 + _table_size(_take(data, 10, 1)[0])
    while (introducer := _take(data, at, 1)) != b";":
        if introducer == b",":
            at += 11 + _table_size(_take(data, at + 9, 1)[0])  # with the size of the codes
        elif introducer == b"!":
            at += 2
        else:
            raise Unusable("damaged GIF: an unknown block")
        while size := _take(data, at, 1)[0]:
            at += 1 + size
        at += 1


def _table_size(flags: int) -> int:
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def tiff_tags(data: bytes, wanted: Container[int]) -> dict[int, tuple[int, ...]]:
    """Read some tags of the first directory of a TIFF file, and refuse it if it asks too much.

    Pillow copies every value, and makes objects of those that it looks at. Many tags that share
    one place, or a resolution of a million fractions, would take hundreds of times the file.

    Parameters
    ----------
    data : bytes
    wanted : container of int
        Tags of whole numbers.

    Returns
    -------
    dict of int to tuple of int
        Without those that are missing or hold no value.

    Raises
    ------
    Cut
        If a value lies beyond the end.
    Unusable
        If a tag has too many values, or all together take more room than the file.
    """
    total, tags = 0, {}
    for tag, kind, count, at in _entries(data):
        size = count * _SIZES.get(kind, 0)
        total += size
        most = _MOST_FRACTIONS if kind in _FRACTIONS else _MOST_VALUES
        if (kind not in _AS_BYTES and count > most) or total > len(data) + 2**16:
            raise Unusable(f"damaged TIFF: tag {tag} has {count} values")
        values = _take(data, at, size)
        if tag in wanted and kind in _WHOLE and count:
            tags[tag] = struct.unpack(f"{_order(data)}{count}{_WHOLE[kind]}", values)
    return tags


def exif_orientation(exif: bytes) -> int:
    """Read the orientation of EXIF; what isn't valid is as if it were absent.

    Pillow would copy all of EXIF, warn of its faults, and look for an orientation in XMP too.

    Examples
    --------
    >>> exif_orientation(bytes.fromhex("4d4d002a 00000008 0001 0112 0003 00000001 0006 0000"))
    6
    >>> exif_orientation(b"")
    1
    """
    exif = exif.removeprefix(b"Exif\0\0")
    try:
        for tag, kind, count, at in _entries(exif):
            if tag == _ORIENTATION and kind in _WHOLE and count:
                (orientation,) = _numbers(_order(exif) + _WHOLE[kind], exif, at)
                return orientation if 1 <= orientation <= 8 else 1
    except Cut:
        pass
    return 1


def _order(data: bytes) -> str:
    return "<" if data[:2] == b"II" else ">"


def _entries(data: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Give tag, type, count and place of the values of each entry of the first directory."""
    order = _order(data)
    big = _numbers(order + "H", data, 2) == (43,)
    word, count_type = ("Q", "Q") if big else ("I", "H")
    (start,) = _numbers(order + word, data, 8 if big else 4)
    (n_tags,) = _numbers(order + count_type, data, start)
    start += 8 if big else 2
    size, room = (20, 8) if big else (12, 4)
    for at in range(start, start + n_tags * size, size):
        tag, kind, count = _numbers(f"{order}HH{word}", data, at)
        place = at + size - room
        if count * _SIZES.get(kind, 0) > room:
            (place,) = _numbers(order + word, data, place)
        yield tag, kind, count, place


def check_scans(coded: bytes, n_components: int) -> None:
    """Refuse a progressive JPEG whose last scans are missing; libjpeg shows what there is.

    Parameters
    ----------
    coded : bytes
        From the first scan on.
    n_components : int

    Raises
    ------
    Unusable
        If some coefficients of a component have not come to their last bit.
    """
    found: dict[int, set[int]] = {}
    for scan in _SCAN.finditer(coded):
        n_here, at = scan[1][0], scan.end()
        tail = coded[at + 2 * n_here : at + 2 * n_here + 3]
        if len(tail) == 3 and tail[2] & 15 == 0:
            for component in coded[at : at + 2 * n_here : 2]:
                found.setdefault(component, set()).update(range(tail[0], min(tail[1], 63) + 1))
    if len(found) < n_components or any(len(seen) < 64 for seen in found.values()):
        raise Unusable("damaged JPEG: scans are missing")


def check_bmp(data: bytes) -> tuple[int, int]:
    """Refuse BMP files that Pillow would read wrongly or not name.

    Returns
    -------
    bits, colours : int
        Of a pixel; of the palette if there is one.

    Raises
    ------
    Cut
        If the header isn't there.
    Unusable
        With what it is.
    """
    start, size = _numbers("<10xII", data, 0)
    if size not in (12, 16, 40, 52, 56, 64, 108, 124):
        raise Unusable("not an image")
    if size == 16:
        raise Unsupported("BMP with an OS/2 header of 16 bytes")
    _take(data, 14, size)
    masks: tuple[int, ...] = ()
    if size == 12:
        (bits,) = _numbers("<H", data, 24)
        compression = colours = 0
    else:
        bits, compression, colours = _numbers("<HI12xI", data, 28)
    if bits not in (1, 4, 8, 16, 24, 32):
        raise Unsupported(f"BMP of {bits} bits")
    colours = colours or 1 << bits
    pixels = 14 + size + (colours * (3 if size == 12 else 4) if bits <= 8 else 0)
    if compression > 3 or (size == 64 and compression > 2):
        what = {4: "JPEG", 5: "PNG"}.get(compression, f"compression {compression}")
        raise Unsupported(f"BMP with {what} inside")
    if compression == 2:  # before Pillow 12.3, a row of odd length shifts what follows
        raise Unsupported("BMP of 4 bits, packed")
    if compression == 1 and bits != 8:
        raise Unusable(f"damaged BMP: runs of {bits} bits")
    if compression == 3:
        masks = _numbers("<3I" if size < 56 else "<4I", data, 54)
        if masks + (0,) * (4 - len(masks)) not in _MASKS.get(bits, ()):
            raise Unsupported(f"BMP with the masks {' '.join(f'{mask:x}' for mask in masks)}")
        pixels += 12 if size == 40 else 0
    if start < pixels:
        raise Unusable("damaged BMP: its pixels begin before its palette or header ends")
    return bits, colours


def check_webp_size(data: bytes) -> None:
    """Raise Cut if a WebP file is shorter than it says."""
    if len(data) < 8 + _numbers("<I", data, 4)[0]:
        raise Cut


def jpeg_2000_depth(data: bytes) -> int:
    """Read how many bits the first channel of a JPEG 2000 file has."""
    start = data.find(b"\xff\x4f\xff\x51")
    (depth,) = _numbers(">B", data, start + 42)
    return (depth & 0x7F) + 1


def check_sun(data: bytes) -> None:
    """Refuse Sun raster files that Pillow would read wrongly or not name.

    Raises
    ------
    Cut
        If the header isn't there.
    Unusable
        With what it is.
    """
    width, _, depth, _, kind, _, map_size = _numbers(">7I", data, 4)
    # Of 32 bits the spare byte comes first to some programs, and last to Pillow.
    if depth not in (1, 8, 24) or kind > 3 or (map_size and depth != 8):
        with_map = " and a palette" if map_size else ""
        raise Unsupported(f"Sun raster of {depth} bits, type {kind}{with_map}")
    if kind == 2 and (width * depth + 7) // 8 % 2:
        # Rows are filled up to 16 bits before they are packed; Pillow forgets that.
        raise Unsupported("Sun raster, packed, of rows of an odd length")
