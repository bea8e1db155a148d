"""Images of every kind against the pixels they were made from."""

import io
import os
import struct
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import product

import cv2
import numpy as np
import pytest
from PIL import Image, ImageOps, features

from sfmvision.images.errors import ImageError
from sfmvision.images.reading import read_image

CONVERT = "which can't be read: convert it to PNG"


def reason(source, **options) -> str:
    with pytest.raises(ImageError) as caught:
        read_image(source, **options)
    return caught.value.reason


def distance(image, expected) -> float:
    """Mean absolute difference in grey levels."""
    assert image.dtype == np.uint8
    assert image.shape == np.shape(expected)
    return float(np.abs(image.astype(float) - expected).mean())


# What is read, and how


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("PNG", {}),
        ("BMP", {}),
        ("TIFF", {}),
        ("TIFF", {"compression": "tiff_lzw"}),
        ("PPM", {}),
        ("WEBP", {"lossless": True}),
        ("JPEG2000", {"irreversible": False}),
        ("JPEG2000", {"no_jp2": True}),
    ],
)
def test_lossless_kinds_give_the_same_pixels(photo, encode, kind, options):
    assert np.array_equal(read_image(encode(photo, kind, **options)), photo)


@pytest.mark.parametrize("suffix", [".jpg", ".webp", ".avif", ".ras"])
def test_the_other_kinds_give_nearly_the_same_pixels(photo, encode_opencv, suffix):
    if not cv2.haveImageWriter("a" + suffix):
        pytest.skip(f"this OpenCV has no {suffix}")
    assert distance(read_image(encode_opencv(photo, suffix)), photo) < 8


def test_a_progressive_jpeg_and_one_followed_by_other_data_are_whole(photo, encode):
    progressive = encode(photo, "JPEG", quality=95, progressive=True)
    assert distance(read_image(progressive), photo) < 4
    assert np.array_equal(read_image(progressive + b"\xff\xd8 another"), read_image(progressive))


def test_the_result_is_contiguous_and_can_be_written(photo, encode):
    exif = Image.Exif()
    exif[274] = 6
    image = read_image(encode(photo, "PNG", exif=exif))
    assert image.flags.c_contiguous
    assert image.flags.writeable


def test_grey_becomes_three_equal_channels(photo, encode):
    grey = photo[..., 0]
    assert np.array_equal(read_image(encode(grey, "PNG")), np.dstack([grey] * 3))


@pytest.mark.parametrize("suffix", [".png", ".tif", ".pgm", ".jp2"])
def test_16_bits_are_scaled_and_not_clipped(photo, encode_opencv, suffix):
    wide = photo[..., 0].astype(np.uint16) * 257 - (photo[..., 0] > 0)
    image = read_image(encode_opencv(wide, suffix, cv2.IMWRITE_JPEG2000_COMPRESSION_X1000, 1000))
    assert abs(image.mean() - photo[..., 0].mean()) < 0.1
    if suffix != ".jp2":
        assert np.array_equal(image[..., 0], photo[..., 0])


def test_16_bits_of_three_channels_keep_their_order(photo, encode_opencv):
    image = read_image(encode_opencv(photo.astype(np.uint16) * 257, ".png"))
    assert np.array_equal(image, photo)


@pytest.mark.parametrize("white", [1, 100, 1023, 4095])
@pytest.mark.parametrize("kind", ["P2", "P5"])
def test_a_portable_map_is_scaled_by_its_own_white(kind, white):
    values = [0, white // 2, white]
    layout = ">3H" if white > 255 else ">3B"
    body = struct.pack(layout, *values) if kind == "P5" else b"%d %d %d\n" % tuple(values)
    image = read_image(b"%s\n# a comment\n3 1\n%d\n" % (kind.encode(), white) + body)
    assert np.abs(image[0, :, 0] - np.array(values) * 255 / white).max() <= 1


def test_a_jpeg_2000_of_12_bits_is_scaled_by_its_depth(photo, encode_opencv):
    wide = photo[..., 0].astype(np.uint16) * 16 + (1 << 15) - (1 << 11)
    data = bytearray(encode_opencv(wide, ".jp2", cv2.IMWRITE_JPEG2000_COMPRESSION_X1000, 1000))
    data[data.index(b"\xff\x4f\xff\x51") + 42] = 11
    data[data.index(b"ihdr") + 14] = 11
    assert distance(read_image(bytes(data))[..., 0], photo[..., 0]) < 1.5


@pytest.mark.parametrize("depth", [10, 12])
def test_an_avif_of_more_bits_is_scaled_by_its_depth(photo, encode_opencv, depth):
    if not cv2.haveImageWriter("a.avif"):
        pytest.skip("this OpenCV has no AVIF")
    wide = photo.astype(np.uint16) << (depth - 8)
    data = encode_opencv(wide, ".avif", cv2.IMWRITE_AVIF_DEPTH, depth, cv2.IMWRITE_AVIF_QUALITY, 95)
    assert distance(read_image(data), photo) < 4


@pytest.mark.parametrize("suffix", [".tif", ".pfm"])
def test_grey_floats_from_0_to_1_are_scaled(photo, encode_opencv, suffix):
    data = encode_opencv((photo[..., 0] / 255).astype(np.float32), suffix)
    assert np.array_equal(read_image(data), np.dstack([photo[..., 0]] * 3))


def test_floats_may_be_off_by_rounding(encode_opencv):
    image = np.array([[-5e-7, 0.5], [1 + 5e-7, 1]], np.float32)
    assert read_image(encode_opencv(image, ".tif"))[..., 0].tolist() == [[0, 128], [255, 255]]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.00001, "values from 0 to 1.00001, expected from 0 to 1"),
        (1.5, "values from 0 to 1.5, expected from 0 to 1"),
        (-1, "values from -1 to 0, expected from 0 to 1"),
        (np.nan, "values that are infinite or not a number"),
        (np.inf, "values that are infinite or not a number"),
    ],
)
def test_other_floats_are_refused(encode_opencv, value, expected):
    image = np.zeros((4, 4), np.float32)
    image[1, 1] = value
    assert reason(encode_opencv(image, ".tif")) == expected


