"""Kernels of rows with points, from a row's own numbers only: whatever else is in the batch."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import spatial

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
    return of_distances(distances("unit", rows, points, n_threads), gamma)


def gaussian(
    rows: npt.NDArray[Any], points: npt.NDArray[Any], gamma: float, n_threads: int
) -> Float32Array:
    """exp(-gamma |a - b|^2) of any rows; `n_threads` is ignored.

    Examples
    --------
    >>> gaussian(np.array([[0.0, 0.0]]), np.array([[1.0, 3.0]]), 0.1, 1).round(3).tolist()
    [[0.36800000071525574]]
    """
    return _of_distances(rows, points, gamma, "gaussian")


def laplacian(
    rows: npt.NDArray[Any], points: npt.NDArray[Any], gamma: float, n_threads: int
) -> Float32Array:
    """exp(-gamma |a - b|_1) of any rows; `n_threads` is ignored.

    Examples
    --------
    >>> laplacian(np.array([[0.0, 0.0]]), np.array([[1.0, 3.0]]), 0.25, 1).round(3).tolist()
    [[0.36800000071525574]]
    """
    return _of_distances(rows, points, gamma, "laplacian")


KERNELS: dict[Shape, Kernel] = {
    "unit": on_unit_rows,
    "gaussian": gaussian,
    "laplacian": laplacian,
}


# What kernels take for the distance of two rows.
_METRICS: dict[Shape, Literal["sqeuclidean", "cityblock"]] = {
    "gaussian": "sqeuclidean",
    "laplacian": "cityblock",
}


def distances(
    shape: Shape, rows: npt.NDArray[Any], points: npt.NDArray[Any], n_threads: int
) -> npt.NDArray[Any]:
    """Distances behind a kernel of any width: |a - b|^2, or |a - b|_1 of a Laplacian one.

    Parameters
    ----------
    shape : {"unit", "gaussian", "laplacian"}
    rows, points : ndarray of shape (n_rows, n_columns) and (n_points, n_columns)
        Of "unit" float32 and of unit length.
    n_threads : int
        Used by "unit".

    Returns
    -------
    ndarray of shape (n_rows, n_points)
        Of "unit" float32, else float64.

    Examples
    --------
    >>> distances("laplacian", np.array([[0.0, 0.0]]), np.array([[1.0, 3.0]]), 1).tolist()
    [[4.0]]
    """
    if shape != "unit":
        return spatial.distance.cdist(rows, np.asarray(points, dtype=np.float64), _METRICS[shape])
    made = np.empty((len(rows), len(points)), dtype=np.float32)
    _products.products(rows, points, made, n_threads)
    # |a - b|^2 = 2 - 2 a . b; rounding may leave a . b above 1.
    made -= 1.0
    np.minimum(made, 0.0, out=made)
    made *= -2.0
    return made


def of_distances(distances: npt.NDArray[Any], gamma: float) -> Float32Array:
    """exp(-gamma d).

    Examples
    --------
    >>> of_distances(np.array([[0.0, 4.0]]), 0.25).round(3).tolist()
    [[1.0, 0.36800000071525574]]
    """
    if distances.dtype == np.float32:
        kernel = distances * np.float32(-gamma)
        return np.exp(kernel, out=kernel)
    kernel = np.empty(distances.shape, dtype=np.float32)
    for start in range(0, len(distances), _BLOCK):
        exponents = distances[start : start + _BLOCK] * -gamma
        # Beyond this the kernel is 0, and single precision has an end.
        np.maximum(exponents, -200.0, out=exponents)
        kernel[start : start + _BLOCK] = exponents
    return np.exp(kernel, out=kernel)


def _of_distances(
    rows: npt.NDArray[Any], points: npt.NDArray[Any], gamma: float, shape: Shape
) -> Float32Array:
    """A kernel by SciPy, which adds a distance up from its own two rows alone."""
    kernel = np.empty((len(rows), len(points)), dtype=np.float32)
    for start in range(0, len(rows), _BLOCK):
        part = slice(start, start + _BLOCK)
        kernel[part] = of_distances(distances(shape, rows[part], points, 1), gamma)
    return kernel
