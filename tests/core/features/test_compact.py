"""Rows turned to fewer columns: the same products, and the same minimum of J(u)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmcore.bounds.objective import Objective
from sfmcore.features.compact import compact
from sfmcore.learning.search import minimise, surrogate_minimum


def unit_rows(n_rows, n_columns, seed=0):
    rows = np.random.default_rng([seed, n_rows, n_columns]).normal(size=(n_rows, n_columns))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@given(st.integers(1, 40), st.integers(1, 20), st.integers(2, 6), st.integers(0, 100))
@settings(max_examples=60, deadline=None)
def test_inner_products_stay(n_rows, n_test, more, seed):
    rows, other = unit_rows(n_rows, more * n_rows, seed), unit_rows(n_test, more * n_rows, seed)
    made, tested = compact(rows, other)
    assert made.shape == (n_rows, n_rows)
    assert made.dtype == tested.dtype == np.float32
    np.testing.assert_allclose(made @ made.T, rows @ rows.T, atol=2e-6)
    np.testing.assert_allclose(tested @ made.T, other @ rows.T, atol=2e-6)


def test_rows_that_do_not_pay_are_left_as_they_are():
    for n_rows, n_columns in ((50, 40), (50, 57), (400, 10_000)):
        rows = unit_rows(n_rows, n_columns)
        made, tested = compact(rows, rows[:2])
        assert made is rows
        assert tested.shape == (2, n_columns)


def test_equal_rows_and_rows_of_zeros_are_no_obstacle():
    rows = np.repeat(unit_rows(5, 90), 4, axis=0)
    made, tested = compact(rows, np.vstack([rows[:1], np.zeros((1, 90), np.float32)]))
    np.testing.assert_allclose(made @ made.T, rows @ rows.T, atol=1e-5)
    np.testing.assert_allclose(tested[0] @ made[0], 1.0, atol=1e-5)
    assert not tested[1].any()


@pytest.mark.parametrize("C", [2.0, 64.0])
def test_a_classifier_says_the_same_of_turned_rows(C):
    rows, other = unit_rows(60, 300), unit_rows(30, 300, seed=1)
    signs = np.where(rows[:, :9].sum(1) > 0, 1, -1).astype(np.int8)
    margins = []
    for trained, tested in ((rows, other), compact(rows, other)):
        objective = Objective(trained, signs, C, 60)
        u = minimise(objective, [surrogate_minimum(objective)])
        margins.append(tested @ u)
    np.testing.assert_allclose(margins[1], margins[0], atol=2e-3 * np.abs(margins[0]).max())
