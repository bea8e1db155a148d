"""The kernel of inner products against its NumPy twin, and where its rows may stand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmcore.kernels import _products
from tests.twins import core as twins

WIDTHS = (512, 256, 128)


def made(rows, points, n_threads=1):
    out = np.full((len(rows), len(points)), np.nan, dtype=np.float32)
    _products.products(rows, points, out, n_threads)
    return out


def make_case(n_rows, n_points, n_columns, seed=0):
    random = np.random.default_rng([seed, n_rows, n_points, n_columns])
    shapes = (n_rows, n_columns), (n_points, n_columns)
    return [random.normal(size=shape).astype(np.float32) for shape in shapes]


def agrees(rows, points):
    """Whether products are the twin's.

    Single precision: 128 sums one after another, whose errors of 2^-24 add up like their root.
    """
    size = twins.products(np.abs(rows), np.abs(points))
    found, twin = made(rows, points), twins.products(rows, points)
    return np.all(np.abs(found - twin) <= np.sqrt(128) * 2.0**-24 * size)


@given(
    st.integers(0, 30),
    st.integers(0, 70),
    st.integers(0, 40),
    st.integers(0, 1000),
    st.sampled_from(WIDTHS),
)
@settings(max_examples=200, deadline=None)
def test_products_equal_twin(in_width, n_rows, n_points, n_columns, seed, width):
    with in_width(width):
        assert agrees(*make_case(n_rows, n_points, n_columns, seed))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("n_columns", [127, 128, 129, 300])
def test_blocks_of_columns_rows_and_points_equal_twin(in_width, n_columns, width):
    rows, points = make_case(400, 45, n_columns)
    with in_width(width):
        assert agrees(rows, points)
        found = made(rows, points)
        # The block of 384 rows ends among these, and a panel of 32 points before.
        part = made(rows[380:391], points[40:45])
        assert np.array_equal(found[380:391, 40:45], part)
        assert np.array_equal(found, made(points, rows).T), "a . b is not b . a"


def test_vectors_of_avx2_and_avx512_give_the_same_bits(in_width):
    rows, points = make_case(50, 45, 300)
    with in_width(256):
        half = made(rows, points)
    assert np.array_equal(made(rows, points), half)


def test_nothing_beside_the_products_is_written():
    rows, points = make_case(13, 33, 130)
    space = np.full((15, 33), np.nan, dtype=np.float32)
    _products.products(rows, points, space[1:14], 1)
    assert np.isnan(space[[0, 14]]).all()
    assert not np.isnan(space[1:14]).any()


def test_a_product_has_the_same_bits_wherever_its_rows_stand():
    rows, points = make_case(14, 5, 137)
    whole = made(rows, points)
    for row in range(14):
        for point in range(5):
            alone = made(rows[row : row + 1], points[point : point + 1])
            assert alone[0, 0] == whole[row, point]


def test_threads_change_no_bit():
    rows, points = make_case(203, 30, 165)
    for n_threads in (2, 3, 300):
        assert np.array_equal(made(rows, points, 1), made(rows, points, n_threads))


def test_shapes_that_disagree_are_refused():
    rows, points = make_case(3, 2, 5)
    with pytest.raises(ValueError, match="same columns"):
        made(rows, points[:, :4].copy())
    with pytest.raises(ValueError, match="out must have"):
        _products.products(rows, points, np.empty((3, 3), dtype=np.float32), 1)
    with pytest.raises(ValueError, match="n_threads must be at least 1, got 0"):
        made(rows, points, 0)
