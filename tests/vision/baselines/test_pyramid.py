"""Pyramid histograms: what is counted where, one image at a time, and the map of their columns."""

import pickle
import threading

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from sfmvision.baselines.additive import (
    chi_square_kernel,
    chi_square_map,
    primal_weights,
    scores_of,
)
from sfmvision.baselines.pyramid import PyramidHistogram
from sfmvision.descriptors.batch import Describer, InMemory
from sfmvision.descriptors.dense_sift import DenseSIFT
from sfmvision.descriptors.encoding import encoded
from sfmvision.descriptors.streaming import Recent, for_each_image, listed
from sfmvision.images.reading import MAX_PIXELS, read_image

CLASSES = ("blobs", "noise", "stripes")
SMALL = {"n_words": 8, "step": 6, "random_state": 0}


@pytest.fixture(scope="module")
def X(picture):
    """Three RGB images of each texture."""
    return [picture(kind, number) for kind in CLASSES for number in range(3)]


@pytest.fixture(scope="module")
def pyramid(X):
    return PyramidHistogram(**SMALL).fit(X)


@pytest.fixture
def batch():
    def call(images, max_side=480, **parameters):
        sift = DenseSIFT(**{"step": 6, **parameters})
        describer = Describer(sift, max_side, False, MAX_PIXELS, InMemory())
        return encoded(images, describer, n_threads=1, show_progress=False)

    return call


def plain_pyramid(image, centres, sift, levels):
    """The same by the definition, patch by patch."""
    made = sift.compute(image)
    height, width = image.shape[:2]
    n_words = len(centres) + 1
    parts = []
    for rows, columns in levels:
        counts = np.zeros((rows, columns, n_words))
        for value, (y, x), flat in zip(made.values, made.centres, made.flat, strict=True):
            distances = ((value.astype(float) - centres) ** 2).sum(1)
            word = n_words - 1 if flat else distances.argmin()
            counts[int(y * rows // height), int(x * columns // width), word] += 1
        parts.append(counts.ravel() / counts.sum())
    joined = np.concatenate(parts)
    return joined / joined.sum()


def histograms(n_rows, n_columns, seed=0, smallest=0.01):
    """Random rows of the sum 1, a third of them zeros."""
    random = np.random.default_rng(seed)
    rows = random.uniform(smallest, 1, (n_rows, n_columns))
    rows[random.uniform(size=rows.shape) < 1 / 3] = 0
    return (rows / rows.sum(1, keepdims=True)).astype(np.float32)


def plain_kernel(A, B):
    """Sum of 2 x y / (x + y), where one of them is not 0."""
    x, y = A[:, None].astype(float), B[None].astype(float)
    total = x + y
    return np.where(total > 0, 2 * x * y / np.where(total > 0, total, 1), 0).sum(2)


# The histograms


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"grid": (5, 7), "step": None, "n_words": 5},
        {"levels": ((1, 1), (3, 2)), "bin_sizes": (4, 6), "window": "gaussian"},
        {"root": True, "colour": "opponent"},
    ],
)
def test_rows_are_those_of_the_definition(X, parameters):
    model = PyramidHistogram(**{**SMALL, **parameters})
    uniform = np.full((50, 44), 0.3)
    uniform[:, 30:] = 0.9
    images = [*X, uniform]
    rows = model.fit(X).transform(images)
    sift = DenseSIFT(
        model.grid, model.step, model.bin_sizes, model.window, model.root, model.colour
    )
    centres = model.codebook_.centres_
    expected = [plain_pyramid(image, centres, sift, model.levels) for image in images]
    np.testing.assert_allclose(rows, expected, atol=1e-7)
    assert rows.dtype == np.float32
    last = rows[-1].reshape(-1, model.n_words_)[:, -1]
    assert last.sum() > 0.1  # patches beside the edge have no contrast


def test_defaults_are_those_of_the_full_demonstration(picture):
    model = PyramidHistogram(random_state=0)
    assert (model.n_words, model.step, model.bin_sizes) == (600, 3, (4, 6, 8, 10))
    rows = model.fit_transform([picture("noise", number) for number in range(3)])
    assert rows.shape == (3, 20 * 601)
    assert model.codebook_.n_words_ == 600


