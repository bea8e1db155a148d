"""Ragged batches against plain lists of lists."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from sfmcore.data.ragged import Ragged

ITEMS = st.lists(st.lists(st.integers(0, 255), max_size=6), max_size=8)
SLICES = st.builds(
    slice,
    st.none() | st.integers(-9, 9),
    st.none() | st.integers(-9, 9),
    st.none() | st.integers(-3, 3).filter(bool),
)


def as_lists(batch):
    return [item.tolist() for item in batch]


def assert_consistent(batch, lists):
    assert as_lists(batch) == lists
    assert len(batch) == len(lists)
    assert batch.lengths.tolist() == [len(item) for item in lists]
    assert batch.values.dtype == np.uint8
    assert batch.offsets.dtype == np.int64
    assert batch.values.flags.c_contiguous
    assert batch.offsets.flags.c_contiguous
    # The constructor's own checks: what an operation gives is a batch again.
    Ragged(batch.values, batch.offsets)


@given(ITEMS)
def test_items_come_back(items):
    assert_consistent(Ragged.from_items(items), items)
    assert_consistent(Ragged.from_items([bytes(item) for item in items]), items)
    assert_consistent(Ragged.from_items(np.array(item, np.int64) for item in items), items)


@given(ITEMS, st.data())
def test_integer_index_equals_list_index(items, data):
    batch = Ragged.from_items(items)
    index = data.draw(st.integers(-len(items) - 2, len(items) + 1))
    if -len(items) <= index < len(items):
        assert batch[index].tolist() == items[index]
        assert batch[np.int64(index)].tolist() == items[index]
    else:
        with pytest.raises(IndexError):
            batch[index]


@given(ITEMS, SLICES)
def test_slice_equals_list_slice(items, part):
    assert_consistent(Ragged.from_items(items)[part], items[part])


@given(ITEMS, st.data())
def test_index_array_equals_picked_items(items, data):
    batch = Ragged.from_items(items)
    numbers = st.integers(-len(items), len(items) - 1)
    picked = data.draw(st.lists(numbers, max_size=10)) if items else []
    assert_consistent(batch[picked], [items[i] for i in picked])
    assert_consistent(batch[np.array(picked, dtype=np.int64)], [items[i] for i in picked])


@given(ITEMS, st.data())
def test_mask_equals_filtered_items(items, data):
    mask = data.draw(st.lists(st.booleans(), min_size=len(items), max_size=len(items)))
    kept = [item for item, keep in zip(items, mask, strict=True) if keep]
    assert_consistent(Ragged.from_items(items)[np.array(mask, dtype=bool)], kept)


@given(ITEMS, ITEMS)
def test_joined_equals_sum_of_lists(one, other):
    joined = Ragged.from_items(one).joined(Ragged.from_items(other))
    assert_consistent(joined, one + other)


@given(ITEMS, SLICES, st.data())
@settings(deadline=None)
def test_selection_of_a_selection_equals_that_of_lists(items, part, data):
    inner = items[part]
    order = data.draw(st.permutations(range(len(inner))))
    selected = Ragged.from_items(items)[part][np.array(order, dtype=np.int64)]
    assert_consistent(selected, [inner[i] for i in order])


def test_selection_is_a_copy_and_an_item_is_a_view():
    batch = Ragged.from_items([[1, 2], [3]])
    part = batch[[0]]
    part.values[0] = 9
    assert batch.values.tolist() == [1, 2, 3]
    assert np.shares_memory(batch[1], batch.values)


def test_index_errors():
    batch = Ragged.from_items([[1, 2], [3]])
    for index in ([2], [-3], np.array([True]), [0.5], "a", (0, 1)):
        with pytest.raises(IndexError):
            batch[index]


@pytest.mark.parametrize(
    ("values", "offsets"),
    [
        ([1, 2], []),
        ([1, 2], [0]),
        ([1, 2], [1, 2]),
        ([1, 2], [0, 3]),
        ([1, 2], [0, 1]),
        ([1, 2], [0, 2, 1, 2]),
        ([1, 2], [0, 3, 2]),
        ([1, 2], [0, -1, 2]),
        ([[1, 2]], [0, 1]),
        ([1, 2], [[0, 2]]),
    ],
    ids=repr,
)
def test_foreign_offsets_are_refused(values, offsets):
    with pytest.raises(ValueError, match="offsets"):
        Ragged(values, offsets)


@pytest.mark.parametrize("code", [65536, -1])
def test_codes_that_do_not_fit_are_refused_in_a_list(code):
    with pytest.raises(ValueError, match="0 to 65535"):
        Ragged.from_items([[code]])


@pytest.mark.parametrize("code", [70000, -1, 1.5])
@pytest.mark.parametrize("make", ["from_items", "constructor"])
def test_codes_that_do_not_fit_are_refused_in_an_array(code, make):
    codes = np.array([0, code])
    with pytest.raises(ValueError, match="codes must"):
        Ragged.from_items([codes]) if make == "from_items" else Ragged(codes, [0, 2])


@given(st.lists(st.lists(st.integers(0, 65535), max_size=5), max_size=6), SLICES)
def test_wide_codes_come_back_and_are_bytes_where_they_fit(items, part):
    batch = Ragged.from_items(items)
    for found, wanted in (
        (batch, items),
        (batch[part], items[part]),
        (batch.joined(batch), items * 2),
    ):
        assert as_lists(found) == wanted
        wide = any(code > 255 for item in wanted for code in item)
        assert found.values.dtype == (np.uint16 if wide else np.uint8)


def test_joining_bytes_and_wide_codes_keeps_both():
    joined = Ragged.from_items([b"ab"]).joined(Ragged.from_items([[300]]))
    assert as_lists(joined) == [[97, 98], [300]]


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), max_size=6))
def test_counts_are_expanded_in_order(rows):
    batch = Ragged.from_counts(np.array(rows, dtype=np.int64).reshape(-1, 4))
    wanted = [[word for word, n in enumerate(row) for _ in range(n)] for row in rows]
    assert_consistent(batch, wanted)
    assert_consistent(Ragged.from_counts(np.array(rows, dtype=float).reshape(-1, 4)), wanted)


@pytest.mark.parametrize(
    "bad", [[1, 2], [[-1]], [[0.5]], [[np.nan]], [["a"]], [[np.inf]]], ids=repr
)
def test_foreign_counts_are_refused(bad):
    with pytest.raises(ValueError, match="counts must"):
        Ragged.from_counts(bad)


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array, sparse.coo_array])
def test_sparse_counts_are_those_of_the_dense_table(kind):
    counts = np.random.default_rng(0).poisson(0.5, (20, 30))
    counts[3] = 0
    own, other = Ragged.from_counts(kind(counts)), Ragged.from_counts(counts)
    assert np.array_equal(own.values, other.values)
    assert np.array_equal(own.offsets, other.offsets)


def test_sparse_counts_that_are_none_are_refused():
    for bad in (0.5, -1.0, np.nan):
        with pytest.raises(ValueError, match="counts must be"):
            Ragged.from_counts(sparse.csr_array(np.array([[1.0, bad]])))


def test_items_are_picked_a_few_codes_at_a_time(monkeypatch):
    random = np.random.default_rng(0)
    items = [random.integers(0, 200, length) for length in (3, 0, 12, 7, 1, 0, 5)]
    batch, index = Ragged.from_items(items), [6, 2, 2, 1, 0, 5, 3, 4]
    expected = batch[index]
    monkeypatch.setattr("sfmcore.data.ragged._CODES_AT_A_TIME", 7)
    found = batch[index]
    assert np.array_equal(found.values, expected.values)
    assert [item.tolist() for item in found] == [items[k].tolist() for k in index]
