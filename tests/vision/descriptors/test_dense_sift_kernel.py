"""The kernel of dense SIFT against its NumPy twin, and what it refuses."""

import threading

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sfmvision.descriptors.dense_sift import bin_kernels, smoothing_kernel
from sfmvision.kernels import _dense_sift
from tests.twins import vision as twins

STRIDE = 16


def padded(image):
    height, width = image.shape
    # What stands behind the last column must not matter.
    plane = np.full((height, -(-width // STRIDE) * STRIDE), 0.7, dtype=np.float32)
    plane[:, :width] = image
    return plane


def describe(image, filters, rows, columns, contrast=0.005, root=False):
    rows, columns = (np.asarray(x, dtype=np.int64) for x in (rows, columns))
    n = len(rows) * len(columns)
    out, flat = np.full((n, 128), 77, dtype=np.uint8), np.full(n, 77, dtype=np.uint8)
    _dense_sift.descriptors(
        padded(image), image.shape[1], *filters, rows, columns, contrast, root, out, flat
    )
    return out, flat


def filters_of(bin_size, window, smoothing=None):
    smoothing = smoothing_kernel(bin_size) if smoothing is None else smoothing
    return smoothing, *bin_kernels(bin_size, window)


def textured(height, width, seed=0):
    return np.random.default_rng([seed, height, width]).integers(0, 256, (height, width)) / 255


# Sizes around whole vectors of 16; steps below, at and above a bin; repeated and single patches.
@st.composite
def cases(draw):
    bin_size = draw(st.integers(1, 7))
    height, width = (draw(st.integers(3 * bin_size + 1, 50)) for _ in range(2))
    image = textured(height, width, draw(st.integers(0, 999)))
    if draw(st.booleans()):
        # Steps and plateaus: ties of the gradient's components, and no gradient at all.
        image = np.round(image * 2) / 2
    rows, columns = (
        sorted(draw(st.lists(st.integers(0, length - 3 * bin_size - 1), min_size=1, max_size=6)))
        for length in (height, width)
    )
    radius = draw(st.sampled_from([None, 0, 1, 20]))
    smoothing = None
    if radius is not None:
        half = np.exp(-np.arange(radius + 1) / 2.0)
        smoothing = (half / (2 * half.sum() - half[0])).astype(np.float32)
    filters = filters_of(bin_size, draw(st.sampled_from(["flat", "gaussian"])), smoothing)
    contrast = draw(st.sampled_from([1e-4, 0.005, 0.05]))
    return image, bin_size, filters, rows, columns, contrast, draw(st.booleans())


@given(cases())
@settings(max_examples=50, deadline=None)
def test_every_width_of_vectors_gives_the_same(in_width, case):
    image, _, filters, rows, columns, contrast, root = case
    widest, flat = describe(image, filters, rows, columns, contrast, root)
    with in_width(256):
        half, same = describe(image, filters, rows, columns, contrast, root)
    assert np.array_equal(half, widest)
    assert np.array_equal(same, flat)


@given(cases())
@settings(max_examples=200, deadline=None)
def test_kernel_equals_twin(case):
    image, bin_size, filters, rows, columns, contrast, root = case
    out, flat = describe(image, filters, rows, columns, contrast, root)
    bins = twins.dense_sift_bins(image, *filters, np.array(rows), np.array(columns))
    mass = twins.sift_mass(bins, bin_size)
    assume(np.all(np.abs(mass - contrast) > 1e-5 * contrast))
    assert np.array_equal(flat, mass < contrast)
    twin = 512 * twins.sift_normalise(bins, root)
    twin[flat == 1] = 0
    # Half a step of rounding, and float32: the root is steep near 0.
    np.testing.assert_allclose(out, np.minimum(twin, 255), rtol=0, atol=0.55 if root else 0.505)


@pytest.mark.parametrize("orientation", range(8))
def test_a_slope_has_the_orientation_it_rises_to(orientation):
    angle = orientation * np.pi / 4
    # Rows run downwards, angles counter-clockwise as seen.
    y, x = np.mgrid[:20, :20]
    image = 0.5 + (x * np.round(np.cos(angle)) - y * np.round(np.sin(angle))) / 128
    out, flat = describe(image, filters_of(4, "flat", np.ones(1, np.float32)), [3], [2])
    assert not flat.any()
    # Up to the clamp all bins are alike: 512 / sqrt(16).
    assert np.array_equal(out.reshape(16, 8).any(0), np.arange(8) == orientation)


@pytest.mark.parametrize("degrees", [5, 20, 40, 50, 130, 220, 310])
def test_a_slope_between_orientations_is_shared_linearly(degrees):
    angle = np.deg2rad(degrees)
    y, x = np.mgrid[:20, :20]
    image = 0.5 + (x * np.cos(angle) - y * np.sin(angle)) / 100
    # RootSIFT of equal bins, so small that none is clamped: squares are the shares.
    out, _ = describe(
        image, filters_of(4, "flat", np.ones(1, np.float32)), [3], [3], contrast=1e-3, root=True
    )
    low, part = divmod(degrees / 45, 1)
    wanted = np.zeros(8)
    wanted[int(low)], wanted[(int(low) + 1) % 8] = 1 - part, part
    assert np.array_equal(out.reshape(16, 8).any(0), wanted > 0)
    twin = twins.orientations(image)[:, 5, 5] * 100
    np.testing.assert_allclose(twin, wanted, atol=1e-12)


@pytest.mark.parametrize("window", ["flat", "gaussian"])
def test_a_patch_has_the_same_bits_alone_and_in_any_grid(window):
    image = textured(70, 90)
    filters = filters_of(5, window)
    rows, columns = [0, 0, 3, 5, 30, 54], [0, 1, 2, 20, 20, 41, 74]
    whole, whole_flat = describe(image, filters, rows, columns)
    whole = whole.reshape(len(rows), len(columns), 128)
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            alone, flat = describe(image, filters, [row], [column])
            assert np.array_equal(alone[0], whole[i, j])
            assert flat[0] == whole_flat[i * len(columns) + j]


def test_threads_of_the_caller_leave_the_bits_alone():
    images = [textured(100, 130, seed) for seed in range(6)]
    filters = filters_of(4, "flat")
    places = np.arange(0, 80, 3)
    alone = [describe(image, filters, places, places)[0] for image in images]
    together = [None] * len(images)

    def work(k):
        together[k] = describe(images[k], filters, places, places)[0]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(images))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))


