"""Dense SIFT: against OpenCV, under changes of the image, and on images that are odd."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmvision.descriptors import dense_sift
from sfmvision.descriptors.dense_sift import DenseSIFT, bin_kernels, smoothing_kernel
from sfmvision.descriptors.grid import centres, first_bins, patch_grid

cv2 = pytest.importorskip("cv2")
data = pytest.importorskip("skimage.data")

ONE = DenseSIFT(step=5, bin_sizes=(4,))


def textured(height, width, channels=None, seed=0):
    shape = (height, width) if channels is None else (height, width, channels)
    return np.random.default_rng([seed, height, width]).integers(0, 256, shape, dtype=np.uint8)


def close(found, other, most=1):
    """Equal but for the rounding of a few values."""
    difference = np.abs(found.values.astype(int) - other.values)
    assert difference.max() <= most
    assert np.array_equal(found.flat, other.flat)
    assert np.array_equal(found.centres, other.centres)


def cosines(a, b):
    a, b = a.astype(float), b.astype(float)
    return (a * b).sum(1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))


def opencv(image, found, sigma):
    """OpenCV's descriptors at the same places; octave 0 and layer 0 are the image itself."""
    # Three bins are the radius, and the size is the diameter.
    points = [
        cv2.KeyPoint(float(x), float(y), float(2 * size / 3), 0.0, 1.0, 0)
        for (y, x), size in zip(found.centres, found.bin_sizes, strict=True)
    ]
    kept, values = cv2.SIFT_create(sigma=sigma).compute(image, points)
    assert len(kept) == len(points)
    return values


def same_smoothing(bin_size):
    # OpenCV takes it that a camera has smoothed with 0.5 already.
    return float(np.hypot(bin_size / 6, 0.5))


@pytest.mark.parametrize("name", ["brick", "grass", "gravel", "camera"])
@pytest.mark.parametrize("size", [4, 10])
def test_descriptors_are_opencvs_but_for_smoothing_and_window(name, size, monkeypatch):
    image = np.ascontiguousarray(getattr(data, name)()[128:288, 128:288])
    for window in ("flat", "gaussian"):
        sift = DenseSIFT(step=12, bin_sizes=(size,), window=window, contrast=0.0)
        found = sift.compute(image).values
        # At OpenCV's own smoothing, which is more than twice ours for bins of 4, medians are
        # 0.915 to 0.975 for these and 0.993 to 0.996 for bins of 10.
        own = opencv(image, sift.compute(image), 1.6)
        assert np.median(cosines(found, own)) > (0.90 if size == 4 else 0.99)
        # With the same smoothing 0.993 to 0.996: what is left is the window, 1.5 bins for 2.
        same = opencv(image, sift.compute(image), same_smoothing(size))
        assert np.median(cosines(found, same)) > 0.99
    monkeypatch.setattr(
        dense_sift, "bin_kernels", lambda size, window: bin_kernels(size, window, 2.0)
    )
    found = sift.compute(image).values
    # With the same window as well they are the same.
    assert np.median(cosines(found, same)) > 0.9995
    assert np.median(np.abs(found - same)) <= 1


def test_root_is_the_root_of_the_shares():
    image = textured(50, 60)
    plain = ONE.compute(image).values.astype(float)
    root = DenseSIFT(step=5, bin_sizes=(4,), root=True).compute(image)
    wanted = 512 * np.sqrt(plain / plain.sum(1, keepdims=True))
    # Rounding of the plain ones to whole numbers, where the root is steep.
    assert np.abs(root.values - np.minimum(wanted, 255))[plain > 8].max() < 2.5
    lengths = np.linalg.norm(root.values.astype(float), axis=1)
    assert np.all(np.abs(lengths - 512) < 4)


def turned_values(values):
    """Descriptors of the image turned by 90 degrees counter-clockwise."""
    bins = values.reshape(-1, 4, 4, 8)
    return np.roll(np.rot90(bins, axes=(1, 2)), 2, axis=3).reshape(-1, 128)


# Of odd bins and an even image a single patch stands exactly in the middle.
MIDDLE = {"grid": (1, 1), "bin_sizes": (5,)}


@pytest.mark.parametrize("window", ["flat", "gaussian"])
def test_turning_the_image_by_90_degrees_permutes_descriptors(window):
    image = textured(36, 36)
    sift = DenseSIFT(**MIDDLE, window=window)
    upright, turned = sift.compute(image), sift.compute(np.rot90(image))
    assert upright.centres.tolist() == turned.centres.tolist() == [[17.5, 17.5]]
    wanted = turned_values(upright.values)
    assert np.abs(turned.values.astype(int) - wanted).max() <= 1
    assert np.abs(turned.values.astype(int) - upright.values).max() > 20


