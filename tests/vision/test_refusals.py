"""Files that are no image, or not a whole one, or too large: each is refused with its reason."""

import pickle
import tracemalloc
from contextlib import suppress

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import features

from sfmvision.images.errors import ImageError
from sfmvision.images.reading import read_image

MANY = settings(max_examples=150, deadline=None)
CONVERT = "which can't be read: convert it to PNG"
STARTS = [
    *(b"", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"RIFF\x20\0\0\0WEBPVP8 ", b"BM"),
    *(b"II*\0\x08\0\0\0", b"MM\0*\0\0\0\x08", b"II+\0", b"P6 ", b"P2 2 2 9 ", b"Pf 1 1 1 "),
    *(b"\0\0\0\x08ftypavif", b"\xff\x4f\xff\x51", b"#?RADIANCE\n", b"\x59\xa6\x6a\x95"),
]


def reason(source, **options) -> str:
    with pytest.raises(ImageError) as caught:
        read_image(source, **options)
    return caught.value.reason


def distance(image, expected) -> float:
    """Mean absolute difference in grey levels."""
    assert image.dtype == np.uint8
    assert image.shape == np.shape(expected)
    return float(np.abs(image.astype(float) - expected).mean())


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "empty file"),
        (b"kinase\tprotease\n" * 9, "not an image"),
        (b"BM is how this text begins, and it goes on for a while and a bit", "not an image"),
        (b"P5 is another beginning", "not an image"),
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", f"HEIC image, {CONVERT}"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", f"SVG image, {CONVERT}"),
        (b"P7\nWIDTH 1\n", f"PAM image, {CONVERT}"),
        (b"\xff\xd8\xff\xd9", "truncated JPEG"),
    ],
)
def test_what_is_not_an_image(write, content, expected):
    path = write("a.jpg", content)
    with pytest.raises(ImageError) as caught:
        read_image(path)
    assert str(caught.value) == f"{path}: {expected}"


def test_a_thumbnail_does_not_end_the_image_around_it(photo, encode):
    exif = b"Exif\0\0" + encode(photo[::4, ::4].copy(), "JPEG")
    data = encode(photo, "JPEG", quality=95, exif=exif)
    assert distance(read_image(data), photo) < 4
    assert reason(data[: len(data) // 2]) == "truncated JPEG"


@pytest.mark.parametrize(
    ("kind", "options", "name"),
    [
        ("JPEG", {}, "JPEG"),
        ("JPEG", {"progressive": True}, "JPEG"),
        ("PNG", {}, "PNG"),
        ("GIF", {}, "GIF"),
        ("WEBP", {}, "WebP"),
        ("WEBP", {"lossless": True}, "WebP"),
        ("BMP", {}, "BMP"),
        ("TIFF", {}, "TIFF"),
        ("TIFF", {"compression": "tiff_lzw"}, "TIFF"),
        ("PPM", {}, "PNM"),
    ],
)
@MANY
@given(share=st.floats(0, 1, exclude_max=True))
def test_an_image_cut_anywhere_is_refused(photo, encode, kind, options, name, share):
    data = encode(photo, kind, **options)
    cut = data[: int(share * len(data))]
    assert len(cut) < 32 or reason(cut) == f"truncated {name}"
    assert reason(cut)


@pytest.mark.parametrize("suffix", [".jp2", ".avif", ".hdr", ".pfm", ".ras"])
def test_the_other_kinds_cut_anywhere_are_refused(photo, encode_opencv, suffix):
    if not cv2.haveImageWriter("a" + suffix):
        pytest.skip(f"this OpenCV has no {suffix}")
    image = photo if suffix in (".jp2", ".avif", ".ras") else (photo / 255).astype(np.float32)
    data = encode_opencv(image, suffix)
    for size in range(0, len(data), 1 + len(data) // 60):
        assert reason(data[:size])
    assert reason(data[:-1])


def test_a_truncated_jpeg_is_read_as_far_as_it_goes_if_asked(photo, encode):
    data = encode(photo, "JPEG", quality=95)
    image = read_image(data[: len(data) * 2 // 3], allow_truncated=True)
    assert distance(image[:16], photo[:16]) < 4
    assert np.ptp(image[-1, -8:].reshape(-1, 3), axis=0).max() == 0  # grey


@pytest.mark.parametrize(("kind", "ending"), [("PNG", 12), ("PNG", 3), ("GIF", 1)])
def test_a_picture_without_the_end_of_its_file_is_read_if_asked(photo, encode, kind, ending):
    data = encode(photo, kind)
    assert reason(data[:-ending]) == f"truncated {kind}"
    assert np.array_equal(read_image(data[:-ending], allow_truncated=True), read_image(data))


@pytest.mark.parametrize("kind", ["PNG", "GIF", "WEBP", "BMP", "TIFF", "PPM"])
def test_missing_pixels_of_other_kinds_are_refused_even_if_asked(photo, encode, kind):
    data = encode(photo, kind)
    assert reason(data[: len(data) // 2], allow_truncated=True).startswith("truncated")


def test_a_wrong_checksum_is_damage_only_where_the_pixels_are(photo, encode, png_by_hand):
    data = encode(photo, "PNG")
    middle = data.index(b"IDAT") + 20
    flipped = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
    assert reason(flipped) == "damaged PNG: wrong checksum of IDAT"
    text = png_by_hand(1, 1, 8, 0, [b"\7"], (b"tEXt", b"key\0value"))
    assert read_image(text.replace(b"value", b"valve")).tolist() == [[[7, 7, 7]]]


def test_a_huge_image_is_refused_by_its_header_alone(png_by_hand):
    bomb = png_by_hand(60000, 60000, 8, 2, [bytes(1000)])
    tracemalloc.start()
    expected = "image of 60000 x 60000 pixels is above max_pixels (100000000)"
    assert reason(bomb) == expected
    assert reason(bomb, allow_truncated=True) == expected
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


@pytest.mark.parametrize(
    "kind", ["JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF", "PPM", "JPEG2000", "AVIF"]
)
def test_the_size_is_known_before_decoding(photo, encode, kind, monkeypatch):
    if kind == "AVIF" and not features.check("avif"):
        pytest.skip("no AVIF here")
    data = encode(photo, kind)
    monkeypatch.setattr(cv2, "imdecode", None)
    assert reason(data, max_pixels=48 * 64 - 1).startswith("image of 64 x 48 pixels")


def test_an_image_of_just_max_pixels_is_read(photo, encode):
    assert read_image(encode(photo, "PNG"), max_pixels=48 * 64).shape == (48, 64, 3)


def test_an_error_survives_the_way_from_another_process():
    error = pickle.loads(pickle.dumps(ImageError("a.jpg", "truncated JPEG")))
    assert (error.path, error.reason) == ("a.jpg", "truncated JPEG")
    assert isinstance(error, ValueError)


@MANY
@given(
    start=st.sampled_from(STARTS),
    rest=st.binary(max_size=200),
    allow_truncated=st.booleans(),
)
def test_random_bytes_raise_nothing_but_image_errors(start, rest, allow_truncated):
    with suppress(ImageError):
        assert read_image(start + rest, allow_truncated=allow_truncated).dtype == np.uint8


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF", "TIFF", "WEBP", "BMP", "AVIF", "JPEG2000"])
@MANY
@given(data=st.data())
def test_damaged_bytes_raise_nothing_but_image_errors(photo, encode, kind, data):
    if kind == "AVIF" and not features.check("avif"):
        pytest.skip("no AVIF here")
    content = bytearray(encode(photo, kind))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with suppress(ImageError):
        assert read_image(bytes(content), max_pixels=1_000_000).dtype == np.uint8
