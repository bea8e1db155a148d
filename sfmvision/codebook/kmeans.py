"""Lloyd's k-means over rows of bytes, in whole numbers: exact, so the same for any threads."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfmcore.data.arrays import Float32Array, Int64Array
from sfmcore.kernels import _nearest

Bytes = npt.NDArray[np.uint8]
Fixed = npt.NDArray[np.int16]  # in units of 1/128, less 128
_UNIT = 128
# The starts are sought among so many rows for each cluster, at least so many in all.
_ROWS_PER_CLUSTER, _LEAST_ROWS = 50, 20_000
_BLOCK = 4096


class Clustering(NamedTuple):
    """Centres, the sum of squared distances to them, and the number of their updates."""

    centres: Fixed
    inertia: float
    n_iter: int


def kmeans(
    values: Bytes,
    n_clusters: int,
    *,
    max_iter: int,
    tol: float,
    random: np.random.RandomState,
    n_threads: int,
) -> Clustering:
    """Greedy k-means++ and Lloyd's iterations.

    Means are rounded to 1/128, and every sum is one of whole numbers. So the result depends on
    the rows, their order and the random numbers, but not on threads or the processor.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns), dtype uint8
        At least one row; at most 512 columns.
    n_clusters : int
    max_iter : int
        Updates of the centres, at most.
    tol : float
        The iterations end when one lowers the inertia by no more than this share of it.
    random : RandomState
    n_threads : int

    Returns
    -------
    Clustering
        Of as many centres as there are distinct rows, if these are fewer than `n_clusters`.

    References
    ----------
    S. P. Lloyd, "Least squares quantization in PCM", IEEE Trans. Information Theory 28 (1982);
    D. Arthur and S. Vassilvitskii, "k-means++: the advantages of careful seeding", SODA (2007).

    Examples
    --------
    >>> rows = np.array([[0, 0], [2, 0], [200, 9]], dtype=np.uint8)
    >>> random = np.random.RandomState(0)
    >>> found = kmeans(rows, 2, max_iter=9, tol=0.0, random=random, n_threads=1)
    >>> sorted(to_numbers(found.centres).tolist()), found.inertia
    ([[1.0, 0.0], [200.0, 9.0]], 2.0)
    """
    centres = to_fixed(values[_start(values, n_clusters, random)])
    squares = _sum_of_squares(values)
    n_iter, before = 0, np.inf
    while True:
        found = _nearest.Centres(centres)
        numbers = found.nearest(values, n_threads)
        total, count = _nearest.sums(values, numbers, len(centres))
        inertia = _inertia(centres, total, count, squares)
        if n_iter == max_iter or before - inertia <= tol * inertia:
            return Clustering(centres, inertia, n_iter)
        if not count.all():
            _fill_empty(values, numbers, centres, total, count)
        # The mean, rounded to the nearest unit; an empty cluster keeps its centre.
        share = np.maximum(count, 1)[:, None]
        means = (2 * _UNIT * total + share) // (2 * share) - 128 * _UNIT
        centres = np.where(count[:, None] > 0, means, centres).astype(np.int16)
        n_iter, before = n_iter + 1, inertia


def to_fixed(centres: npt.ArrayLike) -> Fixed:
    """Centres between 0 and 255 in the kernel's units, rounded."""
    return (np.rint(np.asarray(centres, dtype=np.float64) * _UNIT) - 128 * _UNIT).astype(np.int16)


def to_numbers(centres: Fixed) -> Float32Array:
    """Centres in the units of the rows; exact."""
    return (centres.astype(np.float32) + 128 * _UNIT) / np.float32(_UNIT)


def _start(values: Bytes, n_clusters: int, random: np.random.RandomState) -> Int64Array:
    """Rows to start from: distinct, and fewer than `n_clusters` only if no more are distinct."""
    n_tried = max(_ROWS_PER_CLUSTER * n_clusters, _LEAST_ROWS)
    if len(values) > n_tried:
        tried = np.sort(random.permutation(len(values))[:n_tried])
        chosen = _plus_plus(values[tried], n_clusters, random)
        if len(chosen) == n_clusters:
            return tried[chosen]
    return _plus_plus(values, n_clusters, random)


def _plus_plus(values: Bytes, n_clusters: int, random: np.random.RandomState) -> Int64Array:
    """Rows chosen by greedy k-means++: each is the best of a few drawn by squared distance."""
    # Products of whole numbers whose sums stay below 2^24 are exact in float32, so that BLAS
    # gives the same bits on any number of threads.
    rows = values.astype(np.float32) - np.float32(128)
    norms = np.einsum("ij,ij->i", rows, rows).astype(np.int64)
    n_candidates = 2 + int(np.log(n_clusters))

    def distances(candidates: Int64Array) -> Int64Array:
        products = (rows[candidates] @ rows.T).astype(np.int64)
        squared: Int64Array = norms[candidates, None] + norms - 2 * products
        return squared

    chosen = [int(random.randint(len(values)))]
    nearest = distances(np.array(chosen))[0]
    while len(chosen) < n_clusters:
        cumulated = np.cumsum(nearest)
        if cumulated[-1] == 0:
            break  # every row is one of those chosen
        drawn = random.randint(cumulated[-1], size=n_candidates, dtype=np.int64)
        candidates = np.searchsorted(cumulated, drawn, side="right")
        left = np.minimum(distances(candidates), nearest)
        best = int(np.argmin(left.sum(1)))
        nearest = left[best]
        chosen.append(int(candidates[best]))
    return np.array(chosen, dtype=np.int64)


def _sum_of_squares(values: Bytes) -> int:
    blocks = (values[i : i + _BLOCK].astype(np.int64) for i in range(0, len(values), _BLOCK))
    return sum(int(np.sum(block**2)) for block in blocks)


def _inertia(centres: Fixed, total: Int64Array, count: Int64Array, squares: int) -> float:
    """Sum of squared distances, from the sums of each cluster; exact but for the last rounding."""
    fixed = centres.astype(np.int64) + 128 * _UNIT
    norms = int(np.sum(count * (fixed**2).sum(1)))
    return (squares * _UNIT**2 - 2 * _UNIT * int(np.sum(total * fixed)) + norms) / _UNIT**2


def _fill_empty(
    values: Bytes,
    numbers: npt.NDArray[np.uint16],
    centres: Fixed,
    total: Int64Array,
    count: Int64Array,
) -> None:
    """Give each empty cluster one of the rows that are farthest from their centres."""
    fixed = centres.astype(np.int32) + 128 * _UNIT
    distances = np.empty(len(values), dtype=np.int64)
    for first in range(0, len(values), _BLOCK):
        block = slice(first, first + _BLOCK)
        gaps = values[block].astype(np.int64) * _UNIT - fixed[numbers[block]]
        distances[block] = (gaps**2).sum(1)
    farthest = iter(np.argsort(-distances, kind="stable"))
    for cluster in np.flatnonzero(count == 0):
        for row in farthest:
            old = numbers[row]
            # Not the last row of its own cluster, which would be empty instead.
            if count[old] > 1:
                total[old] -= values[row]
                count[old] -= 1
                total[cluster], count[cluster] = values[row], 1
                break
