"""Spatial histograms against a plain twin, and what they must be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmvision.codebook.layout import PYRAMID, histogram_size, spatial_histogram

LEVELS = [((1, 1),), PYRAMID, ((1, 1), (3, 1)), ((2, 5), (1, 3))]


def make_image(n_patches, shape=(40, 60), n_words=7, seed=0):
    random = np.random.default_rng([seed, n_patches])
    words = random.integers(0, n_words, n_patches).astype(np.uint16)
    # Whole and half pixels, so that many patches stand on the borders of cells.
    places = random.integers(0, 2 * np.array(shape) + 1, (n_patches, 2)) / 2
    return words, places.astype(np.float32), shape


def histogram_twin(words, centres, shape, n_words, levels):
    parts = []
    for n_rows, n_columns in levels:
        part = np.zeros((n_rows, n_columns, n_words))
        for word, place in zip(words, centres, strict=True):
            # Whole numbers of half pixels: no rounding.
            y, x = (int(2 * p) for p in place)
            row = min(y * n_rows // (2 * shape[0]), n_rows - 1)
            column = min(x * n_columns // (2 * shape[1]), n_columns - 1)
            part[row, column, word] += 1
        parts.append(part.ravel() / max(len(words), 1))
    return np.concatenate(parts)


@given(
    st.integers(0, 60),
    st.tuples(st.integers(1, 50), st.integers(1, 50)),
    st.sampled_from(LEVELS),
    st.integers(0, 1000),
)
@settings(max_examples=100, deadline=None)
def test_histogram_equals_twin(n_patches, shape, levels, seed):
    image = make_image(n_patches, shape, seed=seed)
    found = spatial_histogram(*image, 7, levels)
    assert found.dtype == np.float32
    assert found.shape == (histogram_size(7, levels),)
    np.testing.assert_allclose(found, histogram_twin(*image, 7, levels), rtol=1e-6)


@given(st.integers(1, 200), st.sampled_from(LEVELS), st.integers(0, 1000))
@settings(max_examples=50, deadline=None)
def test_every_level_sums_to_one_in_any_order(n_patches, levels, seed):
    words, centres, shape = make_image(n_patches, seed=seed)
    found = spatial_histogram(words, centres, shape, 7, levels)
    first = 0
    for n_rows, n_columns in levels:
        size = n_rows * n_columns * 7
        assert found[first : first + size].sum() == pytest.approx(1, rel=1e-5)
        first += size
    order = np.random.default_rng(seed).permutation(n_patches)
    other = spatial_histogram(words[order], centres[order], shape, 7, levels)
    assert np.array_equal(other, found)


def test_order_is_level_row_column_word():
    one = np.array([2])
    for (y, x), cell in [((1, 1), 0), ((1, 9), 1), ((9, 1), 2), ((9, 9), 3)]:
        found = spatial_histogram(one, np.array([[y, x]]), (10, 10), 3, ((1, 1), (2, 2)))
        assert np.flatnonzero(found).tolist() == [2, 3 + 3 * cell + 2]


@pytest.mark.parametrize(("y", "cell"), [(0, 0), (4.999, 0), (5, 1), (9.999, 1), (10, 1)])
def test_patch_on_a_border_belongs_to_the_cell_that_begins_there(y, cell):
    found = spatial_histogram(np.array([0]), np.array([[y, 0.0]]), (10, 10), 1, ((2, 1),))
    assert found.tolist() == [cell == 0, cell == 1]


def test_neighbours_of_a_border_fall_on_their_sides():
    # Thirds of 7 are no binary fractions; the last float32 below one belongs to the first cell.
    border = np.float32(7) / np.float32(3)
    for y in (np.nextafter(border, np.float32(0)), border, np.nextafter(border, np.float32(9))):
        place = np.array([[y, 0]], dtype=np.float32)
        found = spatial_histogram(np.array([0]), place, (7, 7), 1, ((3, 1),))
        assert found.tolist() == [float(3 * float(y) < 7), float(3 * float(y) >= 7), 0]


def test_image_without_patches_gives_zeros():
    found = spatial_histogram(np.zeros(0, dtype=np.uint16), np.zeros((0, 2)), (5, 5), 4)
    assert found.shape == (4 * 21,)
    assert not found.any()


def test_cells_of_a_tiny_image():
    found = spatial_histogram(np.array([0]), np.array([[0.5, 0.5]]), (1, 1), 1, ((4, 4),))
    assert np.flatnonzero(found).tolist() == [2 * 4 + 2]


@pytest.mark.parametrize(
    ("words", "centres", "shape", "levels", "message"),
    [
        ([3], [[0, 0]], (5, 5), PYRAMID, "words must be 0 to 2"),
        ([-1], [[0, 0]], (5, 5), PYRAMID, "words must be 0 to 2"),
        ([0], [[0, 5.1]], (5, 5), PYRAMID, "outside of the image"),
        ([0], [[-0.1, 0]], (5, 5), PYRAMID, "outside of the image"),
        ([0], [[np.nan, 0]], (5, 5), PYRAMID, "outside of the image"),
        ([0, 1], [[0, 0]], (5, 5), PYRAMID, "shapes"),
        ([0], [[0, 0]], (0, 5), PYRAMID, "height"),
        ([0], [[0, 0]], (5, 5), (), "at least one grid"),
        ([0], [[0, 0]], (5, 5), ((0, 1),), "rows of a level"),
    ],
)
def test_refuses_what_does_not_fit(words, centres, shape, levels, message):
    with pytest.raises(ValueError, match=message):
        spatial_histogram(np.array(words), np.array(centres, dtype=float), shape, 3, levels)
