"""Batches of images: descriptors made once, kept, and made again when they are gone."""

import gc
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from sfmvision.descriptors.batch import Describer, ImageBatch, InMemory, Source, reduced
from sfmvision.descriptors.cache import DescriptorCache, TemporaryDescriptorCache, content_digest
from sfmvision.descriptors.dense_sift import DenseSIFT
from sfmvision.descriptors.encoding import cache_of, encoded, sources_of
from sfmvision.images.errors import ImageError
from sfmvision.images.reading import MAX_PIXELS, read_image

SIFT = DenseSIFT(step=8)
READING = {"max_side": None, "allow_truncated": False, "max_pixels": MAX_PIXELS}


@pytest.fixture
def describer():
    """Make what describes images, with memory as its cache unless told otherwise."""

    def call(cache=None, sift=SIFT, **changed):
        return Describer(
            sift, **{**READING, **changed}, cache=InMemory() if cache is None else cache
        )

    return call


def batch_of(images, describer, n_threads=1):
    return encoded(images, describer, n_threads=n_threads, show_progress=False)


def same(one, other):
    return (
        np.array_equal(one.values, other.values)
        and np.array_equal(one.flat, other.flat)
        and np.array_equal(one.centres, other.centres)
        and one.shape == other.shape
    )


def refusal(call, *arguments):
    with pytest.raises(ImageError) as caught:
        call(*arguments)
    return str(caught.value)


# Descriptors


def test_descriptors_are_those_of_the_image(scenes, describer):
    path = scenes / "noise" / "0.png"
    described = batch_of([path], describer())[0]
    expected = SIFT.compute(read_image(path))
    assert np.array_equal(described.values, expected.values)
    assert np.array_equal(described.flat, expected.flat)
    assert np.array_equal(described.centres, expected.centres)
    assert described.shape == (48, 56)


@pytest.mark.parametrize("kind", ["path", "str", "array", "list", "floats"])
def test_any_form_of_an_image_has_its_descriptors(scenes, describer, kind):
    path = scenes / "noise" / "0.png"
    pixels = read_image(path)
    forms = {"path": path, "str": str(path), "array": pixels, "floats": pixels / 255}
    forms["list"] = (pixels / 255).tolist()
    one, other = (batch_of([image], describer())[0] for image in (path, forms[kind]))
    if kind in ("list", "floats"):
        # The last bit of a float may move a value to its neighbour.
        assert np.abs(one.values.astype(int) - other.values).max() <= 1
    else:
        assert same(one, other)


def test_a_single_channel_is_grey(picture, describer):
    grey = picture("noise", 1)[:, :, 0]
    flat, deep = (batch_of([image], describer())[0] for image in (grey, grey[:, :, None]))
    assert same(flat, deep)


def test_digests_tell_contents_apart(scenes, picture, describer, tmp_path):
    path = scenes / "noise" / "0.png"
    copy = tmp_path / "copy.png"
    copy.write_bytes(path.read_bytes())
    pixels = read_image(path)
    grey = pixels[:, :, 0]
    images = [
        path,
        copy,
        pixels,
        pixels.copy(),
        pixels / 255,
        grey,
        grey.T.copy(),
        grey.reshape(24, -1),
    ]
    digests = [source.digest for source in batch_of(images, describer()).sources]
    assert digests[0] == digests[1] == content_digest(path.read_bytes())
    assert digests[2] == digests[3]
    assert len(set(digests)) == 6


def test_a_long_side_is_reduced(picture, describer):
    image = picture("stripes", 2, (60, 90))
    assert reduced(image, None) is reduced(image, 90) is image
    small = reduced(image, 45)
    assert small.shape == (30, 45, 3)
    blocks = image.reshape(30, 2, 45, 2, 3).mean((1, 3))
    np.testing.assert_allclose(small, blocks, atol=0.51)
    described = batch_of([image], describer(max_side=45))[0]
    assert described.shape == (30, 45)
    assert same(described, batch_of([small], describer())[0])
    assert reduced(np.zeros((1, 500), np.uint8), 20).shape == (1, 20)


# Batches


