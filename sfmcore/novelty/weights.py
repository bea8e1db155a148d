"""Weights of columns of evidence: a logistic regression with non-negative coefficients."""

import numpy as np
from scipy import optimize
from scipy.special import expit

from sfmcore.data.arrays import Float64Array
from sfmcore.parallel.blas import blas_threads

_RIDGE = 1e-3
_DIGITS = 6
_ITERATIONS = 200


def learn_weights(typical: Float64Array, strange: Float64Array) -> Float64Array:
    """Weights of columns, at least 0, whose weighted sum tells typical items from strange ones.

    A column is larger, the more typical an item is. Without the limit at 0 two columns that go
    together could get weights of both signs, and an input far from everything a high score.

    Parameters
    ----------
    typical, strange : ndarray of shape (n_items, n_columns)
        Both count the same together, however many there are.

    Returns
    -------
    ndarray of shape (n_columns,)
        0 for a column that never varies. If no column tells, all that vary have the same weight, in
        units of their deviation.

    Examples
    --------
    >>> typical = np.array([[2.0, 0.0], [3.0, 1.0], [4.0, 0.0]])
    >>> weights = learn_weights(typical, typical - [2.0, 0.0])
    >>> bool(weights[0] > 0), weights[1].tolist()
    (True, 0.0)
    """
    columns = np.vstack([typical, strange])
    centre, spread = columns.mean(axis=0), columns.std(axis=0)
    varies = spread > 1e-9 * np.maximum(np.abs(centre), 1e-9)
    scale = np.where(varies, spread, 1.0)
    signs = np.repeat([1.0, -1.0], [len(typical), len(strange)])
    shares = np.where(signs > 0, 0.5 / len(typical), 0.5 / len(strange))
    # Turned so that every product below is to be large.
    turned = np.where(varies, (columns - centre) / scale, 0.0) * signs[:, None]

    def loss(w: Float64Array) -> tuple[float, Float64Array]:
        products = np.sum(turned * w[1:], axis=1) + signs * w[0]
        value = float(np.sum(shares * np.logaddexp(0.0, -products)))
        pull = shares * expit(-products)
        slope = np.append(-np.sum(pull * signs), -np.sum(turned * pull[:, None], axis=0))
        slope[1:] += _RIDGE * w[1:]
        return value + 0.5 * _RIDGE * float(np.sum(w[1:] ** 2)), slope

    n_columns = columns.shape[1]
    with blas_threads():  # whose bits may follow its threads
        found = optimize.minimize(
            loss,
            np.zeros(1 + n_columns),
            jac=True,
            method="L-BFGS-B",
            bounds=[(None, None)] + [(0.0, None)] * n_columns,
            options={"maxiter": _ITERATIONS},
        ).x[1:]
    weights = np.where(varies, np.round(found, _DIGITS), 0.0)
    if not weights.any():
        weights = np.where(varies, 1.0, 0.0)
    return np.asarray(weights / scale)
