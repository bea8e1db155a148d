"""Rows of many columns, turned so that they have no more columns than there are rows."""

import numpy as np
from scipy import linalg

from sfmcore.data.arrays import Float32Array

# Turning takes as long as n_rows / 2 values of J(u) or so, and a search for several C a hundred:
# it pays where there are fewer rows than this times the share of columns that it is rid of.
_MOST_ROWS = 360.0
# Of the mean square of a row: equal rows would leave nothing to divide by.
_RIDGE = 1e-12


def compact(trained: Float32Array, tested: Float32Array) -> tuple[Float32Array, Float32Array]:
    """Rows with the same inner products and fewer columns, where that is worth it.

    The minimum of J(u) around zero lies in the span of the training rows, so that it is found as
    well among the coordinates of an orthonormal basis of that span: Z = L Q with Z Z' = L L', and a
    test row z has the coordinates L^{-1} Z z there. What lies across the span has no score.

    Parameters
    ----------
    trained : ndarray of shape (n_rows, n_columns), float32
    tested : ndarray of shape (n_test, n_columns), float32

    Returns
    -------
    trained, tested : ndarray of shape (n_rows, n_rows) and (n_test, n_rows), float32
        Or as they were given, where there are many rows or few columns.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(3, 50)).astype(np.float32)
    >>> made, other = compact(rows, rows[:1])
    >>> made.shape, other.shape, bool(np.allclose(made @ made.T, rows @ rows.T, rtol=1e-4))
    ((3, 3), (1, 3), True)
    """
    n_rows, n_columns = trained.shape
    if n_rows >= _MOST_ROWS * (1.0 - n_rows / n_columns):
        return trained, tested
    wide = trained.astype(np.float64)
    products = wide @ wide.T
    products.flat[:: n_rows + 1] += _RIDGE * np.trace(products) / n_rows
    root = np.linalg.cholesky(products)
    across = wide @ tested.T.astype(np.float64)
    found = linalg.solve_triangular(root, across, lower=True, check_finite=False)
    return root.astype(np.float32), np.ascontiguousarray(found.T, dtype=np.float32)
