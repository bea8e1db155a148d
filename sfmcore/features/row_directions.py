"""The directions that rows vary in most, and rows in them."""

import numpy as np
from scipy import linalg

from sfmcore.data.arrays import Float32Array
from sfmcore.kernels import _products
from sfmcore.parallel.blas import blas_threads

MOST_ROWS = 2000
"""Rows that directions are learnt from, at most: the cost grows with the cube."""
# Below this share of the largest, a squared length says nothing that single precision keeps.
_SMALLEST = 1e-6


def principal_directions(rows: Float32Array, rank: int) -> Float32Array:
    """Orthonormal directions that keep most of the rows' squared lengths, the largest first.

    Nothing is subtracted from the rows, so the products of projected rows come near those of the
    rows themselves.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_columns), float32
        The first :data:`MOST_ROWS` count.
    rank : int
        Directions, at most; there are no more than rows.

    Returns
    -------
    ndarray of shape (n_directions, n_columns), float32

    Examples
    --------
    >>> rows = np.array([[2, 0, 0], [2, 0, 0], [0, 1, 0]], dtype=np.float32)
    >>> abs(principal_directions(rows, 1)).tolist()
    [[1.0, 0.0, 0.0]]
    """
    wide = rows[:MOST_ROWS].astype(np.float64)
    first = max(0, len(wide) - rank)
    with blas_threads():  # whose bits may follow its threads
        values, vectors = linalg.eigh(wide @ wide.T, subset_by_index=[first, len(wide) - 1])
        values, vectors = values[::-1], vectors[:, ::-1]
        kept = values > _SMALLEST * values[0]
        directions = (vectors[:, kept] / np.sqrt(values[kept])).T @ wide
    return np.ascontiguousarray(directions, dtype=np.float32)


def in_directions(rows: Float32Array, directions: Float32Array, n_threads: int) -> Float32Array:
    """Rows in the directions, of unit length again.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_columns), float32
    directions : ndarray of shape (n_directions, n_columns), float32
    n_threads : int
        The result does not depend on it.

    Returns
    -------
    ndarray of shape (n_rows, n_directions), float32
        A row that has no part in any direction stays zero.
    """
    made = np.empty((len(rows), len(directions)), dtype=np.float32)
    _products.products(rows, directions, made, n_threads)
    # A row's own numbers only, whatever else is in the batch.
    lengths = np.sqrt(np.sum(made.astype(np.float64) ** 2, axis=1, keepdims=True))
    made *= 1.0 / np.maximum(lengths, np.finfo(np.float32).tiny)
    return made