def test_an_index_takes_images(scenes, describer):
    paths = sorted(scenes.rglob("*.png"))[::3]
    batch = batch_of(paths, describer())
    assert len(batch) == len(list(batch)) == 8
    for index, expected in (
        (slice(2, 5), [2, 3, 4]),
        (slice(None, None, -3), [7, 4, 1]),
        ([6, 0, 6], [6, 0, 6]),
        (np.array([3, -1]), [3, 7]),
        (np.arange(8) == 5, [5]),
        (np.array([], dtype=int), []),
    ):
        part = batch[index]
        assert isinstance(part, ImageBatch)
        assert [source.name for source in part.sources] == [str(paths[k]) for k in expected]
        assert all(same(one, batch[k]) for one, k in zip(part, expected, strict=True))
    assert same(batch[-1], batch[np.int64(7)])
    with pytest.raises(IndexError):
        batch[8]
    both = batch[:2].joined(batch[5:6])
    assert [source.name for source in both.sources] == [str(paths[k]) for k in (0, 1, 5)]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_sources_and_errors_come_in_order(odd, own_scenes, describer, n_threads):
    paths = sorted(path for path in own_scenes.rglob("*") if path in odd or path.suffix == ".png")
    sources = list(sources_of(paths, describer(), n_threads=n_threads))
    assert len(sources) == len(paths)
    for path, source in zip(paths, sources, strict=True):
        status = odd.get(path, "ok")
        if path.name == "tiny.png":
            assert source.n_patches == 0
        elif status == "ok" and ".ipynb_checkpoints" not in path.parts:
            assert isinstance(source, Source)
            assert (source.name, source.n_patches) == (str(path), 52)
        else:
            assert isinstance(source, ImageError)
            assert source.path == str(path)


def test_bad_images_are_named_together(odd, describer):
    paths = list(odd)
    with pytest.raises(ValueError, match=r"^4 images can't be used: ") as caught:
        batch_of(paths, describer(), n_threads=2)
    for number, (path, status) in enumerate(odd.items()):
        assert (f"item {number}: {path}: {status}" in str(caught.value)) == (status != "ok")


@pytest.mark.parametrize(
    ("image", "reason"),
    [
        (None, "of type NoneType, neither pixels nor a path"),
        (b"bytes", "of type bytes, neither pixels nor a path"),
        ({}, "of type dict, neither pixels nor a path"),
        ([[0.1, 0.2], [0.3]], "of type list, neither pixels nor a path"),
        (0.5, "shape () is neither grey nor RGB"),
        (np.zeros(9, np.uint8), "shape (9,) is neither grey nor RGB"),
        (np.zeros((9, 9, 4), np.uint8), "shape (9, 9, 4) is neither grey nor RGB"),
        (np.zeros((0, 9), np.uint8), "no pixels"),
        (np.zeros((9, 9), int), "pixels must be uint8 or floats, not int64"),
        (np.zeros((9, 9), bool), "pixels must be uint8 or floats, not bool"),
        (np.zeros((9, 9), complex), "pixels must be uint8 or floats, not complex128"),
        (np.full((9, 9), 1.5), "floats must be from 0 to 1"),
        (np.full((9, 9), -0.1), "floats must be from 0 to 1"),
        (np.full((9, 9), np.nan), "floats must be from 0 to 1"),
    ],
)
def test_what_is_no_image_is_refused(describer, image, reason):
    assert refusal(describer().source, image) == f"<array>: {reason}"


def test_floats_may_be_off_by_rounding(describer):
    # What cv2.resize makes of a white image.
    white = np.ones((400, 400))
    white[::3] = 0.2
    off = np.where(white == 1, 1 + 9e-7, white - 0.2 - 9e-7)
    own = describer()
    expected = own.describe(own.source(np.where(white == 1, 1.0, 0.0)))
    assert same(own.describe(own.source(off)), expected)


def test_what_is_no_file_is_refused_by_name(describer, tmp_path, model):
    for path, reason in (
        (tmp_path / "none", "can't be read: No such file or directory"),
        (tmp_path, "a folder without an image that can be read"),
        (f"{tmp_path}/a\0b", "can't be read: embedded null byte"),
        (model, "not an image"),
    ):
        assert refusal(describer().source, path) == f"{path}: {reason}"


# Caches


class Forgetful(InMemory):
    """Keeps nothing."""

    def put(self, digest, arrays):
        pass


def test_without_a_cache_every_image_is_described_again(scenes, describer):
    paths = [*sorted(scenes.rglob("*.png"))[:3], read_image(scenes / "noise" / "0.png")]
    batch = batch_of(paths, describer(Forgetful()))
    for one, other in zip(batch, batch_of(paths, describer()), strict=True):
        assert same(one, other)


