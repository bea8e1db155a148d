"""What must not be taken without measure: memory, and time for what never comes."""

import os
import signal
import stat
import struct
import subprocess
import sys
import threading
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sfmvision.commandline.cli import main
from sfmvision.images.errors import ImageError
from sfmvision.images.reading import read_image
from tests.vision.images.odd_images import chunk, jpeg, png, segment

# The memory of a process of its own, before and after it reads a file.
_PEAK = """
import resource, sys
from sfmvision.images.reading import read_image
from sfmvision.images.errors import ImageError
data = open(sys.argv[1], "rb").read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    read_image(data)
except ImageError as error:
    print(error.reason, file=sys.stderr)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
MEGA = 1_000_000


def peak(path: Path) -> tuple[int, str]:
    """Bytes that reading takes at most, and why it was refused."""
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, str(path)], capture_output=True, text=True, check=True
    )
    unit = 1 if sys.platform == "darwin" else 1024
    return int(done.stdout) * unit, done.stderr.strip()


@pytest.mark.parametrize(("depth", "colour", "bytes_per_pixel"), [(8, 6, 4), (16, 6, 8)])
def test_memory_is_one_decoded_copy_and_the_result(write, depth, colour, bytes_per_pixel):
    side = 3000
    channels = {2: 3, 4: 2, 6: 4}[colour]
    packer = zlib.compressobj(1)
    row = b"\0" + bytes([9, 200]) * (side * channels * depth // 16)
    body = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()
    header = struct.pack(">IIBBBBB", side, side, depth, colour, 0, 0, 0)
    chunks = chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
    taken, reason = peak(write("large.png", b"\x89PNG\r\n\x1a\n" + chunks))
    assert not reason
    strips = 40 * MEGA
    assert taken < side * side * (bytes_per_pixel + 3) + strips


def traced(data: bytes) -> tuple[int, str]:
    """Bytes that Python takes at most, and why the file was refused."""
    reason = ""
    tracemalloc.start()
    try:
        read_image(data)
    except ImageError as error:
        reason = error.reason
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return taken, reason


def many_tags(data: bytes, tag: int, kind: int, count: int, n_tags: int) -> bytes:
    """A directory at the end in which many tags share the start of the file."""
    rows = b"".join(struct.pack("<HHII", tag + k, kind, count, 8) for k in range(n_tags))
    return data[:4] + struct.pack("<I", len(data)) + data[8:] + struct.pack("<H", n_tags) + rows


@pytest.mark.parametrize(
    ("kind", "count", "n_tags"), [(7, 900_000, 5000), (5, 110_000, 2), (4, 300_000, 1)]
)
def test_a_directory_of_a_tiff_takes_no_more_than_the_file(kind, count, n_tags):
    data = many_tags(b"II*\0" + bytes(MEGA), 30_000, kind, count, n_tags)
    taken, reason = traced(data)
    assert reason.startswith("damaged TIFF: tag ")
    assert taken < 10 * MEGA


def test_exif_takes_no_more_than_the_file():
    exif = many_tags(b"II*\0" + bytes(5000), 30_000, 7, 5000, 4900)
    data = jpeg(np.full((2, 2, 1), 9), segments=segment(0xE1, b"Exif\0\0" + exif))
    taken, reason = traced(data)
    assert not reason
    assert taken < 2 * MEGA


def in_time(function, seconds: float = 20.0):
    """Result of a function that might wait for ever."""
    results: list = []
    thread = threading.Thread(target=lambda: results.append(function()), daemon=True)
    thread.start()
    thread.join(seconds)
    assert results, "it still waits"
    return results[0]


def reason_of(path) -> str:
    with pytest.raises(ImageError) as caught:
        read_image(path)
    return caught.value.reason


@pytest.fixture
def pipe(tmp_path) -> Path:
    path = tmp_path / "pipe.jpg"
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("path", ["/dev/null", "/dev/zero"])
def test_a_device_is_no_image_file(path):
    if not os.path.exists(path) or not stat.S_ISCHR(os.stat(path).st_mode):
        pytest.skip("no such device here")
    assert in_time(lambda: reason_of(path)) == "a device or a pipe, not an image file"


def test_a_named_pipe_is_refused_and_not_waited_for(pipe):
    assert in_time(lambda: reason_of(pipe)) == "a device or a pipe, not an image file"


@pytest.mark.parametrize("threads", ["1", "2"])
def test_a_named_pipe_gets_a_row(pipe, model, scenes, threads, capsys):
    image = str(scenes / "noise" / "0.png")
    arguments = ["predict", str(model), str(pipe), image, "--threads", threads, "--quiet"]
    assert in_time(lambda: main(arguments)) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    status = rows[0].index("status")
    assert [row[status] for row in rows[1:]] == ["a device or a pipe, not an image file", "ok"]


def test_a_png_with_rows_missing_is_found_even_if_its_last_row_is_black():
    black = [bytes(7)] * 5
    assert read_image(png(black, 8, 0)).max() == 0
    with pytest.raises(ImageError, match="truncated PNG"):
        read_image(png(black[:4], 8, 0))


def test_the_limit_of_pillow_is_not_changed_and_not_used(monkeypatch):
    limit = Image.MAX_IMAGE_PIXELS
    rows = [bytes(700)] * 500
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100_000)
    assert read_image(png(rows, 8, 0, width=700, height=500)).shape == (500, 700, 3)
    assert Image.MAX_IMAGE_PIXELS == 100_000
    monkeypatch.undo()
    assert limit == Image.MAX_IMAGE_PIXELS
    with pytest.raises(ImageError, match="image of 700 x 500 pixels is above max_pixels"):
        read_image(png(rows, 8, 0, width=700, height=500), max_pixels=349_999)


# As ``sfmvision``, where reading an image waits for what never comes, in every thread.
_STUCK = """
import sys, threading
import sfmvision.descriptors.batch as batch
def wait(path):
    print("waiting", file=sys.stderr, flush=True)
    threading.Event().wait()
batch.read_content = wait
from sfmvision.__main__ import run
sys.exit(run())
"""


@pytest.mark.parametrize("command", ["predict", "train"])
def test_a_signal_ends_a_command_whose_workers_wait(command, model, scenes, tmp_path):
    out = tmp_path / "out"
    given = [model, scenes / "noise"] if command == "predict" else [scenes]
    process = subprocess.Popen(
        [sys.executable, "-c", _STUCK, command, *given, "-o", out, "--threads", "2"],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while "waiting" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "sfmvision: interrupted" in errors.splitlines()
    assert "Traceback" not in errors
    assert os.listdir(tmp_path) == []