def test_rows_written_into_a_column_slice_leave_the_rest_alone():
    image, filters = textured(40, 40), filters_of(4, "flat")
    places = np.array([0, 9, 20])
    contiguous, _ = describe(image, filters, places, places)
    wide = np.full((9, 300), 7, dtype=np.uint8)
    flat = np.zeros(9, dtype=np.uint8)
    plane = padded(image)
    _dense_sift.descriptors(
        plane, 40, *filters, places, places, 0.005, False, wide[:, 100:228], flat
    )
    assert np.array_equal(wide[:, 100:228], contiguous)
    assert np.all(wide[:, :100] == 7)
    assert np.all(wide[:, 228:] == 7)


def test_no_rows_or_no_columns_write_nothing():
    for rows, columns in ([], [3]), ([3], []), ([], []):
        out, flat = describe(textured(30, 30), filters_of(4, "flat"), rows, columns)
        assert out.shape == (0, 128)
        assert flat.shape == (0,)


PLACES = np.array([0, 5])
ONE = np.ones(1, np.float32)
GOOD = {
    "plane": padded(textured(30, 30)),
    "width": 30,
    "smoothing": ONE,
    "kernels": np.ones((1, 7), np.float32),
    "weights": np.ones(4, np.float32),
    "rows": PLACES,
    "columns": PLACES,
    "contrast": 0.005,
    "root": False,
    "out": np.zeros((4, 128), np.uint8),
    "flat": np.zeros(4, np.uint8),
}
READ_ONLY = np.zeros((4, 128), np.uint8)
READ_ONLY.flags.writeable = False
BAD = {
    "a plane of another dtype": {"plane": GOOD["plane"].astype(float)},
    "a plane whose rows are not filled up": {"plane": GOOD["plane"][:, :30].copy()},
    "a plane without rows": {"plane": np.zeros((0, 32), np.float32)},
    "a plane that is too wide": {"plane": np.zeros((1, 1 << 27), np.float32)},
    "more columns than the plane has": {"width": 33},
    "no columns": {"width": 0},
    "no smoothing at all": {"smoothing": ONE[:0]},
    "two kernels": {"kernels": np.ones((2, 7), np.float32)},
    "kernels of even length": {"kernels": np.ones((1, 6), np.float32)},
    "three weights": {"weights": np.ones(3, np.float32)},
    "rows above the image": {"rows": np.array([-1, 5])},
    "rows below the image": {"rows": np.array([0, 18])},
    "rows out of order": {"rows": np.array([5, 0])},
    "columns left of the image": {"columns": np.array([-1, 5])},
    "columns in the filling": {"columns": np.array([0, 18])},
    "rows of another dtype": {"rows": PLACES.astype(np.int32)},
    "out of another size": {"out": np.zeros((3, 128), np.uint8)},
    "out of another width": {"out": np.zeros((4, 127), np.uint8)},
    "out of another dtype": {"out": np.zeros((4, 128), np.int8)},
    "out that is not contiguous along rows": {"out": np.zeros((4, 256), np.uint8)[:, ::2]},
    "out that is read-only": {"out": READ_ONLY},
    "flat of another size": {"flat": np.zeros(5, np.uint8)},
}


def test_good_arguments_are_accepted():
    _dense_sift.descriptors(*GOOD.values())


@pytest.mark.parametrize("name", BAD)
def test_bad_arguments_are_refused(name):
    with pytest.raises((ValueError, TypeError)):
        _dense_sift.descriptors(*{**GOOD, **BAD[name]}.values())
