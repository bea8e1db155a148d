"""Kernels by name or as functions, and kernels of vectors brought to unit length."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from sfmcore.data.arrays import Float64Array
from sfmcore.data.checks import check_choice, check_number

KernelFunction = Callable[[Float64Array, Float64Array], Float64Array]

# Rows of a block when only the diagonal of a function's matrix is wanted.
_BLOCK = 64


def check_kernel(name: str, kernel: Any, choices: tuple[str, ...]) -> None:
    """Refuse what is neither a function nor one of the names.

    Examples
    --------
    >>> check_kernel("kernel", "cubic", ("linear", "rbf"))
    Traceback (most recent call last):
    ...
    ValueError: kernel must be 'linear' or 'rbf', got 'cubic'
    """
    if not callable(kernel):
        check_choice(name, kernel, choices)


def gamma_of(gamma: Any, rows: Float64Array, weights: Float64Array) -> float:
    """Width of the Gaussian kernel: the number, or what scikit-learn's "scale" means.

    Parameters
    ----------
    gamma : float or "scale"
    rows : ndarray of shape (n_items, n_features)
    weights : ndarray of shape (n_items,)

    Examples
    --------
    >>> gamma_of("scale", np.array([[1.0, -1.0], [-1.0, 1.0]]), np.ones(2))
    0.5
    """
    if isinstance(gamma, str):
        check_choice("gamma", gamma, ("scale",))
        shares = (weights / weights.sum())[:, None] / rows.shape[1]
        mean = np.sum(shares * rows)
        with np.errstate(over="ignore"):  # a kernel of such numbers is refused
            variance = float(np.sum(shares * (rows - mean) ** 2))
        return 1.0 / (rows.shape[1] * variance) if variance > 0 else 1.0
    check_number("gamma", gamma, "above 0, or 'scale'", lambda value: value > 0)
    return float(gamma)


def kernel_matrix(
    kernel: str | KernelFunction, A: Float64Array, B: Float64Array, gamma: float
) -> Float64Array:
    """Kernel of every row of A with every row of B.

    Parameters
    ----------
    kernel : {"linear", "quadratic", "rbf"} or callable
        a . b, (1 + a . b)^2, exp(-gamma |a - b|^2), or a function of A and B.
    A : ndarray of shape (n_rows, n_features)
    B : ndarray of shape (n_columns, n_features)
    gamma : float

    Returns
    -------
    ndarray of shape (n_rows, n_columns)

    Raises
    ------
    ValueError
        If a function returns another shape, or values are not finite.

    Examples
    --------
    >>> kernel_matrix("quadratic", np.eye(2), np.eye(2), 1.0).tolist()
    [[4.0, 1.0], [1.0, 4.0]]
    """
    with np.errstate(over="ignore", invalid="ignore"):  # refused below
        if not isinstance(kernel, str):
            K = np.asarray(kernel(A, B), dtype=np.float64)
        elif kernel == "rbf":
            K = np.exp(-gamma * cdist(A, B, "sqeuclidean"))
        else:
            K = A @ B.T
            if kernel == "quadratic":
                K = (1.0 + K) ** 2
    if K.shape != (len(A), len(B)):
        raise ValueError(f"kernel must return shape {(len(A), len(B))}, got {K.shape}")
    if not np.all(np.isfinite(K)):
        raise ValueError(f"the values of kernel {kernel!r} are not all finite: scale X first")
    return K


def kernel_diagonal(kernel: str | KernelFunction, A: Float64Array, gamma: float) -> Float64Array:
    """Kernel of every row with itself, shape (n_rows,); see :func:`kernel_matrix`.

    Examples
    --------
    >>> kernel_diagonal("rbf", np.zeros((2, 3)), 1.0).tolist()
    [1.0, 1.0]
    """
    if kernel == "rbf":
        return np.ones(len(A))
    if isinstance(kernel, str):
        squares = np.sum(A**2, axis=1)
        return squares if kernel == "linear" else (1.0 + squares) ** 2
    blocks = [A[first : first + _BLOCK] for first in range(0, len(A), _BLOCK)]
    own = [np.diagonal(kernel_matrix(kernel, block, block, gamma)) for block in blocks]
    return np.concatenate(own) if own else np.empty(0)


def inverse_lengths(squares: Float64Array) -> Float64Array:
    """One over the length of every vector from its square; 0 for a vector without direction.

    Examples
    --------
    >>> inverse_lengths(np.array([4.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    with np.errstate(divide="ignore"):
        return np.where(squares > 0, 1.0 / np.sqrt(np.maximum(squares, 0.0)), 0.0)