def test_whole_numbers_of_unknown_white_are_refused(encode):
    expected = f"TIFF of whole numbers of 32 bits, whose white is unknown, {CONVERT}"
    assert reason(encode(np.full((4, 4), 70000, np.int32), "TIFF")) == expected


# Orientation


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF", "AVIF"])
def test_an_image_is_turned_upright(photo, encode, kind, orientation):
    if kind == "AVIF" and not (features.check("avif") and cv2.haveImageWriter("a.avif")):
        pytest.skip("no AVIF here")
    exif = Image.Exif()
    exif[274] = orientation
    data = encode(photo, kind, exif=exif, **({"quality": 95} if kind != "TIFF" else {}))
    upright = np.asarray(ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGB"))
    # Upright again by Pillow, and the corners of `photo` are where its orientation puts them.
    assert distance(read_image(data), upright) < 3


def test_an_orientation_of_6_turns_a_quarter_to_the_right(photo, encode):
    exif = Image.Exif()
    exif[274] = 6
    assert np.array_equal(read_image(encode(photo, "PNG", exif=exif)), np.rot90(photo, -1))


@pytest.mark.parametrize("orientation", [0, 9, 60000])
def test_an_orientation_that_does_not_exist_is_left_out(photo, encode, orientation):
    exif = Image.Exif()
    exif[274] = orientation
    assert np.array_equal(read_image(encode(photo, "PNG", exif=exif)), photo)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_tiff_of_16_bits_is_turned_once(photo, tiff_by_hand, encode, orientation):
    exif = Image.Exif()
    exif[274] = orientation
    expected = read_image(encode(photo, "PNG", exif=exif))
    wide = photo.astype(np.uint16) * 257
    assert np.array_equal(read_image(tiff_by_hand(wide, 2, t274=orientation)), expected)


# Transparency and colours


def with_alpha(photo, alpha):
    return np.dstack([photo, np.full(photo.shape[:2], alpha, np.uint8)])


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "TIFF"])
def test_an_opaque_alpha_changes_no_pixel(photo, encode, kind):
    options = {"lossless": True} if kind == "WEBP" else {}
    assert np.array_equal(read_image(encode(with_alpha(photo, 255), kind, **options)), photo)


@pytest.mark.parametrize("alpha", [0, 1, 128])
@pytest.mark.parametrize("kind", ["PNG", "WEBP", "TIFF", "JPEG2000"])
def test_a_transparent_pixel_lies_on_white(photo, encode, kind, alpha):
    options = {"lossless": True, "exact": True} if kind == "WEBP" else {}
    expected = photo * (alpha / 255) + 255 - alpha
    assert distance(read_image(encode(with_alpha(photo, alpha), kind, **options)), expected) < 1


@pytest.mark.parametrize(("extra", "premultiplied"), [(1, True), (2, False)])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_a_tiff_says_whether_its_colours_are_multiplied(
    photo, tiff_by_hand, extra, premultiplied, dtype
):
    scale = 257 if dtype == np.uint16 else 1
    stored = photo // 2 if premultiplied else photo
    data = tiff_by_hand(with_alpha(stored, 128).astype(dtype) * dtype(scale), 2, t338=extra)
    assert distance(read_image(data), photo / 2 + 127) < 1.5


