"""Local colour statistics, and descriptors of the mirror image."""

import cv2
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmvision.descriptors.colours import colour_cells, colour_patches
from sfmvision.descriptors.dense_sift import DenseSIFT
from sfmvision.descriptors.mirror import mirrored_colours, mirrored_sift, with_mirror


def make_image(height, width, seed=0):
    random = np.random.default_rng([seed, height, width])
    return random.integers(0, 256, (height, width, 3)).astype(np.uint8)


@given(st.integers(8, 90), st.integers(8, 90), st.integers(0, 100))
@settings(max_examples=30, deadline=None)
def test_patches_hold_means_and_deviations_of_their_pixels(height, width, seed):
    image = make_image(height, width, seed)
    values, places = colour_patches(colour_cells(image))
    pixels, found = image / 255, 0
    rows, columns = height // 8, width // 8
    for size in (8, 16):
        for top in range(0, 8 * rows - 4 * size + 1, 8):
            for left in range(0, 8 * columns - 4 * size + 1, 8):
                patch = pixels[top : top + 4 * size, left : left + 4 * size]
                parts = patch.reshape(4, size, 4, size, 3)
                twin = np.concatenate([parts.mean((1, 3)), parts.std((1, 3))], axis=-1)
                np.testing.assert_allclose(values[found], twin.ravel(), atol=1e-3)
                middle = (top + 2 * size) / (8 * rows), (left + 2 * size) / (8 * columns)
                np.testing.assert_allclose(places[found, :2] + 0.5, middle, atol=1e-5)
                found += 1
    assert len(values) == len(places) == found


def test_an_image_smaller_than_a_patch_has_none():
    assert len(colour_patches(colour_cells(make_image(31, 100)))[0]) == 0
    assert len(colour_patches(colour_cells(make_image(3, 3)))[0]) == 0


def test_grey_and_floats_are_as_their_colours():
    grey = make_image(40, 48)[:, :, 0]
    whole = colour_cells(np.repeat(grey[:, :, None], 3, axis=2))
    np.testing.assert_allclose(colour_cells(grey), whole, atol=1e-6)
    np.testing.assert_allclose(colour_cells(grey / 255.0), whole, atol=1e-6)


def test_mirrored_colours_are_those_of_the_mirror_image():
    image = make_image(64, 80)
    values, places = colour_patches(colour_cells(image))
    other, where = colour_patches(colour_cells(image[:, ::-1]))
    ours = {tuple(place.round(3) + 0.0): value for place, value in zip(where, other, strict=True)}
    turned, turned_places = with_mirror(values, places, mirrored_colours())
    for place, value in zip(turned_places[len(values) :], turned[len(values) :], strict=True):
        np.testing.assert_allclose(value, ours[tuple(place.round(3) + 0.0)], atol=1e-5)


def test_mirrored_sift_is_that_of_the_mirror_image():
    image = cv2.GaussianBlur(make_image(65, 65), (0, 0), 2)
    sift = DenseSIFT(step=8, bin_sizes=(6,), colour="opponent", contrast=0.0)
    found, other = sift.compute(image), sift.compute(np.ascontiguousarray(image[:, ::-1]))
    ours = {tuple(c): v for c, v in zip(other.centres.tolist(), other.values, strict=True)}
    for (y, x), value in zip(found.centres.tolist(), found.values, strict=True):
        turned = value[mirrored_sift(384)].astype(int)
        assert np.abs(turned - ours[y, 64 - x]).max() <= 2
