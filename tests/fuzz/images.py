"""Images: upright RGB of the promised shape, the same each time, or a sentence."""

import ctypes
import functools
import io
import struct
import zlib
from pathlib import Path
from random import Random

import cv2
import numpy as np
from PIL import Image

from sfmvision.images.errors import ImageError
from sfmvision.images.reading import read_image
from tests.fuzz.base import kind_of, require, single_bytes
from tests.fuzz.mutations import mutated

_PNG = b"\x89PNG\r\n\x1a\n"
_TRUNCATED = b"t"
_M_PERTURB = -6  # mallopt: what new memory is filled with


class Images:
    """Documented is ImageError, with a reason on one line; else pixels that the bytes decide.

    The first byte of an input says whether truncated files are allowed; the rest is the file.
    """

    def make(self, random: Random) -> bytes:
        """Damage one of the seeds."""
        files = seeds()
        data = mutated(random.choice(files), random, random.choice(files))
        # Otherwise a changed chunk fails its checksum, and nothing behind it is tried.
        if data.startswith(_PNG) and random.random() < 0.7:
            data = _with_checksums(data)
        return (_TRUNCATED if random.random() < 0.3 else b"-") + data

    def check(self, case: bytes) -> str:
        """Read it as bytes, and again from a file with other bytes in unused memory."""
        options, case = {"allow_truncated": case[:1] == _TRUNCATED}, case[1:]
        _fill_memory(0x55)
        try:
            pixels = read_image(case, **options)
        except ImageError as error:
            require("\n" not in str(error), "a reason of several lines")
            require(bool(error.reason.strip()), "an empty reason")
            return kind_of(error, "<bytes>")
        require(pixels.dtype == np.uint8, "the pixels have another type")
        require(pixels.ndim == 3 and pixels.shape[2] == 3, "the pixels have another shape")
        require(pixels.size > 0, "an image without pixels")
        require(pixels.shape[0] * pixels.shape[1] <= 100_000_000, "more pixels than the limit")
        # A decoder that gives up may leave what lay in memory before.
        _fill_memory(0xAA)
        path = Path("image")
        path.write_bytes(case)
        require(np.array_equal(pixels, read_image(path, **options)), "other pixels the next time")
        return f"pixels of {_kind(case)}"

    def units(self, case: bytes) -> list[bytes]:
        """Single bytes."""
        return single_bytes(case)

    def file(self, case: bytes) -> bytes:
        """The input without its first byte."""
        return case[1:]


def _fill_memory(value: int) -> None:
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):  # only the GNU C library
        libc.mallopt(_M_PERTURB, value)


def _kind(case: bytes) -> str:
    start = case[:12].decode("latin-1")
    return "".join(letter for letter in start if letter.isalnum() and letter.isascii())[:6]


def _with_checksums(data: bytes) -> bytes:
    """The PNG file with a right checksum at every chunk that its lengths lead to."""
    result, at = bytearray(data), len(_PNG)
    while at + 12 <= len(data):
        end = at + 8 + struct.unpack_from(">I", data, at)[0]
        if end + 4 > len(data):
            break
        struct.pack_into(">I", result, end, zlib.crc32(data[at + 4 : end]))
        at = end + 4
    return bytes(result)


@functools.cache
def seeds() -> list[bytes]:
    """Small valid files of every kind that can be made here."""
    colour = np.random.default_rng(0).integers(0, 256, (7, 9, 3), dtype=np.uint8)
    grey, deep = colour[..., 0].copy(), colour.astype(np.uint16) * 257
    alpha = np.dstack([colour, grey])
    floats = (colour / 255.0).astype(np.float32)
    wide = np.tile(colour, (6, 6, 1))
    files = [
        cv2.imencode(suffix, image, flags)[1].tobytes()
        for suffix, image, flags in (
            (".png", colour, []), (".png", grey, []), (".png", deep, []), (".png", alpha, []),
            (".jpg", colour, []), (".jpg", grey, []),
            (".jpg", wide, [cv2.IMWRITE_JPEG_PROGRESSIVE, 1]),
            (".jpg", wide, [cv2.IMWRITE_JPEG_RST_INTERVAL, 2]), (".webp", colour, []),
            (".webp", alpha, [cv2.IMWRITE_WEBP_QUALITY, 101]), (".tiff", colour, []),
            (".tiff", deep, []), (".tiff", alpha, []),
            (".tiff", grey, [cv2.IMWRITE_TIFF_COMPRESSION, 1]),
            (".bmp", colour, []), (".bmp", grey, []), (".bmp", alpha, []), (".ppm", colour, []),
            (".pgm", grey, []), (".pbm", grey, []), (".pfm", floats, []), (".hdr", floats, []),
            (".ras", colour, []), (".jp2", wide, []), (".avif", wide, []),
        )
        if cv2.haveImageWriter(suffix)
    ]  # fmt: skip
    picture, other = Image.fromarray(wide), Image.fromarray(np.ascontiguousarray(wide[::-1]))
    exif = Image.Exif()
    exif[0x112] = 6
    palette = picture.quantize(16)
    clear = {"transparency": 3}
    frames = {"save_all": True, "append_images": [other.quantize(16)]}
    for image, kind, further in (
        (picture, "JPEG", {"exif": exif}), (picture.convert("CMYK"), "JPEG", {}),
        (picture, "PNG", {"exif": exif}), (palette, "PNG", {"bits": 4, **clear}),
        (picture, "PNG", {"save_all": True, "append_images": [other]}),
        (picture.convert("1"), "PNG", {}), (palette, "GIF", {**clear, **frames}),
        (palette, "GIF", {"interlace": 1}),
        (picture, "WEBP", {"save_all": True, "append_images": [other]}),
        (picture, "WEBP", {"exif": exif}), (palette, "BMP", {}), (picture.convert("1"), "BMP", {}),
        (picture.convert("1"), "TIFF", {"compression": "group4"}), (palette, "TIFF", {}),
        (picture, "TIFF", {"compression": "tiff_lzw"}), (picture, "TIFF", {"compression": "jpeg"}),
        (picture.convert("CMYK"), "TIFF", {}), (picture, "TIFF", {"exif": exif}),
        (picture, "TIFF", {"save_all": True, "append_images": [other]}),
        (picture, "JPEG2000", {}),
    ):  # fmt: skip
        buffer = io.BytesIO()
        image.save(buffer, kind, **further)
        files.append(buffer.getvalue())
    files += [b"P3 2 1 255  255 0 0  0 0 255 ", b"P1 2 2 0 1 1 0 ", b"P2 # n\n1 1 65535 400 "]
    return files