def test_every_level_has_the_same_share(X, pyramid):
    rows = pyramid.transform(X)
    first, second = rows[:, : 4 * 9].sum(1), rows[:, 4 * 9 :].sum(1)
    np.testing.assert_allclose(first, 0.5, rtol=1e-6)
    np.testing.assert_allclose(second, 0.5, rtol=1e-6)


def test_an_image_without_contrast_has_only_the_last_word(pyramid):
    (row,) = pyramid.transform([np.full((60, 60), 90, np.uint8)])
    by_word = row.reshape(-1, pyramid.n_words_).sum(0)
    np.testing.assert_allclose(by_word, [0] * 8 + [1], atol=1e-6)


def test_longer_images_are_reduced(pyramid, picture):
    large = np.kron(picture("blobs", 1, (96, 120)), np.ones((5, 5, 1), np.uint8))
    small = picture("blobs", 1, (96, 120)).repeat(4, 0).repeat(4, 1)
    np.testing.assert_allclose(*pyramid.transform([large, small]), atol=0.01)


def test_the_sample_is_bounded(X):
    few = PyramidHistogram(**{**SMALL, "n_sample": 8}).fit(X)
    # Eight rows for eight words: each is one of them.
    assert np.array_equal(few.codebook_.centres_, few.codebook_.centres_.round())


# What it takes


def test_files_arrays_and_batches_give_the_same_bits(scenes, batch):
    paths = sorted(scenes.rglob("*.png"))[::4]
    arrays = [read_image(path) for path in paths]
    forms = (paths, arrays, batch(paths), iter(arrays))
    rows = [PyramidHistogram(**SMALL).fit_transform(form) for form in forms]
    for other in rows[1:]:
        assert np.array_equal(other, rows[0])


@pytest.mark.parametrize("changed", [{"step": 8}, {"root": True}, {"max_side": 100}])
def test_a_batch_that_was_described_otherwise_is_refused(X, pyramid, batch, changed):
    other = batch(X, **changed)
    for call in (pyramid.transform, PyramidHistogram(**SMALL).fit):
        with pytest.raises(ValueError, match="X must be described as the parameters say"):
            call(other)


@pytest.mark.parametrize("changed", [{"step": 8}, {"root": True}, {"max_side": 100}])
def test_parameters_that_describe_images_are_those_of_the_fit(X, changed):
    pyramid = PyramidHistogram(**SMALL).fit(X).set_params(**changed)
    with pytest.raises(ValueError, match=rf"^{next(iter(changed))} must be .*, as in fit, got "):
        pyramid.transform(X)


def test_a_cache_changes_no_bit(X, pyramid, tmp_path):
    for _ in range(2):
        cached = PyramidHistogram(**SMALL, cache=tmp_path / "cache")
        assert np.array_equal(cached.fit_transform(X), pyramid.transform(X))
    assert sum(path.is_file() for path in (tmp_path / "cache").rglob("*")) == 9


def test_same_bits_with_one_and_two_threads(X, pyramid):
    two = PyramidHistogram(**SMALL, n_jobs=2)
    assert np.array_equal(two.fit_transform(X), pyramid.transform(X))
    other = PyramidHistogram(**{**SMALL, "random_state": 1})
    assert not np.array_equal(other.fit_transform(X), pyramid.transform(X))


def test_columns_have_names_and_the_estimator_is_scikit_learns(X, pyramid):
    names = pyramid.get_feature_names_out()
    assert (len(names), names[0]) == (20 * 9, "pyramidhistogram0")
    assert clone(pyramid).get_params() == pyramid.get_params()
    again = pickle.loads(pickle.dumps(pyramid))
    assert np.array_equal(again.transform(X), pyramid.transform(X))
    with pytest.raises(NotFittedError):
        PyramidHistogram().transform(X)


# What it refuses


@pytest.mark.parametrize("one", ["a.jpg", b"a.jpg", 5])
def test_what_is_no_list_is_refused(pyramid, one):
    for call in (pyramid.transform, PyramidHistogram(**SMALL).fit):
        with pytest.raises(ValueError, match="X must be a list of images, not"):
            call(one)


