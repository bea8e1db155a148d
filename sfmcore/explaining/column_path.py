"""Margins over a kernel on the columns, along the straight path from the mean landmark to an item.

Here the rows are the columns themselves, so evidence of columns comes out at once.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import spatial

from sfmcore.data.arrays import Float64Array
from sfmcore.features.nystroem import NystroemMap
from sfmcore.kernels import _objective

# Below it a change of a distance is as good as none, and the kernel's own slope is taken.
_SMALL = 1e-9


class ColumnPath:
    """Rows of a map whose kernel is on the columns, Gaussian or Laplacian.

    A Laplacian kernel has edges, at which slopes jump. So its kernel's change over a stretch of the
    path is shared out among the columns in proportion to what each adds to the distance there:
    shares add up to the change, however long the stretch.

    Parameters
    ----------
    kernel : NystroemMap
        Of shape "gaussian" or "laplacian".
    weights : sequence of ndarray of shape (n_features,)
        Weights of the landmarks of every classifier that shares the map, and of the constant.
    shares : ndarray of shape (n_nodes,)
        Of the path, those of all nodes; they add up to 1.
    """

    def __init__(
        self, kernel: NystroemMap, weights: Sequence[Float64Array], shares: Float64Array
    ) -> None:
        self._kernel, self._shares = kernel, shares
        self._points = np.asarray(kernel.landmarks, dtype=np.float64)
        self._weights = [np.ascontiguousarray(own[:-1]) for own in weights]
        self._constants = [float(own[-1]) for own in weights]
        self._start = self._points.mean(axis=0)

    def enter(self, rows: Float64Array, data: Any, n_threads: int) -> list[Float64Array]:
        """Take a batch of rows; margins of each classifier, shape (n_rows,)."""
        self._rows, self._threads = rows, n_threads
        whole = [np.append(w, c) for w, c in zip(self._weights, self._constants, strict=True)]
        return self._kernel.scores(rows, whole, n_threads)

    def margins(self, nodes: Float64Array) -> list[Float64Array]:
        """Margins of each classifier along the path, shape (n_nodes, n_rows)."""
        self._nodes = nodes
        rows, start, gamma = self._rows, self._start, self._kernel.gamma
        along = np.empty((len(nodes), len(rows), len(self._points)))
        if self._kernel.shape == "gaussian":
            ours = spatial.distance.cdist(rows, self._points, "sqeuclidean")
            theirs = np.sum((self._points - start) ** 2, axis=1)
            apart = np.sum((rows - start) ** 2, axis=1)[:, None]
            for place, t in enumerate(nodes):
                along[place] = (1.0 - t) * theirs + t * ours - t * (1.0 - t) * apart
        else:
            for place, t in enumerate(nodes):
                along[place] = spatial.distance.cdist(
                    start + t * (rows - start), self._points, "cityblock"
                )
        along *= -gamma
        self._along = np.exp(along, out=along)
        flat = self._along.reshape(-1, len(self._points))
        return [
            (_objective.scores(flat, own, self._threads) + constant).reshape(along.shape[:2])
            for own, constant in zip(self._weights, self._constants, strict=True)
        ]

    def evidence(self, worth: Sequence[Float64Array]) -> Float64Array:
        """Evidence of every column, shape (n_rows, n_columns).

        Parameters
        ----------
        worth : sequence of ndarray of shape (n_nodes, n_rows)
            What each classifier's margin counts for, times the node's share of the path.
        """
        weights, points = np.array(self._weights), self._points
        if self._kernel.shape == "gaussian":
            away = self._rows - self._start
            pulled, whole = np.zeros((2, *self._rows.shape))
            for place, t in enumerate(self._nodes):
                each = _summed_over(_at(worth, place), weights) * self._along[place]
                pulled += _summed_over(each, points)
                whole += np.sum(each, axis=1, keepdims=True) * (self._start + t * away)
            slopes: Float64Array = 2.0 * self._kernel.gamma * away * (pulled - whole)
            return slopes
        return self._laplacian(worth)

    def _laplacian(self, worth: Sequence[Float64Array]) -> Float64Array:
        gamma, points, start = self._kernel.gamma, self._points, self._start
        away = self._rows - start
        ends = np.concatenate([[0.0], np.cumsum(self._shares)])
        out = np.zeros_like(self._rows)
        before = spatial.distance.cdist(start + ends[0] * away, points, "cityblock")
        for place, share in enumerate(self._shares):
            if share == 0:
                continue
            here, there = (start + end * away for end in ends[place : place + 2])
            after = spatial.distance.cdist(there, points, "cityblock")
            change = after - before
            small = np.abs(change) < _SMALL
            rate = np.where(small, -gamma, np.expm1(-gamma * change) / np.where(small, 1.0, change))
            each = _summed_over(_at(worth, place) / share, np.array(self._weights))
            each *= np.exp(-gamma * before) * rate
            for column in range(points.shape[1]):
                own = points[:, column]
                further = np.abs(there[:, column, None] - own) - np.abs(here[:, column, None] - own)
                out[:, column] += np.sum(each * further, axis=1)
            before = after
        return out


def _at(worth: Sequence[Float64Array], place: int) -> Float64Array:
    """Weight of each classifier's margins at one node, shape (n_rows, n_classifiers)."""
    return np.column_stack([own[place] for own in worth])


def _summed_over(left: Float64Array, right: Float64Array) -> Float64Array:
    """Products of rows and a matrix, each row's from its own numbers alone, whatever is beside."""
    out: Float64Array = np.einsum("ij,jk->ik", left, right, optimize=False)
    return out
