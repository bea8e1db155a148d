"""Place of a row among those of the classes: distances in directions that classes share."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from sfmcore.data.arrays import Float32Array, Float64Array, Int64Array, UInt64Array
from sfmcore.data.storable import storable
from sfmcore.kernels import _products
from sfmcore.parallel.blas import blas_threads

N_COLUMNS = 4
"""Columns of evidence of a row."""

_MOST_DIRECTIONS = 64
# So many items for each direction, at least.
_ITEMS_A_DIRECTION = 4
# Rows that directions are learnt from, at most: the cost grows with the cube.
_MOST_ROWS = 1000
_MOST_ANCHORS = 1000
_SMALLEST = 1e-6
_CHUNK = 1024
# Where a distance has no meaning: far beyond any that has.
_FAR = 1e12
_LARGEST = 1e12


@storable
@dataclass(frozen=True)
class Surroundings:
    """Means of the classes and some of their rows, where the scatter within classes is round.

    Attributes
    ----------
    centre, scale : ndarray of shape (n_columns,), float32
        Subtracted from a row, and what it is divided by.
    directions : ndarray of shape (n_directions, n_columns), float32
        Orthonormal.
    whitening : ndarray of shape (n_directions, n_directions), float32
        What makes the scatter within classes round, among the directions.
    means : ndarray of shape (n_classes, n_directions), float32
        NaN for a class without a row.
    anchors : ndarray of shape (n_anchors, n_directions), float32
        Rows that others are compared with one by one.
    anchor_classes : ndarray of shape (n_anchors,), int64
    """

    centre: Float32Array
    scale: Float32Array
    directions: Float32Array
    whitening: Float32Array
    means: Float32Array
    anchors: Float32Array
    anchor_classes: Int64Array

    @classmethod
    def of(
        cls, rows: Float32Array, numbers: Int64Array, n_classes: int, order: UInt64Array
    ) -> "Surroundings":
        """Learn directions, means and anchors from training rows.

        Parameters
        ----------
        rows : ndarray of shape (n_rows, n_columns), float32
        numbers : ndarray of shape (n_rows,), int64
            Class of each row.
        n_classes : int
        order : ndarray of shape (n_rows,), uint64
            The rows of the lowest numbers become anchors.
        """
        first = np.argsort(order, kind="stable")
        wide = rows.astype(np.float64)
        centre = wide.mean(axis=0)
        spread = wide.std(axis=0)
        scale = np.where(spread > _SMALLEST * max(1.0, float(spread.max())), spread, 1.0)
        with blas_threads():  # whose bits may follow its threads
            directions = _directions(((wide - centre) / scale)[first[:_MOST_ROWS]])
            placed = ((wide - centre) / scale) @ directions.T
            means = np.full((n_classes, len(directions)), np.nan)
            inner = placed.copy()
            for number in np.unique(numbers):
                own = numbers == number
                # Of few rows a mean is drawn to the centre, as if one more lay there.
                means[number] = placed[own].sum(axis=0) / (own.sum() + 1.0)
                inner[own] -= placed[own].mean(axis=0)
            whitening = _whitening(inner)
        chosen = first[:_MOST_ANCHORS]
        made = cls(
            centre.astype(np.float32),
            scale.astype(np.float32),
            directions.astype(np.float32),
            whitening.astype(np.float32),
            (means @ whitening.T).astype(np.float32),
            np.zeros((0, len(directions)), dtype=np.float32),
            numbers[chosen].astype(np.int64),
        )
        anchors, _ = made._placed(rows[chosen], 1)
        return replace(made, anchors=anchors)

    def evidence(
        self, rows: Float32Array, n_threads: int, left_out: Int64Array | None = None
    ) -> Float64Array:
        """Columns of evidence of rows; each is larger, the more typical the row is.

        How near the mean of the nearest class is, how much farther that of the second is, how near
        the nearest anchor is, and how little of the row lies outside of the directions.

        Parameters
        ----------
        rows : ndarray of shape (n_rows, n_columns), float32
        n_threads : int
            The result does not depend on it.
        left_out : ndarray of shape (n_rows,), int64, optional
            A class for each row that is taken to be unknown.

        Returns
        -------
        ndarray of shape (n_rows, N_COLUMNS)
        """
        out = np.empty((len(rows), N_COLUMNS))
        for start in range(0, len(rows), _CHUNK):
            part = slice(start, start + _CHUNK)
            gone = None if left_out is None else left_out[part]
            placed, outside = self._placed(rows[part], n_threads)
            to_means = _squared(placed, self.means, n_threads)
            to_means[:, np.isnan(self.means[:, 0])] = _FAR
            to_anchors = _squared(placed, self.anchors, n_threads)
            if gone is not None:
                to_means[np.arange(len(placed)), gone] = _FAR
                to_anchors[self.anchor_classes[None, :] == gone[:, None]] = _FAR
            nearest = np.sort(to_means, axis=1)[:, :2]
            own = out[part]
            own[:, 0] = -np.log1p(nearest[:, 0])
            second = nearest[:, -1]
            own[:, 1] = np.sqrt(second) - np.sqrt(nearest[:, 0])
            if len(self.means) < 3:
                own[:, 1] = 0.0  # without one of two classes there is no second
            own[:, 2] = -np.log1p(to_anchors.min(axis=1))
            own[:, 3] = -np.log1p(outside)
        return out

    def _placed(self, rows: Float32Array, n_threads: int) -> tuple[Float32Array, Float64Array]:
        """Rows in the whitened directions, and the squared length that lies outside of them."""
        scaled = (rows - self.centre) / self.scale
        within = np.empty((len(rows), len(self.directions)), dtype=np.float32)
        _products.products(scaled, self.directions, within, n_threads)
        squares = np.sum(scaled.astype(np.float64) ** 2, axis=1)
        outside = squares - np.sum(within.astype(np.float64) ** 2, axis=1)
        # Below single precision there is nothing outside.
        outside = np.where(outside > 1e-4 * squares, outside, 0.0)
        placed = np.empty_like(within)
        _products.products(within, self.whitening, placed, n_threads)
        return placed, outside

    def get_arrays(self) -> dict[str, np.ndarray]:
        """All of it, for the model file."""
        return {name: getattr(self, name) for name in _NAMES}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, np.ndarray], n_classes: int) -> "Surroundings":
        """Take back what :meth:`get_arrays` gave.

        Raises
        ------
        KeyError, ValueError
            If an array is missing, or does not fit.
        """
        found = {name: arrays[name] for name in _NAMES}
        if found["directions"].ndim != 2 or found["anchors"].ndim != 2:
            raise ValueError("directions and anchors of surroundings must be matrices")
        n_directions, n_columns = found["directions"].shape
        n_anchors = len(found["anchors"])
        shapes = {
            "centre": (n_columns,),
            "scale": (n_columns,),
            "directions": (n_directions, n_columns),
            "whitening": (n_directions, n_directions),
            "means": (n_classes, n_directions),
            "anchors": (n_anchors, n_directions),
        }
        if n_directions == 0 or n_anchors == 0:
            raise ValueError("surroundings must have directions and anchors")
        for name, shape in shapes.items():
            own = found[name]
            if own.shape != shape or own.dtype != np.float32:
                raise ValueError(f"{name} of surroundings must be float32 of shape {shape}")
            unknown = np.isnan(own[:, :1]) if name == "means" else np.zeros((1, 1), dtype=bool)
            if not np.all((np.abs(own) <= _LARGEST) | unknown):
                raise ValueError(f"{name} of surroundings must be numbers of at most {_LARGEST:g}")
        if not np.all(found["scale"] > 0):
            raise ValueError("scale of surroundings must be above 0")
        classes = found["anchor_classes"]
        if classes.shape != (n_anchors,) or classes.dtype != np.int64:
            raise ValueError("anchor_classes of surroundings must be int64, one for each anchor")
        if np.any((classes < 0) | (classes >= n_classes)):
            raise ValueError(f"anchor_classes of surroundings must be from 0 to {n_classes - 1}")
        return cls(**found)


_NAMES = ("centre", "scale", "directions", "whitening", "means", "anchors", "anchor_classes")


def _directions(rows: Float64Array) -> Float64Array:
    """Orthonormal directions that centred rows vary in most, no more than rows can tell."""
    n_rows, n_columns = rows.shape
    rank = max(1, min(_MOST_DIRECTIONS, n_columns, n_rows // _ITEMS_A_DIRECTION))
    if n_columns <= n_rows:
        values, vectors = linalg.eigh(
            rows.T @ rows, subset_by_index=[n_columns - rank, n_columns - 1]
        )
        return vectors[:, ::-1].T
    values, vectors = linalg.eigh(rows @ rows.T, subset_by_index=[n_rows - rank, n_rows - 1])
    values, vectors = values[::-1], vectors[:, ::-1]
    kept = values > _SMALLEST * max(values[0], 1e-300)
    if not kept.any():
        return np.eye(1, n_columns)
    return np.asarray((vectors[:, kept] / np.sqrt(values[kept])).T @ rows)


def _whitening(inner: Float64Array) -> Float64Array:
    """Whitening matrix: the inverse root of a covariance, shrunk towards a multiple of 1."""
    n_rows, n_directions = inner.shape
    scatter = inner.T @ inner / n_rows
    share = n_directions / (n_directions + n_rows)
    level = max(float(np.trace(scatter)) / n_directions, 1e-12)
    drawn = (1.0 - share) * scatter + share * level * np.eye(n_directions)
    values, vectors = linalg.eigh(drawn)
    return np.asarray((vectors / np.sqrt(np.maximum(values, 1e-12))) @ vectors.T)


def _squared(rows: Float32Array, points: Float32Array, n_threads: int) -> Float64Array:
    """Squared distances of rows and points; NaN becomes NaN."""
    products = np.empty((len(rows), len(points)), dtype=np.float32)
    _products.products(rows, np.nan_to_num(points), products, n_threads)
    lengths = np.sum(rows.astype(np.float64) ** 2, axis=1)[:, None]
    others = np.sum(np.nan_to_num(points).astype(np.float64) ** 2, axis=1)[None, :]
    return np.maximum(lengths + others - 2.0 * products.astype(np.float64), 0.0)