@pytest.mark.parametrize("tag", [258, 262, 277, 284, 338, 339])
def test_a_tiff_tag_without_a_value_is_as_if_absent(photo, tiff_by_hand, tag):
    data = bytearray(tiff_by_hand(with_alpha(photo, 255), 2, t338=2, t339=1))
    at = data.index(struct.pack("<HH", tag, 4), int.from_bytes(data[4:8], "little"))
    data[at + 4 : at + 8] = bytes(4)  # the number of its values
    with suppress(ImageError):  # OpenCV may need it
        assert read_image(bytes(data)).shape == photo.shape


def test_a_grey_tiff_with_alpha_lies_on_white(tiff_by_hand):
    image = np.full((4, 6, 2), (200, 128), np.uint8)
    expected = np.full((4, 6), (200 * 128 + 255 * 127) / 255)
    assert distance(read_image(tiff_by_hand(image, 1, t338=2))[..., 0], expected) < 1


def test_a_palette_with_alpha(png_by_hand):
    palette = (b"PLTE", bytes([255, 0, 0, 0, 255, 0]))
    data = png_by_hand(2, 1, 8, 3, [b"\0\1"], palette, (b"tRNS", b"\x80"))
    assert read_image(data).tolist() == [[[255, 127, 127], [0, 255, 0]]]


@pytest.mark.parametrize(
    ("depth", "row", "key", "expected"),
    [(8, b"\7\x09", 7, [255, 9]), (2, b"\x60", 1, [255, 170]), (16, b"\0\7\0\0", 7, [255, 0])],
)
def test_a_transparent_grey(png_by_hand, depth, row, key, expected):
    data = png_by_hand(2, 1, depth, 0, [row], (b"tRNS", struct.pack(">H", key)))
    assert read_image(data)[0, :, 1].tolist() == expected


@pytest.mark.parametrize("planar", [False, True])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_the_planes_of_a_tiff(photo, tiff_by_hand, planar, dtype):
    image = photo.astype(dtype) * dtype(257 if dtype == np.uint16 else 1)
    assert np.array_equal(read_image(tiff_by_hand(image, 2, planar)), photo)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_a_tiff_whose_0_is_white(photo, tiff_by_hand, dtype):
    grey = photo[..., :1].astype(dtype) * dtype(257 if dtype == np.uint16 else 1)
    assert np.array_equal(read_image(tiff_by_hand(grey, 0))[..., :1], 255 - photo[..., :1])


def inks(colour):
    """Cyan, magenta, yellow and black of one colour, spread over an image."""
    return Image.new("CMYK", (32, 32), colour)


@pytest.mark.parametrize("ink", [(200, 30, 90, 60), (0, 255, 255, 0), (0, 0, 0, 0), (9, 9, 9, 250)])
@pytest.mark.parametrize("kind", ["JPEG", "TIFF"])
def test_cmyk_is_converted_through_rgb(encode, kind, ink):
    options = {"quality": 100} if kind == "JPEG" else {}
    expected = [(255 - colour) * (255 - ink[3]) / 255 for colour in ink[:3]]
    image = read_image(encode(inks(ink), kind, **options))
    assert np.abs(image - expected).max() < 4


def test_cmyk_that_adobe_stored_as_luma_and_chroma(encode):
    rgb = Image.new("RGB", (32, 32), (200, 90, 30))
    luma_chroma = [255 - np.asarray(channel) for channel in rgb.convert("YCbCr").split()]
    # Pillow inverts what it stores, as Adobe does; black isn't part of the transform.
    stored = np.dstack([*luma_chroma, np.full((32, 32), 55, np.uint8)])
    data = bytearray(encode(Image.fromarray(stored, "CMYK"), "JPEG", quality=100))
    data[data.index(b"Adobe") + 11] = 2
    # Red, green and blue of the transform are 255 minus what Adobe stores of the inks, inverted.
    expected = np.array([55, 165, 225]) * (200 / 255)
    assert np.abs(read_image(bytes(data)) - expected).max() < 4
    by_pillow = Image.open(io.BytesIO(data)).convert("RGB")
    assert np.abs(read_image(bytes(data)) - np.asarray(by_pillow, float)).max() < 4


def test_cmyk_without_the_mark_of_adobe_is_refused(encode):
    data = encode(inks((200, 30, 90, 60)), "JPEG")
    start = data.index(b"Adobe") - 4
    unmarked = data[:start] + data[start + 16 :]
    assert reason(unmarked).startswith("CMYK JPEG without Adobe's mark")
    assert reason(unmarked, allow_truncated=True).startswith("CMYK JPEG without Adobe's mark")


