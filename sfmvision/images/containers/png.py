"""PNG: its chunks and their checksums."""

import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress

from sfmvision.images.containers.header import Cut, Header, Unusable, numbers, take
from sfmvision.images.containers.tiff import exif_orientation

SIGNATURE = b"\x89PNG\r\n\x1a\n"

# The others say nothing about pixels; libpng prints warnings about some, past OpenCV's log.
_NEEDED = (b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND")
_END = b"\0\0\0\0IEND\xaeB`\x82"


def parse(data: bytes, header: Header) -> None:
    """Walk the chunks of a PNG file, and check those that say something about the pixels.

    Parameters
    ----------
    data : bytes
    header : Header
        Is told the size, the orientation and a transparent grey.

    Raises
    ------
    Cut
        If a chunk isn't there to its end, or the last chunk is missing.
    Unusable
        If it isn't valid.
    """
    depth = colour = -1
    for name, body, checksum in _chunks(data):
        if name in (*_NEEDED, b"eXIf") and zlib.crc32(body, zlib.crc32(name)) != checksum:
            raise Unusable(f"damaged PNG: wrong checksum of {name.decode()}")
        if (name == b"IHDR") != (depth < 0):
            raise Unusable("damaged PNG: IHDR isn't the first chunk")
        if name == b"IHDR":
            header.width, header.height, depth, colour = numbers(">IIBB", body, 0)
        elif name == b"eXIf":
            header.orientation = exif_orientation(body)
        elif name == b"tRNS" and colour == 0 and len(body) == 2:
            # OpenCV leaves this out for grey images. It spreads fewer than 8 bits over 0 to 255.
            (grey,) = numbers(">H", body, 0)
            header.transparent = grey * 255 // (2**depth - 1) if depth < 8 else grey


def pixels_only(data: bytes) -> bytes:
    """Give the same image without the chunks that say nothing about pixels, and with an end.

    Of an animation, the picture that programs without animation show is left.
    """
    kept = [SIGNATURE]
    with suppress(Cut):
        for name, body, checksum in _chunks(data):
            if name in _NEEDED and name != b"IEND":
                kept.append(
                    struct.pack(">I4s", len(body), name) + body + struct.pack(">I", checksum)
                )
    return b"".join(kept) + _END


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes, int]]:
    """Give the name, the content and the stored checksum of each chunk, down to IEND."""
    at, name = len(SIGNATURE), b""
    while name != b"IEND":
        (length,) = numbers(">I", data, at)
        name = take(data, at + 4, 4)
        body = take(data, at + 8, length)
        (checksum,) = numbers(">I", data, at + 8 + length)
        yield name, body, checksum
        at += 12 + length
