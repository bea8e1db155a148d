"""Least squares for all classes, against one system of equations a class."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from sfmcore.learning import least_squares as module
from sfmcore.learning.least_squares import least_squares_directions


def make_rows(n_rows=50, n_features=6, seed=0):
    random = np.random.default_rng(seed)
    rows = random.normal(size=(n_rows, n_features))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows.astype(np.float32), random.integers(0, 4, n_rows), random.uniform(0.5, 2, n_rows)


def solved(rows, weights, numbers, n_classes):
    """Twin: one class after another."""
    wide = rows.astype(float)
    gram = (wide.T * weights) @ wide + 1e-2 * np.eye(rows.shape[1])
    signs = np.where(numbers[:, None] == np.arange(n_classes), 1.0, -1.0)
    return np.linalg.solve(gram, (wide.T * weights) @ signs).T


@pytest.mark.parametrize("chunk", [7, 2048])
def test_directions_solve_the_normal_equations(monkeypatch, chunk):
    monkeypatch.setattr(module, "_ROWS", chunk)
    rows, numbers, weights = make_rows()
    found = least_squares_directions(rows, weights, numbers, 4)
    np.testing.assert_allclose(found, solved(rows, weights, numbers, 4), rtol=1e-8)


def test_a_row_of_no_weight_is_not_there():
    rows, numbers, weights = make_rows()
    weights[::3] = 0.0
    numbers[::3] = -1
    kept = weights > 0
    found = least_squares_directions(rows, weights, numbers, 4)
    expected = least_squares_directions(rows[kept], weights[kept], numbers[kept], 4)
    np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_sparse_rows_are_like_dense_ones():
    rows, numbers, weights = make_rows()
    rows[np.abs(rows) < 0.3] = 0.0
    found = least_squares_directions(csr_array(rows), weights, numbers, 4)
    np.testing.assert_allclose(found, solved(rows, weights, numbers, 4), rtol=1e-8)


@pytest.mark.parametrize("sparse", [False, True])
def test_of_more_features_than_rows_products_lead_there_as_well(monkeypatch, sparse):
    monkeypatch.setattr(module, "_MOST_FEATURES", 10)
    monkeypatch.setattr(module, "_COLUMNS", 7)
    rows, numbers, weights = make_rows(n_features=70)
    weights[::5] = 0.0
    made = csr_array(rows) if sparse else rows
    found = least_squares_directions(made, weights, numbers, 4)
    np.testing.assert_allclose(found, solved(rows, weights, numbers, 4), rtol=1e-6, atol=1e-9)