def test_mirroring_the_image_permutes_descriptors():
    image = textured(36, 36)
    sift = DenseSIFT(**MIDDLE)
    bins = sift.compute(image).values.reshape(4, 4, 8)
    mirrored = sift.compute(image[:, ::-1]).values.reshape(4, 4, 8).astype(int)
    wanted = bins[:, ::-1, (4 - np.arange(8)) % 8]
    assert np.abs(mirrored - wanted).max() <= 1


@pytest.mark.parametrize("window", ["flat", "gaussian"])
def test_a_shift_by_whole_pixels_shifts_descriptors(window):
    image = textured(90, 90)
    sift = DenseSIFT(step=5, bin_sizes=(4,), window=window)
    whole, part = sift.compute(image), sift.compute(image[10:, 15:])
    by_place = {tuple(place): v for place, v in zip(whole.centres, whole.values, strict=True)}
    height, width = image[10:, 15:].shape
    # Away from the borders, with the smoothing: there the images differ.
    inner = [
        k for k, (y, x) in enumerate(part.centres) if 14 <= y < height - 14 and 14 <= x < width - 14
    ]
    assert len(inner) > 50
    for k in inner:
        y, x = part.centres[k]
        assert np.array_equal(by_place[y + 10, x + 15], part.values[k])


def test_brightness_and_contrast_leave_descriptors_alone():
    image = textured(60, 50) / 255
    found = ONE.compute(image)
    assert not found.flat.any()
    close(found, ONE.compute(0.2 + 0.5 * image))
    close(found, ONE.compute(0.9 * image))


@pytest.mark.parametrize("contrast", [0.0, 0.005])
@pytest.mark.parametrize("colour", ["grey", "opponent"])
@pytest.mark.parametrize("shape", [(60, 53), (60, 53, 3)])
@pytest.mark.parametrize("level", [0, 77, 200, 255])
def test_a_uniform_image_is_flat_everywhere(level, shape, colour, contrast):
    sift = DenseSIFT(step=4, colour=colour, contrast=contrast)
    for image in np.full(shape, level, dtype=np.uint8), np.full(shape, level / 255):
        found = sift.compute(image)
        assert len(found) > 50
        assert found.flat.all()
        assert not found.values.any()


def test_the_uniform_half_of_an_image_is_flat():
    image = textured(80, 100)
    image[:, 50:] = 131
    found = DenseSIFT(step=4, bin_sizes=(4, 6)).compute(image)
    left = found.centres[:, 1] + 2 * found.bin_sizes < 48
    # Half a bin beyond the patch, the smoothing and the difference.
    right = found.centres[:, 1] - 2.5 * found.bin_sizes - 5 > 50
    assert left.sum() > 50
    assert right.sum() > 50
    assert not found.flat[left].any()
    assert found.flat[right].all()
    assert not found.values[found.flat].any()
    assert found.values[~found.flat].any(1).all()


def test_contrast_is_the_mean_mass_of_the_gradient():
    # A slope of 0.01 a pixel: the bins' sum over (3 bin + 1)^2 by hand.
    image = np.tile(np.arange(60) / 100, (60, 1))
    size = 4
    weights = bin_kernels(size, "flat")[1]
    mass = 0.01 * (size * float(weights.sum())) ** 2 / (3 * size + 1) ** 2
    for contrast, flat in (0.99 * mass, False), (1.01 * mass, True):
        sift = DenseSIFT(grid=(1, 1), bin_sizes=(size,), contrast=contrast)
        assert sift.compute(image).flat[0] == flat


@pytest.mark.parametrize("colour", ["grey", "opponent"])
@pytest.mark.parametrize("shape", [(8, 8), (1, 500), (500, 1), (15, 15), (0, 5), (5, 0), (0, 0)])
def test_an_image_too_small_for_every_scale_has_no_patch(shape, colour):
    width = 128 if colour == "grey" else 384
    for parameters in {"step": 3}, {"grid": (4, 5)}:
        sift = DenseSIFT(colour=colour, **parameters)
        for image in np.zeros(shape), np.zeros((*shape, 3), dtype=np.uint8):
            found = sift.compute(image)
            assert len(found) == 0
            assert found.values.shape == (0, width)
            assert found.centres.shape == (0, 2)
            assert found.bin_sizes.shape == found.flat.shape == (0,)