def test_no_image_to_learn_from_is_refused(pyramid):
    with pytest.raises(ValueError, match="no image to learn words from: X is empty"):
        PyramidHistogram(**SMALL).fit([])
    assert pyramid.transform([]).shape == (0, 20 * 9)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_all_bad_images_are_named_at_once(X, pyramid, odd, n_jobs):
    paths = list(odd)
    images = [*paths, X[0], None, X[2][:8, :8]]
    bad = [number for number, path in enumerate(paths) if odd[path] != "ok"]
    for call in (pyramid.transform, PyramidHistogram(**SMALL, n_jobs=n_jobs).fit):
        with pytest.raises(ValueError, match=r"^6 images can't be used: ") as caught:
            call(images)
        for number in bad:
            assert f"item {number}: {paths[number]}: {odd[paths[number]]}" in str(caught.value)
        assert "item 13: <array>: of type NoneType, neither pixels nor a path" in str(caught.value)
        assert "item 14: <array>: too small for a patch" in str(caught.value)


# One image at a time


def test_descriptors_of_one_image_are_kept_for_each_thread():
    cache = Recent()
    cache.put("a", {"flat": np.zeros(1)})
    seen = []
    thread = threading.Thread(target=lambda: seen.append(cache.get("a")))
    thread.start()
    thread.join()
    assert seen == [None]
    assert cache.get("a") is not None
    cache.put("b", {"flat": np.zeros(2)})
    assert cache.get("a") is None


def test_an_image_is_described_once_in_a_pass(X, monkeypatch):
    described = []
    compute = DenseSIFT.compute

    def spy(self, image):
        described.append(1)
        return compute(self, image)

    monkeypatch.setattr(DenseSIFT, "compute", spy)
    model = PyramidHistogram(**SMALL).fit(X)
    assert len(described) == len(X)
    model.transform(X)
    assert len(described) == 2 * len(X)


def test_an_error_of_the_user_of_descriptors_is_not_taken_for_a_bad_image(X):
    def use(number, described):
        raise ZeroDivisionError

    describer = Describer(DenseSIFT(step=6), None, False, MAX_PIXELS, Recent())
    for n_threads in (1, 2):
        with pytest.raises(ZeroDivisionError):
            for_each_image(listed(X), describer, use, n_threads=n_threads)


# The map of columns


def test_the_map_is_that_of_the_formula():
    rows = histograms(5, 40)
    step = 0.5
    x = rows.astype(float)
    logs = np.log(np.where(x > 0, x, 1))
    size = np.sqrt(2 * x * step / np.cosh(np.pi * step))
    parts = [np.sqrt(step * x), size * np.cos(step * logs), size * np.sin(step * logs)]
    np.testing.assert_allclose(chi_square_map(rows), np.stack(parts, axis=1), atol=1e-6)


def test_products_are_within_a_tenth_of_the_exact_kernel():
    rows = histograms(30, 1300)  # three blocks of columns
    exact, ours = plain_kernel(rows, rows), chi_square_kernel(rows)
    # No value is 500 times another, so each column errs by at most 0.104 sqrt(x y).
    assert rows.max() < 500 * rows[rows > 0].min()
    roots = np.sqrt(rows.astype(float))
    assert np.all(np.abs(ours - exact) <= 0.104 * (roots @ roots.T) + 1e-6)
    np.testing.assert_allclose(np.diagonal(ours), 0.8985, atol=1e-4)
    assert np.array_equal(ours, ours.T)


def test_products_of_all_columns_at_once_and_in_blocks_agree():
    rows = histograms(20, 1100)
    mapped = chi_square_map(rows).reshape(20, -1).astype(float)
    np.testing.assert_allclose(chi_square_kernel(rows), mapped @ mapped.T, rtol=1e-5)
    dual = np.random.default_rng(1).normal(size=(3, 20))
    weights = primal_weights(rows, dual)
    np.testing.assert_allclose(weights.reshape(3, -1), dual @ mapped, atol=1e-5)
    np.testing.assert_allclose(
        scores_of(rows[4], weights), dual @ mapped @ mapped[4], rtol=1e-5, atol=1e-6
    )


def test_the_kernel_has_the_same_bits_with_one_and_two_threads():
    rows = histograms(25, 1700)
    assert np.array_equal(chi_square_kernel(rows, 1), chi_square_kernel(rows, 2))


def test_the_map_is_an_array_whatever_scikit_learn_is_set_to():
    pytest.importorskip("pandas")
    with sklearn.config_context(transform_output="pandas"):
        assert chi_square_map(histograms(2, 3)).shape == (2, 3, 3)
