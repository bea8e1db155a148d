"""Starting points of EM for a mixture: distinct rows in a fixed order, and k-means++ among them."""

import numpy as np
import numpy.typing as npt

from sfmcore.data.arrays import Float64Array
from sfmcore.kernels import _gmm


def far_rows(
    rows: Float64Array,
    weights: Float64Array,
    scale: Float64Array,
    uniforms: Float64Array,
    n_threads: int,
) -> list[int]:
    """Rows that lie far from each other, by k-means++.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_columns)
    weights : ndarray of shape (n_rows,)
    scale : ndarray of shape (1, n_columns)
        Variance of the columns: what distances are measured in.
    uniforms : ndarray of shape (n_starts,)
        Random numbers in [0, 1).
    n_threads : int

    Returns
    -------
    list of int
        Numbers of the rows. Some come twice if there are more starts than rows.

    References
    ----------
    D. Arthur, S. Vassilvitskii, "k-means++: the advantages of careful seeding", SODA (2007).
    """
    one = np.ones(1)
    # The first is drawn by weight alone.
    nearest = np.ones(len(rows))
    chosen: list[int] = []
    for uniform in uniforms:
        mass = np.cumsum(weights * nearest)
        if mass[-1] == 0.0:
            # Every row is a start already.
            mass = np.cumsum(weights)
        row = int(np.searchsorted(mass, uniform * mass[-1], side="right"))
        scores = _gmm.log_likelihood(rows, one, rows[row : row + 1], scale, n_threads)
        distance = np.maximum(scores[row] - scores, 0.0)
        nearest = np.minimum(nearest, distance) if chosen else distance
        chosen.append(row)
    return chosen


def merged(rows: Float64Array, weights: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Distinct rows of positive weight in lexicographic order, and their summed weights."""
    kept = weights > 0
    # The weight is the last column, so that equal rows are summed in one order, too.
    table = np.column_stack([rows[kept], weights[kept]])
    table += 0.0  # -0.0 is 0.0
    table = table[_lexicographic(table)]
    new = np.any(table[1:, :-1] != table[:-1, :-1], axis=1)
    first = np.flatnonzero(np.append(True, new))
    return np.ascontiguousarray(table[first, :-1]), np.add.reduceat(table[:, -1], first)


def _lexicographic(rows: Float64Array) -> npt.NDArray[np.intp]:
    """Order of the rows by their first column, then their second, and so on.

    The bits of a float rise with it once negative ones are turned round. As strings of bytes,
    the highest first, whole rows then compare in one go.
    """
    bits = rows.view(np.int64)
    rising = bits >> 63
    rising |= np.iinfo(np.int64).min
    rising ^= bits
    strings = rising.view(np.uint64).astype(">u8").view(np.dtype((np.void, 8 * rows.shape[1])))
    return np.argsort(strings[:, 0], kind="stable")
