"""The search for the nearest centre against its NumPy twin, at every width of vectors."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmcore.kernels import _nearest

WIDTHS = (128, 256, 512)


def nearest_twin(values, centres):
    """Exact: squared distances less |x|^2, in whole numbers of 1/128 squared."""
    rows, fixed = 128 * (values.astype(np.int64) - 128), centres.astype(np.int64)
    return ((fixed**2).sum(1) - 2 * rows @ fixed.T).argmin(1)


def make_values(n_rows, n_columns, seed=0, spread=256):
    random = np.random.default_rng([seed, n_rows, n_columns])
    return random.integers(0, spread, (n_rows, n_columns)).astype(np.uint8)


def make_centres(n_centres, n_columns, seed=0, spread=256):
    random = np.random.default_rng([seed, n_centres, n_columns, 1])
    high = min(128 * spread, 128 * 255 + 1)
    return (random.integers(0, high, (n_centres, n_columns)) - 16384).astype(np.int16)


@given(
    st.integers(1, 140),
    st.integers(1, 20),
    st.sampled_from([0, 1, 5, 6, 7, 47, 48, 49, 100]),
    st.sampled_from([2, 256]),
    st.integers(0, 1000),
)
@settings(max_examples=150, deadline=None)
def test_every_width_equals_twin(in_width, n_centres, n_columns, n_rows, spread, seed):
    # A spread of 2 makes many centres nearly or exactly as near as each other.
    values = make_values(n_rows, n_columns, seed, spread)
    centres = make_centres(n_centres, n_columns, seed, spread)
    twin = nearest_twin(values, centres)
    for width in WIDTHS:
        with in_width(width):
            assert np.array_equal(_nearest.Centres(centres).nearest(values, 1), twin)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("n_columns", [128, 384, 512])
def test_long_rows_equal_twin_at_the_ends_of_the_range(in_width, n_columns, width):
    values = make_values(60, n_columns)
    values[0], values[1] = 0, 255
    centres = make_centres(70, n_columns)
    centres[68], centres[69] = 127 * 128, -16384
    with in_width(width):
        found = _nearest.Centres(centres).nearest(values, 1)
    assert np.array_equal(found, nearest_twin(values, centres))
    assert found[:2].tolist() == [69, 68]


@pytest.mark.parametrize("width", WIDTHS)
def test_smaller_number_wins_a_tie(in_width, width):
    centres = np.zeros((40, 3), dtype=np.int16)
    centres[5] = centres[23] = 128
    values = np.array([[129, 129, 129], [128, 128, 128]], dtype=np.uint8)
    with in_width(width):
        assert _nearest.Centres(centres).nearest(values, 1).tolist() == [5, 0]


def test_difference_smaller_than_the_offsets_unit_decides(in_width):
    # Squared distances of 2 and 1 units: both scores are 0 in whole numbers.
    centres = np.array([[1, 1], [1, 0]], dtype=np.int16)
    values = np.full((1, 2), 128, dtype=np.uint8)
    for width in WIDTHS:
        with in_width(width):
            assert _nearest.Centres(centres).nearest(values, 1).tolist() == [1]


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_same_numbers_in_any_batch_and_for_any_threads(n_threads):
    values = make_values(2000, 17)
    search = _nearest.Centres(make_centres(90, 17))
    whole = search.nearest(values, n_threads)
    parts = [search.nearest(part, 1) for part in np.split(values, [1, 7, 700])]
    assert np.array_equal(np.concatenate(parts), whole)


@given(st.integers(1, 9), st.integers(1, 200), st.integers(0, 60), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_sums_equal_twin(n_centres, n_columns, n_rows, seed):
    values = make_values(n_rows, n_columns, seed)
    numbers = np.random.default_rng(seed).integers(0, n_centres, n_rows).astype(np.uint16)
    total, count = _nearest.sums(values, numbers, n_centres)
    for centre in range(n_centres):
        own = values[numbers == centre].astype(np.int64)
        assert np.array_equal(total[centre], own.sum(0))
        assert count[centre] == len(own)


def test_copy_by_pickle_gives_the_same_numbers():
    values = make_values(30, 6)
    search = _nearest.Centres(make_centres(20, 6))
    copy = pickle.loads(pickle.dumps(search))
    assert np.array_equal(copy.nearest(values, 1), search.nearest(values, 1))


def test_refuses_what_does_not_fit():
    search = _nearest.Centres(make_centres(3, 4))
    with pytest.raises(ValueError, match="rows of 5 columns, centres of 4"):
        search.nearest(make_values(2, 5), 1)
    with pytest.raises(ValueError, match="n_threads must be at least 1"):
        search.nearest(make_values(2, 4), 0)
    with pytest.raises(ValueError, match="1 to 65,535 centres"):
        _nearest.Centres(np.zeros((0, 4), dtype=np.int16))
    with pytest.raises(ValueError, match="1 to 65,535 centres"):
        _nearest.Centres(np.zeros((1, 513), dtype=np.int16))
    with pytest.raises(ValueError, match="outside of 0 to 255"):
        _nearest.Centres(np.full((1, 2), 16257, dtype=np.int16))
    with pytest.raises(ValueError, match="one centre below n_centres"):
        _nearest.sums(make_values(2, 4), np.array([0, 3], dtype=np.uint16), 3)
