"""Column scalings for mixtures and for kernels on columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import ndtri

from sfmcore.data.arrays import BoolArray, Float64Array, below
from sfmcore.preparation.base import FittedPreparation

# Far beyond any item that means something, and small enough for the square of a float32.
_LIMIT = 1e9
# Deviations of more than so many of a normal column with the same quartiles say that outliers
# squeeze the other numbers: 18 at most in the eight UCI sets of the paper.
_SQUEEZED = 30.0
# Distances between the quartiles, beyond these, that an outlier keeps there.
_REACH = 30.0
_NORMAL_QUARTILES = 1.349
_HUGE = np.finfo(float).max
# The square of a larger number leaves the range of float32.
_LARGEST = 1e18
_SMALLEST = np.finfo(float).smallest_subnormal


class ColumnScaling(FittedPreparation):
    """Scaling of the columns of X."""

    column_variance: float | Float64Array = 1.0
    """Variances that the models' priors refer to: both of a pair measure by the same columns."""

    @property
    def model_parameters(self) -> dict[str, Any]:
        """The columns' variances, for models that ask for them."""
        return {"column_variance": self.column_variance}


@dataclass(frozen=True)
class Scaling(ColumnScaling):
    """Offset and divisor of every column, for "standard".

    Attributes
    ----------
    mean : ndarray of shape (n_columns,)
    scale : ndarray of shape (n_columns,)
        Standard deviation; 1 for a constant column.
    constant : ndarray of shape (n_columns,), bool
        Columns that do not vary.
    low, high : ndarray of shape (n_columns,)
        Numbers beyond them count as they do: in a column whose outliers would leave the other
        numbers next to no differences, 30 times the distance of the quartiles beyond these. Else
        the ends of the range of numbers.
    """

    mean: Float64Array
    scale: Float64Array
    constant: np.ndarray
    low: Float64Array
    high: Float64Array

    @classmethod
    def of(cls, X: Float64Array, weights: Float64Array) -> Self:
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
        X, weights = X[weights > 0], weights[weights > 0]
        moments = cls._moments(X, weights)
        low, high = _fences(X, weights, moments[1])
        if np.any(X.min(0) < low) or np.any(X.max(0) > high):
            moments = cls._moments(np.clip(X, low, high), weights)
        return cls(*moments, low, high)

    @staticmethod
    def _moments(
        X: Float64Array, weights: Float64Array
    ) -> tuple[Float64Array, Float64Array, BoolArray]:
        """Mean and scale of the columns, and which of them are constant."""
        shares = (weights / weights.sum())[:, None]
        # Halves first: the middle of two huge numbers is finite, their sum need not be.
        middle = 0.5 * X.min(0) + 0.5 * X.max(0)
        width = np.maximum(X.max(0) * 0.5 - X.min(0) * 0.5, np.finfo(float).tiny)
        unit = (X * 0.5 - middle * 0.5) / width
        mean = (shares * unit).sum(0)
        deviation = np.sqrt((shares * (unit - mean) ** 2).sum(0))
        # Both are rounded to some 30 bits: sums in another order then give the same bits, and a
        # row keeps its content, which its random stream goes by.
        mean = middle + width * (2.0 * np.round(mean, 9))
        mantissa, exponent = np.frexp(width * (2.0 * deviation))
        with np.errstate(over="ignore"):
            deviation = np.ldexp(np.round(mantissa, 9), exponent)
        # The largest number rounded up is not finite.
        deviation = np.minimum(deviation, np.finfo(float).max)
        constant = X.min(0) == X.max(0)
        constant |= deviation <= 1e-14 * np.abs(mean)
        return mean, np.where(constant, 1.0, deviation), constant

    def apply(self, X: Float64Array) -> Float64Array:
        """Standardised rows; constant columns become 0, and nothing lies beyond 1e9."""
        # Halves again: the difference of two huge numbers need not be finite.
        X = np.clip(X, self.low, self.high)
        half = np.where(self.scale > 1.0, 0.5, 1.0)
        with np.errstate(over="ignore"):  # what overflows lies beyond the limit
            rows = (half * X - half * self.mean) / (half * self.scale)
            rows = np.clip(rows, -_LIMIT, _LIMIT)
        rows[:, self.constant] = 0.0
        return np.ascontiguousarray(rows)

    def get_arrays(self) -> dict[str, np.ndarray]:
        """Means, deviations, constant columns and ends."""
        return {
            "mean": self.mean,
            "scale": self.scale,
            "constant": self.constant.astype(np.uint8),
            "low": self.low,
            "high": self.high,
        }

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, np.ndarray]) -> Self:
        """Take back what :meth:`get_arrays` gave."""
        mean, scale, low, high = (_finite(arrays, n) for n in ("mean", "scale", "low", "high"))
        constant = arrays["constant"]
        if constant.shape != mean.shape or constant.dtype != np.uint8:
            raise ValueError("constant must mark every column")
        if {len(scale), len(low), len(high)} != {len(mean)} or not np.all(scale > 0):
            raise ValueError("scale must be above 0 for every column")
        if np.any(low > high):
            raise ValueError("low must not lie above high")
        return cls(mean, scale, constant.astype(bool), low, high)