@pytest.mark.parametrize(
    ("kind", "options"),
    [("GIF", {}), ("WEBP", {"lossless": True}), ("PNG", {}), ("TIFF", {})],
)
def test_the_first_picture_of_several_is_read(encode, kind, options):
    red, blue = (Image.new("RGB", (16, 8), colour) for colour in ("red", "blue"))
    data = encode(red, kind, save_all=True, append_images=[blue], **options)
    assert distance(read_image(data), np.full((8, 16, 3), (255, 0, 0))) == 0


@pytest.mark.parametrize("interlace", [0, 1])
def test_the_lines_of_a_gif(photo, encode, interlace):
    data = encode(photo, "GIF", interlace=interlace)
    assert np.array_equal(read_image(data), np.asarray(Image.open(io.BytesIO(data)).convert("RGB")))


@pytest.mark.parametrize("shape", [(1, 1), (8, 8), (1, 300)])
def test_uniform_and_tiny_images_are_images(encode, shape):
    assert np.array_equal(
        read_image(encode(np.full(shape, 7, np.uint8), "PNG")), np.full((*shape, 3), 7)
    )


# Files


@pytest.mark.parametrize("name", ["été à la mer.JPG", "写真 1.jpeg", "тест.jpg", "a\tb.jpg"])
def test_any_name_can_be_read(photo, encode, write, name):
    path = write(name, encode(photo, "JPEG", quality=95))
    assert distance(read_image(path), photo) < 4
    assert np.array_equal(read_image(str(path)), read_image(path.read_bytes()))


def test_a_name_that_is_not_unicode(photo, encode, tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.png")
    try:
        with open(path, "wb") as file:
            file.write(encode(photo, "PNG"))
    except OSError:
        pytest.skip("this file system takes only Unicode")
    assert np.array_equal(read_image(path), photo)


def test_what_cannot_be_read_is_an_image_error(tmp_path):
    assert reason(tmp_path / "absent.jpg") == "can't be read: No such file or directory"
    assert reason(tmp_path) == "a folder without an image that can be read"
    assert reason("a\0b.jpg") == "can't be read: embedded null byte"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads anything")
def test_a_file_without_permission(photo, encode, write):
    path = write("a.png", encode(photo, "PNG"))
    path.chmod(0)
    assert reason(path) == "can't be read: Permission denied"


def noisy(encode, photo) -> list[bytes]:
    """Files that make Pillow warn or log, or libjpeg complain."""
    samples = [encode(photo, "TIFF", compression="tiff_lzw"), encode(photo, "TIFF")]
    cut = [data[: len(data) * share // 8] for data in samples for share in range(1, 8)]
    exif = b"Exif\0\0II*\0\x08\0\0\0\x09\0\x12\x01"
    for at in range(8, len(samples[0]), len(samples[0]) // 60):
        overwritten = samples[0][:at] + b"\xff\xff\xff" + samples[0][at + 3 :]
        cut.append(overwritten)
    broken = bytearray(samples[1])
    broken[broken.index(struct.pack("<HH", 277, 3)) + 8] = 200  # an error that Pillow logs
    return [*cut, bytes(broken), encode(photo, "JPEG", exif=exif), encode(photo, "PNG", exif=exif)]


@pytest.mark.parametrize("filters", ["default", "error"])
def test_nothing_is_printed_and_nothing_warns(photo, encode, filters, capfd, recwarn):
    warnings.simplefilter(filters)
    for data in noisy(encode, photo):
        with suppress(ImageError):
            read_image(data)
    assert capfd.readouterr() == ("", "")
    assert not recwarn.list


def test_threads_read_what_one_thread_reads(photo, encode):
    files = [encode(photo, kind) for kind in ("PNG", "JPEG", "GIF", "TIFF", "WEBP", "BMP")]
    expected = [read_image(data) for data in files]
    with ThreadPoolExecutor(8) as pool:
        images = list(pool.map(read_image, files * 20))
    assert all(np.array_equal(image, expected[k % 6]) for k, image in enumerate(images))


@pytest.mark.parametrize("mode", ["L", "RGB"])
@pytest.mark.parametrize("options", [{}, {"optimize": True}, {"progressive": True}], ids=str)
def test_a_whole_jpeg_is_never_taken_for_an_overwritten_one(encode, mode, options):
    random = np.random.default_rng(0)
    for width, height in ((1, 1), (16, 900), (900, 16), (300, 200)):
        noise = Image.fromarray(random.integers(0, 256, (height, width, 3)).astype(np.uint8))
        flat = [
            Image.new("RGB", (width, height), colour) for colour in ("black", "white", "#4d2603")
        ]
        for image, quality in product([noise, *flat], (5, 95)):
            data = encode(image.convert(mode), "JPEG", quality=quality, **options)
            assert read_image(data).shape == (height, width, 3)
