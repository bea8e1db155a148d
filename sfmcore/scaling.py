"""Mean and deviation of the columns of X."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from sfmcore.bound import FloatArray

# Far beyond any item that means something, and small enough for the square of a float32.
_LIMIT = 1e9


@dataclass(frozen=True)
class Scaling:
    """What is subtracted from every column, and what it is divided by.

    Attributes
    ----------
    mean : ndarray of shape (n_columns,)
    scale : ndarray of shape (n_columns,)
        Standard deviation; 1 for a constant column.
    constant : ndarray of shape (n_columns,), bool
        Columns that do not vary.
    """

    mean: FloatArray
    scale: FloatArray
    constant: np.ndarray

    @classmethod
    def of(cls, X: FloatArray, weights: FloatArray) -> Self:
        """Learn from weighted rows, in two passes so that a large offset costs no digits.

        Parameters
        ----------
        X : ndarray of shape (n_items, n_columns)
        weights : ndarray of shape (n_items,)

        Examples
        --------
        >>> scaling = Scaling.of(np.array([[1e9, 7.0], [1e9 + 2.0, 7.0]]), np.ones(2))
        >>> scaling.scale.tolist(), scaling.constant.tolist()
        ([1.0, 1.0], [False, True])
        """
        X = X[weights > 0]
        shares = (weights[weights > 0] / weights.sum())[:, None]
        # Halves first: the middle of two huge numbers is finite, their sum need not be.
        middle = 0.5 * X.min(0) + 0.5 * X.max(0)
        width = np.maximum(X.max(0) * 0.5 - X.min(0) * 0.5, np.finfo(float).tiny)
        unit = (X * 0.5 - middle * 0.5) / width
        mean = (shares * unit).sum(0)
        deviation = np.sqrt((shares * (unit - mean) ** 2).sum(0))
        # Both are rounded to some 30 bits: sums in another order then give the same bits, and a
        # row keeps its content, which its random stream goes by.
        mean = middle + 2.0 * width * np.round(mean, 9)
        mantissa, exponent = np.frexp(2.0 * width * deviation)
        deviation = np.ldexp(np.round(mantissa, 9), exponent)
        constant = X.min(0) == X.max(0)
        constant |= deviation <= 1e-14 * np.abs(mean)
        return cls(mean, np.where(constant, 1.0, deviation), constant)

    def apply(self, X: FloatArray) -> FloatArray:
        """Standardised rows; constant columns become 0, and nothing lies beyond 1e9."""
        with np.errstate(over="ignore"):  # what overflows lies beyond the limit
            rows = np.clip((X - self.mean) / self.scale, -_LIMIT, _LIMIT)
        rows[:, self.constant] = 0.0
        return np.ascontiguousarray(rows)