@dataclass(frozen=True)
class Unscaled(ColumnScaling):
    """Columns as they are.

    Attributes
    ----------
    column_variance : ndarray of shape (n_columns,)
    """

    column_variance: Float64Array

    def apply(self, X: Float64Array) -> Float64Array:
        """Return X itself.

        Raises
        ------
        ValueError
            If a number is so large that its square does not fit the features.
        """
        if X.size and np.abs(X).max() > _LARGEST:
            raise ValueError(
                f"X holds numbers beyond {_LARGEST:g}, whose squares are features: "
                "scale it, or set scaling='standard'"
            )
        return X

    def get_arrays(self) -> dict[str, np.ndarray]:
        """Variances of the columns."""
        return {"column_variance": self.column_variance}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, np.ndarray]) -> Self:
        """Take back what :meth:`get_arrays` gave."""
        return cls(_finite(arrays, "column_variance"))


# Beyond these a power says nothing that an outlier does not say.
_POWERS = np.arange(-2.0, 4.01, 0.25)


@dataclass(frozen=True)
class PowerScaling(ColumnScaling):
    """Standard scores, bent by a power for every column, and standardised again: "power".

    Yeo and Johnson's transformation makes skewed columns look normal, which is what a Gaussian
    mixture hopes for. The power of a column is the one of the largest likelihood.

    Attributes
    ----------
    first : Scaling
        Of the columns.
    powers : ndarray of shape (n_columns,)
        Yeo and Johnson's lambda; 1 changes nothing.
    second : Scaling
        Of the bent columns.

    References
    ----------
    I. Yeo, R. Johnson, "A new family of power transformations to improve normality or symmetry",
    Biometrika 87 (2000).
    """

    first: Scaling
    powers: Float64Array
    second: Scaling

    @classmethod
    def of(cls, X: Float64Array, weights: Float64Array) -> Self:
        """Learn from weighted rows.

        Parameters
        ----------
        X : ndarray of shape (n_items, n_columns)
        weights : ndarray of shape (n_items,)

        Examples
        --------
        >>> X = np.exp(np.linspace(-2, 2, 41))[:, None]
        >>> scaling = PowerScaling.of(X, np.ones(41))
        >>> bool(scaling.powers[0] < 0.5)
        True
        """
        X, weights = X[weights > 0], weights[weights > 0]
        first = Scaling.of(X, weights)
        scores = first.apply(X)
        shares = (weights / weights.sum())[:, None]
        # The logarithm of the transformation's derivative, per unit of the power.
        slope = (shares * np.sign(scores) * np.log1p(np.abs(scores))).sum(0)
        likelihoods = []
        for power in _POWERS:
            bent = yeo_johnson(scores, np.full(X.shape[1], power))
            middle = (shares * bent).sum(0)
            variance = (shares * (bent - middle) ** 2).sum(0)
            variance = np.maximum(variance, np.finfo(float).tiny)
            likelihoods.append((power - 1.0) * slope - 0.5 * np.log(variance))
        powers = np.where(first.constant, 1.0, _peak(np.array(likelihoods)))
        return cls(first, powers, Scaling.of(yeo_johnson(scores, powers), weights))

    def apply(self, X: Float64Array) -> Float64Array:
        """Transformed rows; constant columns become 0, and nothing lies beyond 1e9."""
        return self.second.apply(yeo_johnson(self.first.apply(X), self.powers))

    def get_arrays(self) -> dict[str, np.ndarray]:
        """Both scalings and the powers between them."""
        return {
            **_under("first", self.first.get_arrays()),
            **_under("second", self.second.get_arrays()),
            "powers": self.powers,
        }

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, np.ndarray]) -> Self:
        """Take back what :meth:`get_arrays` gave."""
        first, second = (Scaling.of_arrays(below(arrays, f"{n}/")) for n in ("first", "second"))
        powers = _finite(arrays, "powers")
        if not len(powers) == len(first.mean) == len(second.mean):
            raise ValueError("powers must hold a number for every column")
        return cls(first, powers, second)


