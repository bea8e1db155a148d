"""Sparse rows of similarities, compared with the dense matrices they stand for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfmcore.data.similarities import Similarities, unit_rows
from sfmcore.data.with_vectors import WithVectors, similarities_of

MATRICES = arrays(
    np.float32,
    st.tuples(st.integers(0, 5), st.integers(1, 6)),
    elements=st.sampled_from([0.0, 0.0, 0.5, 3.0, 40.0]),
)


@given(MATRICES)
def test_a_matrix_comes_back(dense):
    made = Similarities.of(dense)
    assert np.array_equal(made.matrix().toarray(), dense)
    assert len(made) == len(dense)


@given(MATRICES, st.data())
def test_items_are_chosen_and_joined_as_rows_are(dense, data):
    made = Similarities.of(dense, weight=2.0)
    index = np.array(
        data.draw(st.lists(st.integers(0, len(dense) - 1)) if len(dense) else st.just([])),
        dtype=int,
    )
    assert np.array_equal(made[index].matrix().toarray(), dense[index])
    assert made[index].weight == 2.0
    both = Similarities.joined([made, made[index]])
    assert np.array_equal(both.matrix().toarray(), np.concatenate([dense, dense[index]]))


@given(MATRICES, st.data())
def test_an_item_loses_its_own_reference_only(dense, data):
    own = np.array(
        data.draw(
            st.lists(st.integers(-1, dense.shape[1] - 1), min_size=len(dense), max_size=len(dense))
        ),
        dtype=int,
    )
    expected = dense.copy()
    for item, reference in enumerate(own):
        if reference >= 0:
            expected[item, reference] = 0
    assert np.array_equal(Similarities.of(dense).without(own).matrix().toarray(), expected)


@given(MATRICES, st.sampled_from([0.25, 1.0, 3.0]))
def test_rows_of_the_kernel_are_of_unit_length_with_what_is_beside_them(dense, weight):
    rows, lengths = unit_rows(Similarities.of(dense, weight))
    squares = (rows.toarray().astype(float) ** 2).sum(1)
    assert np.allclose(squares + lengths.astype(float) ** 2, 1, atol=1e-6)
    some = dense.any(1)
    assert np.allclose(squares[some], weight / (1 + weight), atol=1e-6)
    assert np.all(lengths[~some] == 1)


def test_a_batch_carries_its_similarities():
    batch = WithVectors(
        np.arange(2), np.zeros((2, 0), "f4"), Similarities.of(np.eye(2, dtype="f4"))
    )
    assert similarities_of(batch[[1]]).references.tolist() == [1]
    assert similarities_of(np.arange(2)) is None
    with pytest.raises(ValueError, match="as many rows of similarities"):
        WithVectors(np.arange(3), np.zeros((3, 0), "f4"), batch.similarities)


BAD = {
    "values": [np.zeros(3, "f4"), np.ones(3), np.full(3, np.nan, "f4"), np.ones(2, "f4")],
    "references": [np.array([0, 2, 2], "i4"), np.array([0, 1, -1], "i4"), np.arange(3)],
    "offsets": [np.array([0, 3]), np.array([0, 2, 2]), np.array([0, 4, 3]), np.zeros(3)],
}


def test_similarities_of_a_file_are_checked():
    good = {
        "values": np.ones(3, "f4"),
        "references": np.array([0, 1, 0], "i4"),
        "offsets": np.array([0, 2, 3]),
    }
    made = Similarities.of_arrays(good, 2, 2, 1.0)
    assert made.matrix().toarray().tolist() == [[1, 1], [1, 0]]
    for name, values in BAD.items():
        for value in values:
            with pytest.raises(ValueError, match=r"similarit|references|offsets"):
                Similarities.of_arrays({**good, name: value}, 2, 2, 1.0)
    with pytest.raises(ValueError, match="rise within an item"):
        Similarities.of_arrays({**good, "references": np.array([1, 0, 0], "i4")}, 2, 2, 1.0)
