"""Odd images, made here: by OpenCV, by Pillow where OpenCV can't write them, and by hand."""

import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

Encode = Callable[..., bytes]


@pytest.fixture(scope="session")
def photo() -> np.ndarray:
    """A smooth RGB image of 48 x 64 pixels, whose corners differ."""
    small = np.random.default_rng(0).integers(0, 256, (4, 5, 3)).astype(np.uint8)
    small[0, 0], small[0, -1], small[-1, 0] = (230, 20, 20), (20, 230, 20), (20, 20, 230)
    return cv2.resize(small, (64, 48), interpolation=cv2.INTER_CUBIC)


@pytest.fixture(scope="session")
def encode() -> Encode:
    """Encode an array or a Pillow image by Pillow: ``encode(image, "PNG", **options)``."""

    def call(image: np.ndarray | Image.Image, kind: str, **options: object) -> bytes:
        if isinstance(image, np.ndarray):
            image = Image.fromarray(image)
        buffer = io.BytesIO()
        image.save(buffer, kind, **options)
        return buffer.getvalue()

    return call


@pytest.fixture(scope="session")
def encode_opencv() -> Encode:
    """Encode an RGB or grey array by OpenCV: ``encode_opencv(image, ".hdr")``."""

    def call(image: np.ndarray, suffix: str, *options: int) -> bytes:
        ordered = image[..., ::-1] if image.ndim == 3 else image
        done, data = cv2.imencode(suffix, np.ascontiguousarray(ordered), options)
        assert done
        return data.tobytes()

    return call


@pytest.fixture(scope="session")
def png_by_hand() -> Encode:
    """Make a PNG from its header, rows and further chunks, with right checksums."""

    def chunk(name: bytes, body: bytes) -> bytes:
        checksum = struct.pack(">I", zlib.crc32(name + body))
        return struct.pack(">I", len(body)) + name + body + checksum

    def call(
        width: int, height: int, depth: int, colour: int, rows: list[bytes], *extra: tuple
    ) -> bytes:
        header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
        pixels = chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows)))
        others = b"".join(chunk(name, body) for name, body in extra)
        return b"\x89PNG\r\n\x1a\n" + header + others + pixels + chunk(b"IEND", b"")

    return call


@pytest.fixture(scope="session")
def tiff_by_hand() -> Encode:
    """Make an uncompressed TIFF of one strip a plane; further tags are short numbers."""

    def call(image: np.ndarray, photometric: int, planar: bool = False, **tags: int) -> bytes:
        height, width, samples = image.shape
        planes = np.moveaxis(image, 2, 0) if planar else image[None]
        pixels = [np.ascontiguousarray(plane).tobytes() for plane in planes]
        bits = 8 * image.itemsize
        entries = {256: [width], 257: [height], 258: [bits] * samples, 259: [1]}
        entries |= {262: [photometric], 277: [samples], 278: [height]}
        entries |= {284: [2 if planar else 1]}
        entries |= {int(tag[1:]): [value] for tag, value in tags.items()}  # names like t274
        data = b"II*\0" + bytes(4)
        entries[273] = [len(data) + sum(map(len, pixels[:i])) for i in range(len(pixels))]
        entries[279] = [len(piece) for piece in pixels]
        data += b"".join(pixels)
        rows = b""
        for tag, values in sorted(entries.items()):
            body = struct.pack(f"<{len(values)}I", *values)
            if len(values) > 1:
                body, data = struct.pack("<I", len(data)), data + body
            rows += struct.pack("<HHI", tag, 4, len(values)) + body
        start = struct.pack("<I", len(data))
        return data[:4] + start + data[8:] + struct.pack("<H", len(entries)) + rows + bytes(4)

    return call


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, bytes], Path]:
    """Write a file below the test's folder, and the folders on the way."""

    def call(name: str, content: bytes = b"") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    return call