@dataclass(frozen=True)
class QuantileScaling(ColumnScaling):
    """Ranks of the columns, uniform or as normal scores, standardised: "uniform" and "normal".

    The rank of a value is the share of the training weight below it, and of half of that equal to
    it. A value between two others gets a rank between theirs, one beyond all that of the nearest.

    Attributes
    ----------
    values : tuple of ndarray
        Distinct training values of every column, ascending; one value of a constant column.
    ranks : tuple of ndarray
        Their ranks, above 0 and below 1.
    normal : bool
        Whether ranks are made normal scores.
    second : Scaling
        Of the ranks or scores.
    """

    values: tuple[Float64Array, ...]
    ranks: tuple[Float64Array, ...]
    normal: bool
    second: Scaling

    @classmethod
    def of(cls, X: Float64Array, weights: Float64Array, *, normal: bool) -> Self:
        """Learn from weighted rows.

        Parameters
        ----------
        X : ndarray of shape (n_items, n_columns)
        weights : ndarray of shape (n_items,)
        normal : bool

        Examples
        --------
        >>> X = np.array([[1.0], [10.0], [1000.0]])
        >>> scaling = QuantileScaling.of(X, np.ones(3), normal=False)
        >>> scaling.apply(np.array([[1.0], [10.0], [505.0], [9e9]])).ravel().round(2).tolist()
        [-1.22, 0.0, 0.61, 1.22]
        """
        X, weights = X[weights > 0], weights[weights > 0]
        values, ranks = [], []
        for column, constant in zip(X.T, Scaling.of(X, weights).constant, strict=True):
            distinct, place = np.unique(column[:1] if constant else column, return_inverse=True)
            shares = np.ones(1) if constant else np.bincount(place, weights) / weights.sum()
            # Sums of weights in another order differ in the last digits; no rank may become 0.
            middles = (np.cumsum(shares) - 0.5 * shares).round(9)
            values.append(distinct)
            ranks.append(np.clip(middles, 1e-9, 1.0 - 1e-9))
        scores = _quantiles(X, values, ranks, normal)
        return cls(tuple(values), tuple(ranks), normal, Scaling.of(scores, weights))

    def apply(self, X: Float64Array) -> Float64Array:
        """Standardised ranks or scores; constant columns become 0."""
        return self.second.apply(_quantiles(X, self.values, self.ranks, self.normal))

    def get_arrays(self) -> dict[str, np.ndarray]:
        """Values and ranks of all columns one after another, and the scaling of the ranks."""
        return {
            "lengths": np.array([len(column) for column in self.values], dtype=np.int64),
            "values": np.concatenate(self.values),
            "ranks": np.concatenate(self.ranks),
            **_under("second", self.second.get_arrays()),
        }

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, np.ndarray], *, normal: bool) -> Self:
        """Take back what :meth:`get_arrays` gave."""
        lengths, second = arrays["lengths"], Scaling.of_arrays(below(arrays, "second/"))
        values, ranks = _finite(arrays, "values"), _finite(arrays, "ranks")
        if lengths.shape != second.mean.shape or lengths.dtype != np.int64 or lengths.min() < 1:
            raise ValueError("lengths must say how many values every column has")
        if not int(lengths.sum()) == len(values) == len(ranks):
            raise ValueError("values and ranks must be as many as the lengths say")
        if not np.all((ranks > 0) & (ranks < 1)):
            raise ValueError("ranks must lie between 0 and 1")
        ends = np.cumsum(lengths)[:-1]
        if np.any(np.delete(values[1:] <= values[:-1], ends - 1)):
            raise ValueError("values must rise in every column")
        columns = tuple(np.split(values, ends)), tuple(np.split(ranks, ends))
        return cls(*columns, normal, second)


