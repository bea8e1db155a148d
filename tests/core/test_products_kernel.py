"""The kernel of inner products against its NumPy twin, and where its rows may stand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmcore.kernels import _products, _reference


def made(rows, points, n_threads=1):
    out = np.full((len(rows), len(points)), np.nan, dtype=np.float32)
    _products.products(rows, points, out, n_threads)
    return out


def make_case(n_rows, n_points, n_columns, seed=0):
    random = np.random.default_rng([seed, n_rows, n_points, n_columns])
    shapes = (n_rows, n_columns), (n_points, n_columns)
    return [random.normal(size=shape).astype(np.float32) for shape in shapes]


@given(st.integers(0, 13), st.integers(0, 7), st.integers(0, 40), st.integers(0, 1000))
@settings(max_examples=150, deadline=None)
def test_products_equal_twin(n_rows, n_points, n_columns, seed):
    rows, points = make_case(n_rows, n_points, n_columns, seed)
    # Single precision: an error of 2^-24 of what is added, a few times.
    size = _reference.products(np.abs(rows), np.abs(points))
    found, twin = made(rows, points), _reference.products(rows, points)
    assert np.all(np.abs(found - twin) <= 3e-7 * size)


@pytest.mark.parametrize("n_columns", [1024, 1030, 2100])
def test_blocks_of_columns_and_points_equal_twin(n_columns):
    rows, points = make_case(70, 45, n_columns)
    size = _reference.products(np.abs(rows), np.abs(points))
    found, twin = made(rows, points), _reference.products(rows, points)
    assert np.all(np.abs(found - twin) <= 3e-7 * size)
    assert np.array_equal(found[64:67, 40:45], made(rows[64:67], points[40:45]))
    assert np.array_equal(found, made(points, rows).T), "a . b is not b . a"


def test_a_product_has_the_same_bits_wherever_its_rows_stand():
    rows, points = make_case(11, 5, 37)
    whole = made(rows, points)
    for row in range(11):
        for point in range(5):
            alone = made(rows[row : row + 1], points[point : point + 1])
            assert alone[0, 0] == whole[row, point]


def test_threads_change_no_bit():
    rows, points = make_case(203, 30, 65)
    assert np.array_equal(made(rows, points, 1), made(rows, points, 2))


def test_shapes_that_disagree_are_refused():
    rows, points = make_case(3, 2, 5)
    with pytest.raises(ValueError, match="same columns"):
        made(rows, points[:, :4].copy())
    with pytest.raises(ValueError, match="out must have"):
        _products.products(rows, points, np.empty((3, 3), dtype=np.float32), 1)
    with pytest.raises(ValueError, match="n_threads must be at least 1, got 0"):
        made(rows, points, 0)
