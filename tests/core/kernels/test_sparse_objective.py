"""The data term of J over sparse rows: against the twin, the dense kernel and itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from sfmcore.bounds.objective import Objective
from sfmcore.kernels import _objective
from sfmcore.kernels._sparse_objective import SparseRows
from tests.twins import core as twins


def make_case(n_rows, n_columns, seed=0, density=0.3, scale=1.0):
    """Sparse rows with their dense twin, signs of all three kinds, weights and u."""
    random = np.random.default_rng([seed, n_rows, n_columns])
    dense = random.normal(size=(n_rows, n_columns)).astype(np.float32)
    dense[random.random((n_rows, n_columns)) >= density] = 0
    signs = random.integers(-1, 2, n_rows).astype(np.int8)
    weights = random.uniform(0, 2, n_rows)
    return dense, signs, weights, scale * random.normal(size=n_columns)


def sparse(dense):
    rows = csr_array(dense)
    return SparseRows(
        rows.data, rows.indices.astype(np.int32), rows.indptr.astype(np.int64), dense.shape[1]
    )


@given(
    st.integers(1, 40),
    st.one_of(st.integers(1, 70), st.just(500)),
    st.booleans(),
    st.sampled_from([0.0, 0.05, 0.5, 1.0]),
    st.sampled_from([0.1, 1.0, 40.0]),
    st.integers(0, 1000),
)
@settings(max_examples=200, deadline=None)
def test_risks_and_scores_equal_twin(n_rows, n_columns, convex, density, scale, seed):
    dense, *rest = make_case(n_rows, n_columns, seed, density, scale)
    rows = sparse(dense)
    found = rows.risks(*rest, convex, 1)
    for one, other in zip(found, twins.risks(dense, *rest, convex), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)
    scores = rows.scores(rest[-1], 1)
    np.testing.assert_allclose(scores, dense.astype(float) @ rest[-1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n_rows", [255, 256, 257, 64 * 257 + 3])
def test_risks_of_several_chunks_equal_those_of_dense_rows(n_rows):
    dense, *rest = make_case(n_rows, 37)
    for one, other in zip(
        sparse(dense).risks(*rest, False, 2), _objective.risks(dense, *rest, False, 1), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("convex", [False, True])
@pytest.mark.parametrize("n_columns", [1, 3, 7, 8, 9, 31, 32, 100, 501])
def test_every_width_of_vectors_gives_the_same(in_width, n_columns, convex):
    for n_rows in (*range(1, 20), 64, 70, 300):
        dense, *rest = make_case(n_rows, n_columns, density=0.6, scale=2.0)
        rows = sparse(dense)
        found = {}
        for width in (128, 256, 512):
            with in_width(width):
                scores = rows.scores(rest[-1], 1)
                found[width] = np.hstack([scores, *rows.risks(*rest, convex, 1)])
        # AVX-512 and AVX2 both multiply and add at once; without that digits differ.
        assert np.array_equal(found[256], found[512])
        np.testing.assert_allclose(found[128], found[512], rtol=1e-11, atol=1e-12)
        assert np.array_equal(rows.scores(rest[-1], 1), found[512][:n_rows])


def test_any_number_of_threads_gives_the_same_bits():
    dense, *rest = make_case(2100, 45)
    rows = sparse(dense)
    results = []
    for n_threads in (1, 2, 3, 8):
        *risks, gradient = rows.risks(*rest, False, n_threads)
        results.append((risks, gradient.tobytes(), rows.scores(rest[-1], n_threads).tobytes()))
    assert results[0] == results[1] == results[2] == results[3]


def test_rows_without_entries_are_at_even_odds():
    rows = sparse(np.zeros((3, 4), dtype=np.float32))
    signs = np.array([1, -1, 0], dtype=np.int8)
    risk, disagreement, tandem, gradient = rows.risks(signs, np.ones(3), np.ones(4), False, 1)
    assert (risk, disagreement, tandem) == pytest.approx((1.0, 0.5, 0.5))
    assert not gradient.any()
    assert rows.scores(np.ones(4), 1).tolist() == [0, 0, 0]
    assert sparse(np.zeros((0, 4), dtype=np.float32)).scores(np.ones(4), 1).shape == (0,)


def test_the_objective_of_sparse_rows_is_that_of_dense_rows():
    dense, signs, weights, u = make_case(300, 20)
    prior_mean = np.full(20, 0.1)
    one, other = (
        Objective(rows, signs, 5.0, 300, prior_mean=prior_mean, sample_weight=weights)
        for rows in (dense, csr_array(dense))
    )
    for convex in (False, True):
        value, slope = one(u, convex=convex)
        sparse_value, sparse_slope = other(u, convex=convex)
        assert sparse_value == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(sparse_slope, slope, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"columns": [0, 1]}, "3 values have 2 columns"),
        ({"columns": [0, 1, 5]}, "columns must be from 0 to 4"),
        ({"columns": [-1, 1, 2]}, "columns must be from 0 to 4"),
        ({"offsets": [0, 2]}, "offsets must go from 0 to 3"),
        ({"offsets": [1, 3]}, "offsets must go from 0 to 3"),
        ({"offsets": [0, 2, 1, 3]}, "offsets must not fall"),
    ],
)
def test_what_is_no_matrix_is_refused(changed, message):
    good = {"columns": [0, 1, 2], "offsets": [0, 2, 3]}
    parts = {**good, **changed}
    with pytest.raises(ValueError, match=message):
        SparseRows(
            np.ones(3, dtype=np.float32),
            np.array(parts["columns"], dtype=np.int32),
            np.array(parts["offsets"], dtype=np.int64),
            5,
        )


def test_other_shapes_are_refused():
    dense, signs, weights, u = make_case(6, 5)
    rows = sparse(dense)
    with pytest.raises(ValueError, match="4 weights for 5 features"):
        rows.scores(u[:4], 1)
    with pytest.raises(ValueError, match="one value for each row"):
        rows.risks(signs[:5], weights, u, False, 1)
    with pytest.raises(ValueError, match="n_threads"):
        rows.risks(signs, weights, u, False, 0)