def _fences(
    X: Float64Array, weights: Float64Array, scale: Float64Array
) -> tuple[Float64Array, Float64Array]:
    """Ends of the columns that outliers squeeze; those of all numbers for the others."""
    order = np.argsort(X, axis=0, kind="stable")
    passed = np.cumsum(weights[order], axis=0) / weights.sum()
    # Rounded, so that sums in another order find the same quartiles.
    first, third = (
        np.take_along_axis(np.take_along_axis(X, order, 0), place[None], 0)[0]
        for place in ((passed.round(9) >= quarter).argmax(0) for quarter in (0.25, 0.75))
    )
    with np.errstate(over="ignore"):
        distance = third - first
        squeezed = (distance > 0) & (scale > _SQUEEZED * distance / _NORMAL_QUARTILES)
        low = np.where(squeezed, first - _REACH * distance, -_HUGE)
        high = np.where(squeezed, third + _REACH * distance, _HUGE)
    return np.maximum(low, -_HUGE), np.minimum(high, _HUGE)


def yeo_johnson(X: Float64Array, powers: Float64Array) -> Float64Array:
    """Yeo and Johnson's transformation of every column.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_columns)
    powers : ndarray of shape (n_columns,)

    Examples
    --------
    >>> yeo_johnson(np.array([[3.0, -1.0]]), np.array([0.5, 1.0])).tolist()
    [[2.0, -1.0]]
    """
    # A negative x is bent as -x is, by the power 2 - lambda.
    exponents = np.where(X >= 0, powers, 2.0 - powers)
    logs = np.log1p(np.abs(X))
    flat = np.abs(exponents) < 1e-12
    bent = np.expm1(exponents * logs) / np.where(flat, 1.0, exponents)
    return np.sign(X) * np.where(flat, logs, bent)


def _quantiles(
    X: Float64Array, values: Sequence[Float64Array], ranks: Sequence[Float64Array], normal: bool
) -> Float64Array:
    """Ranks of every column's numbers among its training values, or their normal scores."""
    made = np.empty_like(X)
    for column, known, own, out in zip(X.T, values, ranks, made.T, strict=True):
        if len(known) == 1:
            out[:] = own[0]
            continue
        above = np.clip(np.searchsorted(known, column), 1, len(known) - 1)
        # Halves where the difference of two huge numbers need not be finite.
        half = 0.5 if np.abs(known).max() > 1.0 else 1.0
        low, width = half * known[above - 1], half * known[above] - half * known[above - 1]
        share = (half * np.clip(column, known[0], known[-1]) - low) / np.maximum(width, _SMALLEST)
        out[:] = own[above - 1] + np.clip(share, 0.0, 1.0) * (own[above] - own[above - 1])
    return ndtri(made) if normal else made


def _peak(likelihoods: Float64Array) -> Float64Array:
    """Power of the largest likelihood of every column, between the tried ones by a parabola."""
    best = likelihoods.argmax(0)
    inner = np.clip(best, 1, len(_POWERS) - 2)
    low, middle, high = (
        np.take_along_axis(likelihoods, (inner + step)[None], axis=0)[0] for step in (-1, 0, 1)
    )
    bend = np.minimum(low - 2.0 * middle + high, -1e-12)
    shift = np.clip(0.5 * (low - high) / bend, -1.0, 1.0)
    step = float(_POWERS[1] - _POWERS[0])
    at_the_end = best != inner
    # Two digits are enough, and the same for sums in another order.
    return np.round(np.where(at_the_end, _POWERS[best], _POWERS[inner] + step * shift), 2)


VectorPreparation = Scaling | PowerScaling | QuantileScaling | Unscaled


def _finite(arrays: Mapping[str, np.ndarray], name: str) -> Float64Array:
    """One array of a model file, refused unless it is a row of finite numbers."""
    array = arrays[name]
    if array.ndim != 1 or array.dtype != np.float64 or not np.isfinite(array).all():
        raise ValueError(f"{name} must be a row of finite numbers")
    return array


def _under(name: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {f"{name}/{key}": array for key, array in arrays.items()}
