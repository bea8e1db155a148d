"""The descent of J(u) in one call: against the descent that calls Python, and against the twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmcore.bounds.objective import Objective
from sfmcore.kernels import _lbfgs, _minimum
from tests.twins import core as twins

LIMITS = {
    "memory": 10,
    "max_iter": 1000,
    "tolerance": 2.2e-9,
    "slope_tolerance": 1e-5,
    "sufficient": 1e-4,
    "curvature": 0.9,
    "max_search": 20,
}


def objective(n_rows, n_columns, C=20.0, seed=0, dtype=np.float64, unlabelled=False, n_threads=1):
    random = np.random.default_rng([n_rows, n_columns, seed])
    rows = random.normal(size=(n_rows, n_columns))
    signs = np.where(rows[:, 0] + random.normal(size=n_rows) > 0, 1, -1).astype(np.int8)
    if unlabelled:
        signs[::3] = 0
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    made = Objective(
        rows.astype(dtype),
        signs,
        C,
        n_rows + 0.5,
        prior_mean=random.normal(size=n_columns),
        sample_weight=random.uniform(0.5, 2.0, n_rows),
        unlabeled_weight=0.3,
    )
    made.n_threads = n_threads
    return made


def in_one_call(J, start, convex=False, **changed):
    return _minimum.minimise(
        J.features,
        J.signs,
        J.weights,
        J.prior_mean,
        J.C,
        J.n_items,
        convex,
        start,
        n_threads=J.n_threads,
        **{**LIMITS, **changed},
    )


@given(
    st.integers(1, 600),
    st.integers(1, 40),
    st.sampled_from([0.5, 20.0, 500.0]),
    st.sampled_from([np.float32, np.float64]),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_one_call_gives_the_bits_of_the_calls_from_python(
    n_rows, n_columns, C, dtype, convex, unlabelled
):
    J = objective(n_rows, n_columns, C, 1, dtype, unlabelled)
    start = np.full(n_columns, 0.5)
    ours = in_one_call(J, start, convex)
    theirs = _lbfgs.minimise(lambda u: J(u, convex=convex), start, J.n_items, **LIMITS)
    assert ours[0].tobytes() == theirs[0].tobytes()
    assert ours[1:] == theirs[1:]


@given(st.integers(1, 40), st.integers(1, 12), st.booleans(), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_a_few_steps_are_those_of_the_twins(n_rows, n_columns, convex, seed):
    J = objective(n_rows, n_columns, 5.0, seed)

    def evaluate(u):
        risk, disagreement, _, slope = twins.risks(J.features, J.signs, J.weights, u, convex)
        gap = u - J.prior_mean
        value = J.C * (risk + disagreement / 2) + gap @ gap / (2 * J.n_items)
        return value, J.C * slope + gap / J.n_items

    # Past the first few steps, roundings grow into other paths.
    changed = {"max_iter": 4, "tolerance": 0.0}
    u, value, _, _ = in_one_call(J, np.zeros(n_columns), convex, **changed)
    twin = twins.minimise(evaluate, np.zeros(n_columns), J.n_items, **{**LIMITS, **changed})
    np.testing.assert_allclose(u, twin[0], rtol=1e-6, atol=1e-6)
    assert value == pytest.approx(twin[1], rel=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_number_of_threads_and_wide_vectors_give_the_same_bits(in_width, dtype):
    found = []
    for n_threads in (1, 2, 5):
        J = objective(1500, 19, dtype=dtype, n_threads=n_threads)
        for width in (256, 512):
            with in_width(width):
                u, *rest = in_one_call(J, np.zeros(19))
                found.append((u.tobytes(), *rest))
    assert len(set(found)) == 1


def test_the_estimators_objective_descends_alike_over_dense_and_sparse_rows():
    from scipy.sparse import csr_array

    J = objective(80, 6, dtype=np.float32)
    sparse = Objective(csr_array(J.features), J.signs, J.C, J.n_items)
    dense = Objective(J.features, J.signs, J.C, J.n_items)
    (one, count), (other, calls) = (o.descend(np.zeros(6), **LIMITS) for o in (dense, sparse))
    np.testing.assert_allclose(one, other, atol=1e-3)
    assert count > 1 < calls


def test_what_does_not_fit_is_a_sentence():
    J = objective(5, 3)
    with pytest.raises(ValueError, match=r"2 weights .* for 3 features"):
        in_one_call(J, np.zeros(2))
    with pytest.raises(ValueError, match="the value at the start is nan"):
        in_one_call(J, np.full(3, np.nan))
    for changed, text in (({"memory": 0}, "memory must be at least 1"), ({}, "n_threads")):
        J.n_threads = 0 if not changed else 1
        with pytest.raises(ValueError, match=text):
            in_one_call(J, np.zeros(3), **changed)
    J = objective(5, 3)
    J.signs = J.signs[:4]
    with pytest.raises(ValueError, match="one value for each row"):
        in_one_call(J, np.zeros(3))
    J = objective(5, 3)
    J.features, J.signs, J.weights = J.features[:0], J.signs[:0], J.weights[:0]
    with pytest.raises(ValueError, match="a row and a column"):
        in_one_call(J, np.zeros(3))