def test_scales_that_do_not_fit_give_nothing_and_the_others_everything():
    found = DenseSIFT(grid=(3, 4)).compute(textured(24, 50))
    assert np.array_equal(found.bin_sizes, np.repeat(np.float32([4, 6]), 12))
    # As large as the patch: there is one place.
    found = DenseSIFT(step=1, bin_sizes=(4, 5)).compute(textured(20, 20))
    assert np.array_equal(found.bin_sizes == 5, np.arange(26) == 25)


@pytest.mark.parametrize("parameters", [{}, {"colour": "opponent", "root": True}])
def test_memory_order_and_read_only_images_do_not_matter(parameters):
    sift = DenseSIFT(step=6, bin_sizes=(4, 5), **parameters)
    for image in textured(50, 43), textured(50, 43, 3), textured(50, 43) / 255:
        plain = sift.compute(image)
        frozen = image.copy()
        frozen.flags.writeable = False
        wide = np.repeat(np.repeat(image, 2, axis=0), 3, axis=1)
        others = [np.asfortranarray(image), frozen, wide[::2, ::3], image[::-1].copy()[::-1]]
        if image.dtype != np.uint8:
            others += [image.astype(">f8"), image.tolist()]
        before = image.copy()
        for other in others:
            found = sift.compute(other)
            assert np.array_equal(found.values, plain.values)
            assert np.array_equal(found.flat, plain.flat)
        assert np.array_equal(image, before)


def test_floats_are_bytes_over_255():
    for image in textured(60, 50), textured(60, 50, 3):
        sift = DenseSIFT(step=7, colour="opponent")
        found = sift.compute(image)
        close(found, sift.compute(image / 255))
        close(found, sift.compute((image / 255).astype(np.float32)))


def test_opponent_colours_describe_three_planes_each_on_its_own():
    image = textured(60, 50, 3)
    colours = DenseSIFT(step=5, bin_sizes=(4,), colour="opponent").compute(image)
    grey = ONE.compute(image)
    assert np.array_equal(colours.values[:, :128], grey.values)
    assert np.array_equal(colours.flat, grey.flat)
    red, green, blue = np.moveaxis(image / 255.0, 2, 0)
    planes = (red - green) / 2**0.5, (red + green - 2 * blue) / 6**0.5
    for k, plane in enumerate(planes, 1):
        # Brightness and contrast change nothing, so the plane may be put between 0 and 1.
        alone = ONE.compute((plane + 2) / 4).values.astype(int)
        assert np.abs(alone - colours.values[:, k * 128 : (k + 1) * 128]).max() <= 1


def test_a_grey_image_has_no_contrast_in_colours():
    grey = textured(40, 40)
    sift = DenseSIFT(step=5, colour="opponent")
    for image in grey, np.repeat(grey[:, :, None], 3, axis=2):
        found = sift.compute(image)
        assert not found.flat.any()
        assert found.values[:, :128].any()
        assert not found.values[:, 128:].any()
    close(DenseSIFT(step=5).compute(grey), DenseSIFT(step=5).compute(image))


def test_without_contrast_in_intensity_a_patch_is_flat_whatever_its_colours():
    # Red and green of the same intensity, but for the rounding of bytes to float32.
    image = np.zeros((40, 40, 3))
    image[:, ::4, 0] = 0.587
    image[:, 2::4, 1] = 0.299
    image[:, 1::4] = image[:, ::4]
    image[:, 3::4] = image[:, 2::4]
    found = DenseSIFT(step=5, bin_sizes=(4,), colour="opponent").compute(image)
    assert found.flat.all()
    assert not found.values.any()


@given(
    st.integers(1, 60),
    st.integers(1, 60),
    st.lists(st.integers(1, 12), min_size=1, max_size=4),
    st.integers(1, 7),
    st.integers(1, 7),
)
@settings(max_examples=200, deadline=None)
def test_a_grid_has_all_its_patches_inside_at_every_scale_that_fits(
    height, width, sizes, rows, columns
):
    places = patch_grid(height, width, sizes, grid=(rows, columns))
    for size, (y, x) in zip(sizes, places, strict=True):
        if 4 * size > min(height, width):
            assert len(y) == len(x) == 0
            continue
        assert (len(y), len(x)) == (rows, columns)
        for first, length, count in (y, height, rows), (x, width, columns):
            assert first.min() >= 0
            assert first.max() + 4 * size <= length
            if count > 1:
                assert (first[0], first[-1]) == (0, length - 4 * size)
                # Evenly, but for whole pixels.
                assert np.ptp(np.diff(first)) <= 1
            # The four bins lie in the patch, and the patch around its centre.
            assert np.all(first_bins(first, size) + 3 * size < first + 4 * size)
            assert np.all(np.abs(centres(first, size) - first - (2 * size - 0.5)) <= 0.5)


