"""The objective of PBGD3: by coefficients of items, where it is convex, and its minimum."""

from collections.abc import Iterable

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, cg

from sfmcore.bounds.objective import Objective
from sfmcore.data.arrays import Float64Array
from sfmcore.learning.search import mean_direction, minimise, surrogate_minimum

# min Phi'' = -1 / sqrt(2 pi e), at a = -1.
_CONVEX_BELOW = float(np.sqrt(2.0 * np.pi * np.e))
# Eigenvalues of a kernel below this share of the largest are its rounding.
_SMALLEST = 1e-12
_MOST_NEGATIVE = 1e-6
_NEWTON_STEPS = 10
_MOST_PRODUCTS = 200


def is_convex(rows: Float64Array, sample_weight: Float64Array, C: float) -> bool:
    """Whether J is convex whatever the labels: C times the largest eigenvalue is below 4.13.

    The Hessian is the unit matrix and C times the sum of s Phi'' phi phi', where Phi'' is never
    below -1 / sqrt(2 pi e).

    Parameters
    ----------
    rows : ndarray of shape (n_items, n_features)
        Of unit length.
    sample_weight : ndarray of shape (n_items,)
    C : float

    Examples
    --------
    >>> is_convex(np.eye(2), np.ones(2), C=4.0), is_convex(np.eye(2), np.ones(2), C=4.2)
    (True, False)
    """
    weighted = rows * np.sqrt(sample_weight)[:, None]
    size = min(rows.shape)
    # The largest eigenvalue is at least the mean one.
    if C * float(np.sum(weighted**2)) >= _CONVEX_BELOW * size:
        return False
    gram = weighted.T @ weighted if rows.shape[1] == size else weighted @ weighted.T
    largest = eigh(gram, eigvals_only=True, subset_by_index=[size - 1, size - 1])[0]
    return bool(C * largest < _CONVEX_BELOW)


def lowest_point(
    objective: Objective, *, convex: bool, starts: Iterable[Float64Array]
) -> tuple[Float64Array, float]:
    """Minimum of J(w) = m J(u) from zero, and if it is not convex from other starts.

    They are the mean of y phi, the minimum of the convex surrogate, and those given.

    Parameters
    ----------
    objective : Objective
        J(u) around zero, which J of PBGD3 is m times.
    convex : bool
        Whether J is sure to be convex.
    starts : iterable of ndarray of shape (n_features,)

    Returns
    -------
    w : ndarray of shape (n_features,)
    value : float
        J(w).

    Examples
    --------
    >>> objective = Objective(np.eye(2), np.array([1, -1], dtype=np.int8), C=2.0, n_items=2)
    >>> w, J = lowest_point(objective, convex=True, starts=[])
    >>> w.round(3).tolist(), round(J, 3)
    ([0.647, -0.647], 1.454)
    """
    all_starts = [np.zeros(objective.features.shape[1])]
    if not convex:
        all_starts += [mean_direction(objective), surrogate_minimum(objective), *starts]
    return _refined(objective, minimise(objective, all_starts))


def unit_rows(X: Float64Array, *, constant: bool) -> Float64Array:
    """Rows of unit length, a constant of 1 appended before; a zero row stays one.

    Examples
    --------
    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]), constant=False).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    rows = np.column_stack([X, np.ones(len(X))]) if constant else X
    # The largest first: squares of huge numbers overflow, of tiny ones vanish.
    largest = np.abs(rows).max(1, keepdims=True)
    rows = rows / np.where(largest > 0, largest, 1.0)
    lengths = np.sqrt(np.sum(rows**2, axis=1, keepdims=True))
    return np.ascontiguousarray(rows / np.where(lengths > 0, lengths, 1.0))


def coordinates(K: Float64Array) -> Float64Array:
    """Rows whose inner products are the kernel.

    Parameters
    ----------
    K : ndarray of shape (n_items, n_items)

    Returns
    -------
    ndarray of shape (n_items, rank)

    Raises
    ------
    ValueError
        If the kernel is not symmetric, or has an eigenvalue below 0.

    Examples
    --------
    >>> rows = coordinates(np.array([[1.0, 0.5], [0.5, 1.0]]))
    >>> (rows @ rows.T).round(3).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    if not np.allclose(K, K.T, rtol=0.0, atol=1e-8):
        raise ValueError("kernel must be symmetric")
    values, vectors = eigh(0.5 * (K + K.T))
    if values[0] < -_MOST_NEGATIVE * max(values[-1], 1.0):
        raise ValueError(
            "kernel must be positive semidefinite: it has the eigenvalue "
            f"{values[0]:.3g} beside {values[-1]:.3g}"
        )
    kept = values > _SMALLEST * max(values[-1], 1.0)
    kept[-1] = True
    return np.ascontiguousarray(vectors[:, kept] * np.sqrt(np.maximum(values[kept], 0.0)))


def density(a: Float64Array) -> Float64Array:
    """Density of the standard normal distribution, -Phi'."""
    return np.exp(-0.5 * a**2) / np.sqrt(2.0 * np.pi)


def _refined(objective: Objective, w: Float64Array) -> tuple[Float64Array, float]:
    """Minimum near w to many digits, so that equal problems have equal solutions, and its J.

    Newton's method, its equations solved by conjugate gradients; a step that does not halve the
    gradient ends it.
    """
    m, rows, signs = objective.n_items, objective.features, objective.signs
    value, slope = objective(w)
    for _ in range(_NEWTON_STEPS):
        a = signs * (rows @ w)
        # m J has the Hessian I + C sum s a density(a) phi phi'.
        bend = objective.C * m * objective.weights * a * density(a)
        hessian = LinearOperator(
            (len(w), len(w)),
            matvec=lambda p, bend=bend: p + rows.T @ (bend * (rows @ p)),
            dtype=np.float64,
        )
        step = w - cg(hessian, m * slope, rtol=1e-8, maxiter=_MOST_PRODUCTS)[0]
        lower, next_slope = objective(step)
        if not np.linalg.norm(next_slope) < 0.5 * np.linalg.norm(slope):
            break
        w, value, slope = step, lower, next_slope
    return w, m * value
