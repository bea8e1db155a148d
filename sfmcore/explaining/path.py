"""Margins along the straight path from the mean row to an item's, and their mean slopes.

Integrated gradients (M. Sundararajan, A. Taly, Q. Yan, ICML 2017). The path goes through the space
that the kernel sees, where its exponent is linear: the products of a row with the landmarks are
known from prediction, so a step of the path costs an exponential for each landmark and no product.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from sfmcore.data.arrays import Float32Array, Float64Array, Int64Array
from sfmcore.data.similarities import Similarities, unit_rows
from sfmcore.data.with_vectors import similarities_of
from sfmcore.features.feature_map import FeatureMap
from sfmcore.features.nystroem import NystroemMap
from sfmcore.kernels import _objective, _products


class LinearPath:
    """Rows of a map without a kernel, from zero: conditioned features are 0 in the mean.

    Parameters
    ----------
    weights : sequence of ndarray of shape (n_features,)
        u of every classifier that shares the map.
    """

    relatives: Float64Array | None = None
    """Evidence of the entries of the similarities, which only a kernel sees."""

    def __init__(self, weights: Sequence[Float64Array]) -> None:
        self._weights = np.array(weights)

    def enter(self, rows: Float32Array, data: Any, n_threads: int) -> list[Float64Array]:
        """Take a batch of rows; margins of each classifier, shape (n_rows,)."""
        self._margins = [_objective.scores(rows, u, n_threads) for u in self._weights]
        return self._margins

    def margins(self, nodes: Float64Array) -> list[Float64Array]:
        """Margins of each classifier along the path, shape (n_nodes, n_rows)."""
        return [nodes[:, None] * own for own in self._margins]

    def slopes(self, worth: Sequence[Float64Array]) -> tuple[Float64Array, Float64Array]:
        """Evidence per unit of each column, and that of the baseline's columns.

        Parameters
        ----------
        worth : sequence of ndarray of shape (n_nodes, n_rows)
            What each classifier's margin counts for, times the node's share of the path.

        Returns
        -------
        slopes, base : ndarray of shape (n_rows, n_columns)
            A row's column has ``slopes * row - base``.
        """
        whole = np.array([np.sum(own, axis=0) for own in worth])
        slopes = np.zeros((whole.shape[1], self._weights.shape[1]))
        for own, u in zip(whole, self._weights, strict=True):
            slopes += own[:, None] * u
        return slopes, np.zeros_like(slopes)


class KernelPath:
    """Rows of a map with a kernel, from the mean of its landmarks, which are training rows.

    Off the sphere that rows lie on, the kernel goes on as exp(2 gamma (a . b - 1)). Similarities
    begin at none.

    Parameters
    ----------
    kernel : NystroemMap
        Of shape "unit".
    weights : sequence of ndarray of shape (n_features,)
        Weights of the landmarks of every classifier that shares the map, and of the constant.
    """

    def __init__(self, kernel: NystroemMap, weights: Sequence[Float64Array]) -> None:
        self.kernel = kernel
        self.relatives: Float64Array | None = None
        self._weights = [np.ascontiguousarray(own[:-1]) for own in weights]
        self._constants = [float(own[-1]) for own in weights]
        self._by_landmark = np.ascontiguousarray(np.array(self._weights).T, dtype=np.float32)
        points = kernel.landmarks
        self._theirs: csr_array | None = None
        if kernel.similarities is not None:
            self._theirs, lengths = unit_rows(kernel.similarities)
            points = points * lengths[:, None]
        self._points = np.ascontiguousarray(points, dtype=np.float32)
        # Not means by BLAS: sums of a column's own numbers.
        self._start = self._points.astype(np.float64).mean(axis=0)
        self._start_products = np.sum(self._points * self._start, axis=1)
        self._across = np.ascontiguousarray(self._points.T)
        self._directions = kernel.directions
        if self._directions is not None:
            self._turned = np.ascontiguousarray(self._directions.T)
            # The row of least length that the mean landmark is the image of.
            self._base = np.sum(self._directions * self._start[:, None], axis=0)
        else:
            self._base = self._start

    def enter(self, rows: Float32Array, data: Any, n_threads: int) -> list[Float64Array]:
        """Take a batch of rows; margins of each classifier, shape (n_rows,)."""
        self._threads = n_threads
        similar = similarities_of(data)
        if similar is not None:
            # Every drawn row of an item has its similarities.
            each = np.repeat(np.arange(len(data)), len(rows) // max(len(data), 1))
            self._entries = _entries_of(similar, each)
            self._n_entries = len(similar.values)
            similar = similar[each]
        self._scales = np.ones(len(rows))
        seen = rows
        if self._directions is not None:
            seen = _multiplied(rows, self._directions, n_threads)
            lengths = np.sqrt(np.sum(seen.astype(np.float64) ** 2, axis=1))
            self._scales = 1.0 / np.maximum(lengths, np.finfo(np.float32).tiny)
            seen = seen * self._scales[:, None].astype(np.float32)
        self._own: csr_array | None = None
        if self._theirs is not None and similar is not None:
            self._own, lengths = unit_rows(similar)
            seen = seen * lengths[:, None]
            self._scales = self._scales * lengths
        self._products = _multiplied(np.ascontiguousarray(seen), self._points, n_threads)
        if self._own is not None:
            assert self._theirs is not None
            self._products += self._own @ self._theirs.toarray().T.copy()
        return self.kernel.scores(
            rows,
            [np.append(w, c) for w, c in zip(self._weights, self._constants, strict=True)],
            n_threads,
            similar,
        )

    def margins(self, nodes: Float64Array) -> list[Float64Array]:
        """Margins of each classifier along the path, shape (n_nodes, n_rows)."""
        shape = len(nodes), *self._products.shape
        kernel = np.empty(shape, dtype=np.float32)
        start = self._start_products
        for place, node in enumerate(nodes):
            kernel[place] = (
                2.0 * self.kernel.gamma * ((1.0 - node) * start + node * self._products - 1.0)
            )
        np.exp(kernel, out=kernel)
        self._along = kernel
        flat = kernel.reshape(-1, shape[-1])
        return [
            (_objective.scores(flat, own, self._threads) + constant).reshape(shape[:2])
            for own, constant in zip(self._weights, self._constants, strict=True)
        ]

    def slopes(self, worth: Sequence[Float64Array]) -> tuple[Float64Array, Float64Array]:
        """See :meth:`LinearPath.slopes`."""
        n_nodes, n_rows, n_landmarks = self._along.shape
        # What each landmark's kernel is worth, at every node; then the mean over the path.
        each = np.ascontiguousarray(np.array(worth).reshape(len(worth), -1).T, dtype=np.float32)
        weights = np.empty((n_nodes * n_rows, n_landmarks), dtype=np.float32)
        _products.products(each, self._by_landmark, weights, self._threads)
        weights = weights.reshape(self._along.shape)
        weights *= self._along
        mean = (2.0 * self.kernel.gamma * np.sum(weights, axis=0, dtype=np.float64)).astype("f4")
        inner = _multiplied(mean, self._across, self._threads)
        if self._own is not None and self._theirs is not None:
            self._keep_relatives(mean)
        turned = inner
        if self._directions is not None:
            turned = _multiplied(inner, self._turned, self._threads)
        slopes = turned.astype(np.float64)
        return slopes * self._scales[:, None], slopes * self._base

    def _keep_relatives(self, mean: Float32Array) -> None:
        """Evidence of each entry of the rows' similarities, which begin at none."""
        assert self._own is not None
        assert self._theirs is not None
        # Sparse with dense, row by row: an entry adds up its own landmarks' numbers.
        by_reference = (self._theirs.T.tocsr() @ mean.T.copy()).T
        owners = np.repeat(np.arange(len(mean)), np.diff(self._own.indptr))
        added = self._own.data.astype(np.float64) * by_reference[owners, self._own.indices]
        sums = np.bincount(self._entries, added, minlength=self._n_entries)
        self.relatives = sums.astype(np.float64)


def path_of(mapping: FeatureMap, weights: Sequence[Float64Array]) -> LinearPath | KernelPath:
    """The path through the rows of a map.

    Parameters
    ----------
    mapping : FeatureMap
    weights : sequence of ndarray
        See :attr:`sfmcore.learning.pair.Pair.weights`.
    """
    return LinearPath(weights) if mapping.kernel is None else KernelPath(mapping.kernel, weights)


def _entries_of(similarities: Similarities, items: Int64Array) -> Int64Array:
    """Numbers of the entries of items, one after another."""
    counts = np.diff(similarities.offsets)[items]
    ends = np.cumsum(counts)
    starts = similarities.offsets[items] - (ends - counts)
    return np.repeat(starts, counts) + np.arange(ends[-1] if len(ends) else 0)


def _multiplied(rows: Float32Array, points: Float32Array, n_threads: int) -> Float32Array:
    made = np.empty((len(rows), len(points)), dtype=np.float32)
    _products.products(np.ascontiguousarray(rows), points, made, n_threads)
    return made
