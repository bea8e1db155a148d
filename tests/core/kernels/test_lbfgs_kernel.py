"""L-BFGS: against a twin that writes its matrices out, against SciPy, and at its limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize, rosen, rosen_der

from sfmcore.bounds.objective import Objective
from sfmcore.kernels import _lbfgs
from tests.twins import core as twins

OPTIONS = {
    "memory": 10,
    "max_iter": 1000,
    "tolerance": 2.2e-9,
    "slope_tolerance": 1e-5,
    "sufficient": 1e-4,
    "curvature": 0.9,
    "max_search": 20,
}


def minimise(evaluate, start, scale=1.0, **changed):
    return _lbfgs.minimise(
        evaluate, np.asarray(start, dtype=float), scale, **{**OPTIONS, **changed}
    )


def quadratic(n, seed, spread=30.0):
    """Value and gradient of a bowl, and its lowest point."""
    random = np.random.default_rng([n, seed])
    turned = np.linalg.qr(random.normal(size=(n, n)))[0]
    matrix = turned * np.geomspace(1.0, spread, n) @ turned.T
    lowest = random.normal(size=n)

    def evaluate(x):
        gap = x - lowest
        return 0.5 * gap @ matrix @ gap - 3.0, matrix @ gap

    return evaluate, lowest


def objective(n_rows, n_columns, C, seed=0):
    random = np.random.default_rng([n_rows, n_columns, seed])
    rows = random.normal(size=(n_rows, n_columns))
    signs = np.where(rows[:, 0] + random.normal(size=n_rows) > 0, 1, -1).astype(np.int8)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return Objective(rows, signs, C, n_rows)


@pytest.mark.parametrize("n", [1, 3, 7, 8, 9, 16, 17, 31, 32, 100])
def test_every_width_of_vectors_descends_alike(in_width, n):
    evaluate, _ = quadratic(n, 1)
    for max_iter in (1, 2, 6, 1000):
        found = {}
        for width in (128, 256, 512):
            with in_width(width):
                found[width] = minimise(evaluate, np.ones(n), max_iter=max_iter)
        # AVX-512 and AVX2 both multiply and add at once; without that digits differ.
        assert np.array_equal(found[256][0], found[512][0])
        assert found[256][1:] == found[512][1:]
        np.testing.assert_allclose(found[128][0], found[512][0], rtol=1e-5, atol=1e-5)
        assert found[128][1] == pytest.approx(found[512][1], rel=1e-8)


@given(st.integers(1, 12), st.integers(1, 6), st.integers(0, 1000))
@settings(max_examples=100, deadline=None)
def test_a_bowl_is_descended_as_by_the_twin(n, memory, seed):
    evaluate, lowest = quadratic(n, seed)
    # The same number of steps: past the first few, roundings grow into other paths.
    changed = {"memory": memory, "max_iter": 6, "tolerance": 0.0}
    start = np.ones(n)
    x, value, n_iter, n_evaluations = minimise(evaluate, start, 2.0, **changed)
    twin = twins.minimise(evaluate, start, 2.0, **{**OPTIONS, **changed})
    np.testing.assert_allclose(x, twin[0], rtol=1e-6, atol=1e-6)
    assert value == pytest.approx(twin[1], rel=1e-9)
    if np.abs(x - lowest).max() > 1e-4:
        assert (n_iter, n_evaluations) == twin[2:]


@given(st.integers(1, 30), st.sampled_from([1.0, 30.0, 1e4]), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_the_lowest_point_of_a_bowl_is_found(n, spread, seed):
    evaluate, lowest = quadratic(n, seed, spread)
    x, value, _, _ = minimise(evaluate, np.zeros(n), tolerance=0.0, slope_tolerance=1e-8)
    np.testing.assert_allclose(x, lowest, atol=1e-6)
    assert value == pytest.approx(-3.0)


@pytest.mark.parametrize("n", [2, 7, 50])
def test_a_bent_valley_is_followed_in_as_many_values_as_by_scipy(n):
    start = np.linspace(-1, 1.5, n)
    x, value, _, n_evaluations = minimise(lambda x: (rosen(x), rosen_der(x)), start)
    theirs = minimize(rosen, start, jac=rosen_der, method="L-BFGS-B")
    assert value < 1e-6
    np.testing.assert_allclose(x, 1.0, atol=1e-2)
    assert n_evaluations < 1.5 * theirs.nfev + 10


@pytest.mark.parametrize("C", [2.0, 32.0, 512.0])
@pytest.mark.parametrize(("n_rows", "n_columns"), [(40, 3), (150, 300), (300, 40)])
def test_the_surrogate_ends_where_it_does_under_scipy(n_rows, n_columns, C):
    J = objective(n_rows, n_columns, C)
    ours = minimise(lambda u: J(u, convex=True), np.zeros(n_columns), n_rows)[1]
    theirs = minimize(
        lambda u: J(u, convex=True),
        np.zeros(n_columns),
        jac=True,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-9},
    )
    assert ours == pytest.approx(theirs.fun, rel=1e-6)


def test_every_step_is_down_and_the_last_one_is_given_back():
    J = objective(60, 5, 100.0)
    last = np.inf
    for max_iter in range(1, 20):
        x, value, n_iter, _ = minimise(J, np.full(5, 3.0), 60.0, max_iter=max_iter)
        assert value == pytest.approx(J(x)[0], rel=1e-12)
        assert n_iter <= max_iter
        assert value <= last
        last = value
    assert value < J(np.full(5, 3.0))[0]


def test_a_start_at_the_bottom_is_left_as_it_is():
    evaluate, lowest = quadratic(4, 0)
    x, value, n_iter, n_evaluations = minimise(evaluate, lowest)
    assert np.array_equal(x, lowest)
    assert (value, n_iter, n_evaluations) == (-3.0, 0, 1)
    assert minimise(lambda x: (5.0, x), np.zeros(0))[1:] == (5.0, 0, 1)


def test_where_there_is_no_number_a_shorter_step_is_taken():
    def evaluate(x):
        if x[0] <= 0:
            return np.nan, np.array([np.nan])
        return float(x[0] - np.log(x[0])), 1 - 1 / x

    for start in (1e-3, 20.0):
        x, value, _, _ = minimise(evaluate, [start])
        assert x[0] == pytest.approx(1.0, abs=1e-3)
        assert value == pytest.approx(1.0)
    with pytest.raises(ValueError, match="the value at the start is nan"):
        minimise(evaluate, [-1.0])


def test_a_gradient_that_points_up_ends_the_descent_where_it_began():
    x, value, n_iter, _ = minimise(lambda x: (float(x @ x), -2 * x), [1.0, 2.0])
    assert x.tolist() == [1.0, 2.0]
    assert (value, n_iter) == (5.0, 0)


def test_what_the_function_raises_comes_out():
    def evaluate(x):
        raise KeyError("not today")

    with pytest.raises(KeyError, match="not today"):
        minimise(evaluate, [1.0])
    with pytest.raises(ValueError, match="2 entries for 1 variables"):
        minimise(lambda x: (1.0, np.ones(2)), [1.0])
    with pytest.raises(ValueError, match="memory must be at least 1"):
        minimise(lambda x: (1.0, x), [1.0], memory=0)
    with pytest.raises(ValueError, match="scale above 0"):
        minimise(lambda x: (1.0, x), [1.0], scale=0.0)


def test_twice_the_same_bits():
    J = objective(100, 20, 50.0)
    first, second = (minimise(J, np.ones(20), 100.0)[0].tobytes() for _ in range(2))
    assert first == second
