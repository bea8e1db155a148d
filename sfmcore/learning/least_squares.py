"""Starts of the searches for u when many classes share their rows: least squares."""

import numpy as np
from scipy import linalg
from scipy.sparse import csr_array

from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.data.rows import Rows
from sfmcore.parallel.blas import blas_threads

# Added to the diagonal, of rows of unit length.
_RIDGE = 1e-2
# Of more features, and fewer rows, the smaller matrix is that of the rows' products.
_MOST_FEATURES = 4096
# Rows, or columns of all rows, in double precision at a time.
_ROWS, _COLUMNS = 256, 2048


def least_squares_directions(
    rows: Rows, weights: Float64Array, numbers: Int64Array, n_classes: int
) -> Float64Array:
    """Weights that fit +1 on the rows of each class and -1 on all others, by ridge regression.

    One matrix is factorised for all classes. Searches from them are short, and end as low as those
    from several other starts (docs/theory.md, section 6).

    Parameters
    ----------
    rows : ndarray or csr_array of shape (n_rows, n_features), float32
    weights : ndarray of shape (n_rows,)
        0 keeps a row out.
    numbers : ndarray of shape (n_rows,), int64
        Class of each row; those of weight 0 don't matter.
    n_classes : int

    Returns
    -------
    ndarray of shape (n_classes, n_features)

    Examples
    --------
    >>> rows = np.eye(2, dtype=np.float32)
    >>> least_squares_directions(rows, np.ones(2), np.array([0, 1]), 2).round(2).tolist()
    [[0.99, -0.99], [-0.99, 0.99]]
    """
    kept = np.flatnonzero(weights > 0)
    n_features = rows.shape[1]
    if n_features > max(len(kept), _MOST_FEATURES):
        return _by_products(rows, weights, numbers, n_classes, kept)
    gram = _RIDGE * np.eye(n_features)
    of_all = np.zeros(n_features)
    of_class = np.zeros((n_classes, n_features))
    with blas_threads():  # whose bits may follow its threads
        for start in range(0, len(kept), _ROWS):
            part = kept[start : start + _ROWS]
            some = rows[part] if isinstance(rows, np.ndarray) else rows[part].toarray()
            wide = some.astype(np.float64)
            weighted = wide * weights[part, None]
            gram += wide.T @ weighted
            of_all += weighted.sum(0)
            ones = np.ones(len(part)), (numbers[part], np.arange(len(part)))
            of_class += csr_array(ones, shape=(n_classes, len(part))) @ weighted
        factor = linalg.cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
        signed = 2.0 * of_class - of_all
        found: Float64Array = linalg.cho_solve(factor, signed.T, check_finite=False).T
    return found


def _by_products(
    rows: Rows, weights: Float64Array, numbers: Int64Array, n_classes: int, kept: Int64Array
) -> Float64Array:
    """The same from the products of the rows: X' W^1/2 (W^1/2 X X' W^1/2 + ridge)^-1 W^1/2 Y."""
    some = rows[kept] if isinstance(rows, np.ndarray) else rows[kept].toarray()
    roots = np.sqrt(weights[kept])[:, None]
    signs = np.where(numbers[kept][:, None] == np.arange(n_classes), 1.0, -1.0)
    gram = np.zeros((len(kept), len(kept)))
    with blas_threads():
        for start in range(0, some.shape[1], _COLUMNS):
            wide = some[:, start : start + _COLUMNS].astype(np.float64) * roots
            gram += wide @ wide.T
        gram.flat[:: len(kept) + 1] += _RIDGE
        factor = linalg.cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
        dual = linalg.cho_solve(factor, signs * roots, check_finite=False) * roots
        found = np.empty((n_classes, some.shape[1]))
        for start in range(0, some.shape[1], _COLUMNS):
            part = slice(start, start + _COLUMNS)
            found[:, part] = dual.T @ some[:, part]
    return found