@given(
    st.integers(1, 60),
    st.integers(1, 60),
    st.lists(st.integers(1, 12), min_size=1, max_size=4),
    st.integers(1, 20),
)
@settings(max_examples=200, deadline=None)
def test_a_step_gives_all_scales_the_centres_of_the_largest(height, width, sizes, step):
    places = patch_grid(height, width, sizes, step=step)
    fitting = [size for size in sizes if 4 * size <= min(height, width)]
    if not fitting:
        assert all(len(y) == len(x) == 0 for y, x in places)
        return
    largest = centres(places[sizes.index(max(fitting))][0], max(fitting))
    for size, (y, x) in zip(sizes, places, strict=True):
        if size not in fitting:
            assert len(y) == len(x) == 0
            continue
        for first, length in (y, height), (x, width):
            # As many as fit.
            assert 0 <= first[0] < max(step, 1)
            assert np.all(np.diff(first) == step)
            assert length - 4 * size - step < first[-1] <= length - 4 * size
        own = centres(y, size)
        # Half a pixel between odd and even bins.
        nearest = np.abs(own[:, None] - largest[None]).min(0)
        assert np.all(nearest <= (0.5 if (size - max(fitting)) % 2 else 0.0))


def test_patches_come_scale_by_scale_and_row_by_row():
    found = DenseSIFT(grid=(2, 3), bin_sizes=(6, 4)).compute(textured(40, 50))
    assert found.bin_sizes.tolist() == [6] * 6 + [4] * 6
    assert found.centres[:6].tolist() == [[y, x] for y in (12, 28) for x in (12, 25, 38)]
    assert found.centres.dtype == found.bin_sizes.dtype == np.float32
    assert found.values.dtype == np.uint8
    assert found.flat.dtype == bool


def test_filters_sum_to_one_and_are_shared_read_only():
    for size in (1, 2, 3, 4, 10, 30):
        half = smoothing_kernel(size)
        assert 2 * half.sum() - half[0] == pytest.approx(1, abs=1e-6)
        assert (len(half) == 1) == (size == 1)
        kernels, weights = bin_kernels(size, "flat")
        assert kernels.sum() == pytest.approx(size)
        assert np.all(np.diff(weights[:2]) > 0)
        for array in half, kernels, weights:
            assert not array.flags.writeable


BAD = {
    "grid": [(0, 3), (3,), (1, 2, 3), (2.0, 2), 5, "ab", (True, 2), (), (10**300, 2)],
    "step": [0, -1, 2.5, True, "3", 10**300],
    "bin_sizes": [(), 4, (0,), (4, 2.5), "46", (True,), (4, 10**500)],
    "window": ["square", None, 1],
    "root": [1, "yes", None],
    "colour": ["rgb", None],
    "contrast": [-0.1, np.nan, np.inf, "much", None, True],
}


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, values in BAD.items() for v in values])
def test_bad_parameters_are_refused_by_name(name, value):
    others = {} if name in ("grid", "step") else {"step": 4}
    with pytest.raises(ValueError, match=name):
        DenseSIFT(**others, **{name: value})


@pytest.mark.parametrize("parameters", [{}, {"grid": (2, 2), "step": 3}])
def test_exactly_one_of_grid_and_step_is_needed(parameters):
    with pytest.raises(ValueError, match="exactly one of grid and step"):
        DenseSIFT(**parameters)


NAN, BRIGHT, DARK, INFINITE = (np.full((40, 40), 0.5) for _ in range(4))
NAN[3, 4], BRIGHT[3, 4], DARK[3, 4], INFINITE[3, 4] = np.nan, 1.1, -0.1, np.inf


@pytest.mark.parametrize(
    "image",
    [
        NAN,
        BRIGHT,
        DARK,
        INFINITE,
        np.zeros(40),
        np.zeros((40, 40, 4)),
        np.zeros((40, 40, 1)),
        np.zeros((2, 40, 40, 3)),
        np.zeros((40, 40), dtype=np.int64),
        np.zeros((40, 40), dtype=np.uint16),
        np.zeros((40, 40), dtype=bool),
        np.zeros((40, 40), dtype=complex),
        np.full((40, 40), "a"),
        None,
    ],
)
def test_bad_images_are_refused(image):
    with pytest.raises(ValueError, match="image"):
        ONE.compute(image)


def test_lists_and_whole_numbers_of_numpy_are_parameters_too():
    sift = DenseSIFT(grid=[np.int64(2), 3], bin_sizes=[np.int32(4)])
    assert sift == DenseSIFT(grid=(2, 3), bin_sizes=(4,))
    assert hash(sift) == hash(DenseSIFT(grid=(2, 3), bin_sizes=(4,)))
