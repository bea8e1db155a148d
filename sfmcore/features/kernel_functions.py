"""Kernels of rows with points, from a row's own numbers only: whatever else is in the batch."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

from sfmcore.data.arrays import Float32Array
from sfmcore.kernels import _products

# Float32Array and points of one width, gamma, and threads, which change no bit.
Kernel = Callable[[npt.NDArray[Any], npt.NDArray[Any], float, int], Float32Array]
Shape = Literal["unit", "gaussian", "laplacian"]

# Float32Array at a time, so that their distances stay near the processor.
_BLOCK = 256


def on_unit_rows(
    rows: npt.NDArray[Any], points: npt.NDArray[Any], gamma: float, n_threads: int
) -> Float32Array:
    """exp(-gamma |a - b|^2) of float32 rows of unit length with points of unit length."""
    kernel = np.empty((len(rows), len(points)), dtype=np.float32)
    _products.products(rows, points, kernel, n_threads)
    # |a - b|^2 = 2 - 2 a . b; rounding may leave a . b above 1.
    kernel -= 1.0
    np.minimum(kernel, 0.0, out=kernel)
    kernel *= np.float32(2.0 * gamma)
    np.exp(kernel, out=kernel)
    return kernel


def gaussian(
    rows: npt.NDArray[Any], points: npt.NDArray[Any], gamma: float, n_threads: int
) -> Float32Array:
    """exp(-gamma |a - b|^2) of any rows; `n_threads` says nothing.

    Examples
    --------
    >>> gaussian(np.array([[0.0, 0.0]]), np.array([[1.0, 3.0]]), 0.1, 1).round(3).tolist()
    [[0.36800000071525574]]
    """
    return _of_distances(rows, points, gamma, "sqeuclidean")


def laplacian(
    rows: npt.NDArray[Any], points: npt.NDArray[Any], gamma: float, n_threads: int
) -> Float32Array:
    """exp(-gamma |a - b|_1) of any rows; `n_threads` says nothing.

    Examples
    --------
    >>> laplacian(np.array([[0.0, 0.0]]), np.array([[1.0, 3.0]]), 0.25, 1).round(3).tolist()
    [[0.36800000071525574]]
    """
    return _of_distances(rows, points, gamma, "cityblock")


KERNELS: dict[Shape, Kernel] = {
    "unit": on_unit_rows,
    "gaussian": gaussian,
    "laplacian": laplacian,
}


def _of_distances(
    rows: npt.NDArray[Any], points: npt.NDArray[Any], gamma: float, metric: str
) -> Float32Array:
    """exp(-gamma d). SciPy adds up a distance column by column, from its own two rows alone."""
    kernel = np.empty((len(rows), len(points)), dtype=np.float32)
    points = np.asarray(points, dtype=np.float64)
    for start in range(0, len(rows), _BLOCK):
        distances = cdist(rows[start : start + _BLOCK], points, metric)
        distances *= -gamma
        # Beyond this the kernel is 0, and single precision has an end.
        np.maximum(distances, -200.0, out=distances)
        kernel[start : start + _BLOCK] = distances
    return np.exp(kernel, out=kernel)
