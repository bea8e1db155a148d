"""Images made here: by OpenCV, by Pillow where OpenCV can't write them, and by hand."""

import io
import shutil
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from sfmvision.commandline.cli import main

Encode = Callable[..., bytes]
CLASSES = ("blobs", "noise", "stripes")


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


@pytest.fixture(scope="session")
def package() -> str:
    return "sfmvision"


@pytest.fixture(scope="session")
def picture() -> Callable[..., np.ndarray]:
    """Make an RGB image of one of three textures: ``picture("noise", 3)``."""

    def call(kind: str, number: int, shape: tuple[int, int] = (48, 56)) -> np.ndarray:
        random = np.random.default_rng([number, CLASSES.index(kind)])
        height, width = shape
        if kind == "blobs":
            few = random.uniform(0, 255, (5, 6)).astype(np.float32)
            grey = cv2.resize(few, (width, height), interpolation=cv2.INTER_CUBIC)
        elif kind == "noise":
            grey = random.uniform(0, 255, shape)
        else:
            row, column = np.mgrid[:height, :width]
            wave = (column + 0.2 * row) / random.uniform(7, 9) + random.uniform()
            grey = 128 + 90 * np.sin(2 * np.pi * wave)
        grey = (grey + random.normal(0, 6, shape)).clip(0, 255).astype(np.uint8)
        # Every other one in colours.
        planes = [grey, grey, grey] if number % 2 else [grey, grey // 2 + 60, 255 - grey]
        return np.stack(planes, axis=2)

    return call


@pytest.fixture(scope="session")
def scenes(tmp_path_factory, picture, encode) -> Path:
    """A folder of eight images of each of three classes, not to be changed."""
    folder = tmp_path_factory.mktemp("scenes")
    for kind in CLASSES:
        (folder / kind).mkdir()
        for number in range(8):
            (folder / kind / f"{number}.png").write_bytes(encode(picture(kind, number), "PNG"))
    return folder


@pytest.fixture
def own_scenes(scenes, tmp_path) -> Path:
    """A copy of the folder that a test may change."""
    return shutil.copytree(scenes, tmp_path / "scenes")


@pytest.fixture
def odd(own_scenes, picture, encode, encode_opencv) -> dict[Path, str]:
    """Put odd files into the copy: each with what is to be said of it as an image."""
    photo = encode(picture("stripes", 20), "JPEG")
    exif = Image.Exif()
    exif[0x0112] = 6  # a quarter to the right
    turned = encode(picture("stripes", 21), "JPEG", exif=exif)
    ink = Image.fromarray(picture("blobs", 22)).convert("CMYK")
    deep = picture("noise", 23).astype(np.uint16) * 257
    files = {
        "blobs/ink.jpg": (encode(ink, "JPEG"), "ok"),
        "blobs/moving.gif": (encode(picture("blobs", 24), "GIF"), "ok"),
        "blobs/uniform.png": (encode(np.full((48, 56), 90, np.uint8), "PNG"), "ok"),
        "noise/deep.png": (encode_opencv(deep, ".png"), "ok"),
        "noise/nothing.png": (b"", "empty file"),
        "noise/tab\there.png": (encode(picture("noise", 25), "PNG"), "ok"),
        "noise/two  spaces.png": (encode(picture("noise", 26), "PNG"), "ok"),
        "noise/tiny.png": (encode(picture("noise", 27, (8, 8)), "PNG"), "too small for a patch"),
        "stripes/cut.jpg": (photo[: len(photo) // 2], "truncated JPEG"),
        "stripes/text.jpg": (b"a text, whatever its name", "not an image"),
        "stripes/turned.jpg": (turned, "ok"),
        "stripes/été 日本.jpeg": (photo, "ok"),
    }
    left_alone = (".DS_Store", "noise/.DS_Store", "noise/.ipynb_checkpoints/0.png", "noise/a.txt")
    for name in (*files, *left_alone):
        path = own_scenes / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(files[name][0] if name in files else b"left by a program")
    (own_scenes / "empty").mkdir()
    return {own_scenes / name: status for name, (_, status) in files.items()}


@pytest.fixture(scope="session")
def small() -> list[str]:
    """Options that make training fast: what is learnt matters little here."""
    settings = ["n_sweeps=10", "n_gaussians=4", "levels=((1, 1), (2, 2), (4, 4))"]
    chosen = [text for setting in settings for text in ("--set", setting)]
    return ["--words", "8", "--topics", "3", "--threads", "1", *chosen]


@pytest.fixture(scope="session")
def model(tmp_path_factory, scenes, small) -> Path:
    """A model file of the three classes."""
    path = tmp_path_factory.mktemp("model") / "scenes.sfm"
    assert main(["train", str(scenes), "-o", str(path), "--quiet", *small]) == 0
    return path