def test_an_entry_that_vanished_is_made_again(scenes, describer, tmp_path):
    paths = sorted((scenes / "noise").iterdir())
    cache = DescriptorCache(tmp_path, {})
    batch = batch_of(paths, describer(cache))
    before = list(batch)
    gone = [cache.path(batch.sources[k].digest) for k in (2, 5)]
    gone[0].unlink()
    gone[1].write_bytes(b"damaged")
    assert all(same(one, other) for one, other in zip(batch, before, strict=True))
    assert all(path.stat().st_size > 1000 for path in gone)


def test_a_file_that_vanished_is_an_error_and_not_needed_where_descriptors_are(
    own_scenes, describer
):
    path = own_scenes / "noise" / "0.png"
    kept, forgotten = batch_of([path], describer()), batch_of([path], describer(Forgetful()))
    path.unlink()
    assert len(kept[0].values) == 52
    message = f"{path}: can't be read: No such file or directory"
    assert refusal(forgotten.__getitem__, 0) == message
    assert refusal(list, forgotten) == message


def test_a_file_that_changed_is_an_error_and_no_other_image(own_scenes, describer):
    path = own_scenes / "noise" / "0.png"
    batch = batch_of([path], describer(Forgetful()))
    path.write_bytes((own_scenes / "noise" / "1.png").read_bytes())
    assert refusal(batch.__getitem__, 0) == f"{path}: has changed since it was first read"
    path.write_bytes(b"a text")
    assert refusal(batch.__getitem__, 0) == f"{path}: not an image"


def test_few_images_are_kept_in_memory_and_many_in_a_folder(tmp_path):
    assert isinstance(cache_of(None, SIFT, READING, 64), InMemory)
    assert isinstance(cache_of(None, SIFT, READING, 65), TemporaryDescriptorCache)
    cache = cache_of(tmp_path, SIFT, READING, 3)
    assert (cache.folder, type(cache)) == (tmp_path, DescriptorCache)


def test_settings_that_change_what_comes_out_have_caches_of_their_own(tmp_path):
    digest = content_digest(b"")
    sifts = [SIFT, DenseSIFT(step=9), DenseSIFT(grid=(2, 3)), DenseSIFT(step=8, bin_sizes=(4,))]
    sifts += [DenseSIFT(step=8, **own) for own in ({"root": True}, {"colour": "opponent"})]
    sifts += [DenseSIFT(step=8, window="gaussian")]
    readings = [{**READING, "max_side": 99}, {**READING, "allow_truncated": True}]
    readings += [{**READING, "max_pixels": 99}]
    caches = [cache_of(tmp_path, sift, READING, 1) for sift in sifts]
    caches += [cache_of(tmp_path, SIFT, reading, 1) for reading in readings]
    assert len({cache.path(digest) for cache in caches}) == 10
    # NumPy's numbers are the same settings.
    other = DenseSIFT(step=np.int64(8), root=np.bool_(False), bin_sizes=np.array([4, 6, 8, 10]))
    reading = {**READING, "max_pixels": np.int64(MAX_PIXELS)}
    assert cache_of(tmp_path, other, reading, 1).path(digest) == caches[0].path(digest)


def test_a_temporary_folder_goes_with_the_last_batch(scenes, describer):
    paths = sorted((scenes / "noise").iterdir())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        batch = batch_of(paths, describer(TemporaryDescriptorCache({})))
        folder = batch.describer.cache.folder
        part = batch[:2]
        del batch
        gc.collect()
        assert sum(path.is_file() for path in folder.rglob("*")) == 8
        assert len(part[1].values) == 52
        del part
        gc.collect()
        assert not folder.exists()


def test_a_temporary_folder_goes_with_the_process(scenes, tmp_path):
    code = (
        "import glob, os, sys; from sfmvision.preparation import ScenePreparation; "
        "import sfmvision.descriptors.encoding; sfmvision.descriptors.encoding._FEW = 1; "
        "batch = ScenePreparation().encode(sys.argv[1:], None); "
        "print(len(batch), len(os.listdir(os.environ['TMPDIR'])))"
    )
    paths = sorted((scenes / "noise").iterdir())
    environment = {"TMPDIR": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "-c", code, *paths],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("8 1\n", "")
    assert list(tmp_path.iterdir()) == []
