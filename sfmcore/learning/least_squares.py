"""Where the searches for u begin when many classes share their rows: least squares."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from threadpoolctl import threadpool_limits

from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.data.rows import Rows

# Added to the diagonal, of rows of unit length.
_RIDGE = 1e-2
# Rows in double precision at a time.
_CHUNK = 2048


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
    n_features = rows.shape[1]
    gram = _RIDGE * np.eye(n_features)
    of_all = np.zeros(n_features)
    of_class = np.zeros((n_classes, n_features))
    kept = np.flatnonzero(weights > 0)
    with threadpool_limits(limits=1, user_api="blas"):  # whose bits may follow its threads
        for start in range(0, len(kept), _CHUNK):
            part = kept[start : start + _CHUNK]
            some = rows[part] if isinstance(rows, np.ndarray) else rows[part].toarray()
            wide = some.astype(np.float64)
            weighted = wide * weights[part, None]
            gram += wide.T @ weighted
            of_all += weighted.sum(0)
            np.add.at(of_class, numbers[part], weighted)
        factor = cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
        found: Float64Array = cho_solve(factor, (2.0 * of_class - of_all).T, check_finite=False).T
    return found
