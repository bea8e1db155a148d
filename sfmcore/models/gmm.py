"""Gaussian mixture with diagonal covariances, fitted by EM."""

import functools
from collections.abc import Sequence
from typing import ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.special import softmax
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sfmcore.data.arrays import Float32Array, Float64Array, UInt64Array
from sfmcore.data.checks import check_number, check_whole
from sfmcore.kernels import _gmm
from sfmcore.models.base import EMModel, checked_weights
from sfmcore.models.em import fit_from_starts
from sfmcore.models.starts import far_rows, merged
from sfmcore.parallel.threads import effective_threads, worthwhile_threads

_FLOOR = 1e-12
_LLOYD_STEPS = 10
# Variance of k-means, in units of the columns' variance: EM with so sharp components is Lloyd's
# algorithm.
_SHARP = 1e-4
# Beyond this a square leaves the range of float32.
_LARGEST = 1e18
# What counts as no variance, and as no share of the items. Quotients by more stay finite.
_LEAST_VARIANCE = 1e-200
_LEAST_SHARE = 1e-250


class DiagonalGMM(EMModel):
    """Gaussian mixture over rows of numbers, whose covariances are diagonal.

    Fitted by EM, accelerated by SQUAREM, with a Dirichlet prior on the weights and a prior that
    pulls every variance towards its column's. Several short runs from starts by k-means++; the
    best goes on. Equal rows are merged first, so the order of the rows changes nothing, and a
    row of weight 2 is a row that is given twice.

    Parameters
    ----------
    n_components : int, default=4
        Number of Gaussians. May be larger than the number of rows.
    n_init : int, default=4
        Number of starts.
    max_iter : int, default=1000
        E-steps after the short runs, at most.
    tol : float, default=1e-6
        EM ends when three E-steps, which are one cycle of SQUAREM, raise the objective by no more
        than this, in nats an item.
    prior : float, default=1.0
        Pseudo-count of every component: a Dirichlet prior with parameter ``1 + prior``.
    variance_prior : float, default=1.0
        Pseudo-count of the column's variance in every component's variance.
    variance_floor : float, default=1e-3
        Least variance, in units of the column's variance.
    column_variance : float, array-like of shape (n_columns,) or None, default=None
        The columns' variances that the prior and the floor refer to. None for those of the items
        given, where a column that does not vary has 1.
    random_state : int, RandomState instance or None, default=None
        Of the starts.
    n_jobs : int or None, default=None
        Number of threads; -1 for all. The result does not depend on it.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        P(component).
    means_ : ndarray of shape (n_components, n_columns)
    variances_ : ndarray of shape (n_components, n_columns)
    column_variance_ : ndarray of shape (n_columns,)
        What the prior and the floor of the variances refer to.
    n_columns_ : int
        Length of an item.
    history_ : ndarray of shape (`n_iter_` + 1,)
        Log-likelihood plus log-prior, in nats an item, of the best parameters so far: at the start
        and after each further E-step of the winning run. It never falls, and repeats itself
        where an extrapolation was not taken. The last is that of the fitted model.
    n_iter_ : int
        E-steps of the winning run after its first, those of extrapolations that were not taken
        included.
    converged_ : bool
        Whether `tol` was reached before `max_iter`.

    References
    ----------
    D. Arthur, S. Vassilvitskii, "k-means++: the advantages of careful seeding", SODA (2007).
    R. Varadhan, C. Roland, "Simple and globally convergent methods for accelerating the
    convergence of any EM algorithm", Scandinavian Journal of Statistics 35 (2008).

    Examples
    --------
    >>> data = np.array([[0.0, 1.0], [0.2, 1.1], [0.1, 0.8], [9.0, 5.0], [9.1, 5.3]])
    >>> model = DiagonalGMM(n_components=2, variance_prior=0.01, random_state=0).fit(data)
    >>> sorted(model.means_.round(1).tolist())
    [[0.1, 1.0], [9.0, 5.2]]
    >>> model.log_likelihood(data[:1]) > model.log_likelihood([[4.0, 3.0]])
    array([ True])
    """

    kind_of_data: ClassVar[Literal["columns", "rows", "codes"]] = "columns"
    conditioned: ClassVar[bool] = False

    def __init__(
        self,
        n_components: int = 4,
        *,
        n_init: int = 4,
        max_iter: int = 1000,
        tol: float = 1e-6,
        prior: float = 1.0,
        variance_prior: float = 1.0,
        variance_floor: float = 1e-3,
        column_variance: npt.ArrayLike | None = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.prior = prior
        self.variance_prior = variance_prior
        self.variance_floor = variance_floor
        self.column_variance = column_variance
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def n_statistics(self) -> int:
        """For each component its share, its sums and its sums of squares."""
        check_is_fitted(self, "means_")
        return self.n_components * (1 + 2 * self.n_columns_)

    @property
    def n_features(self) -> int:
        """The statistics, and the component times its log share."""
        return self.n_statistics + self.n_components

    @property
    def n_configurations(self) -> int:
        """Number of values of the hidden variable: the components."""
        return self.n_components

    def estimate(self, data: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Fit by EM without a warning; see :meth:`fit`.

        Parameters
        ----------
        data : array-like of shape (n_items, n_columns)
        sample_weight : array-like of shape (n_items,), optional
            Weight of each item. Items of weight 0 are as if they were absent.

        Returns
        -------
        self : DiagonalGMM

        Raises
        ------
        ValueError
            If there is no item, a number is not finite or its square is too large, or
            `column_variance` does not fit the columns.
        """
        self.check_parameters()
        rows = _checked_rows(data)
        if len(rows) == 0:
            raise ValueError("no item to learn from")
        rows, weights = merged(rows, checked_weights(sample_weight, len(rows)))
        self.n_columns_ = rows.shape[1]
        self.column_variance_ = self._column_variance(rows, weights)
        random = check_random_state(self.random_state)
        start = functools.partial(self._start, rows, weights, random)
        fit_from_starts(self, start, [_MixtureEM(self, rows, weights)])
        return self

    def check_parameters(self) -> None:
        """Refuse parameters that are out of range."""
        check_whole("n_components", self.n_components, 1)
        check_whole("n_init", self.n_init, 1)
        check_whole("max_iter", self.max_iter, 0)
        for name in ("tol", "prior", "variance_prior"):
            check_number(name, getattr(self, name), "of at least 0", lambda value: value >= 0)
        check_number("variance_floor", self.variance_floor, "above 0", lambda floor: floor > 0)

    def _column_variance(self, rows: Float64Array, weights: Float64Array) -> Float64Array:
        """Variance that the prior and the floor refer to, shape (n_columns,)."""
        if self.column_variance is not None:
            given = np.asarray(self.column_variance, dtype=np.float64)
            if given.shape not in ((), (self.n_columns_,)):
                raise ValueError(
                    f"column_variance has shape {given.shape}, the items {self.n_columns_} columns"
                )
            if not np.all((given > _LEAST_VARIANCE) & (given < np.inf)):
                raise ValueError(f"column_variance must be finite and above {_LEAST_VARIANCE}")
            return np.broadcast_to(given, self.n_columns_).copy()
        # Two passes of the mixture of one component. The first goes around a row, so a constant
        # column has differences of 0 and no rounding.
        one, mean = np.ones((1, self.n_columns_)), rows[:1]
        threads = self._threads(len(rows))
        for _ in range(2):
            sums = _gmm.expected_statistics(rows, one[0, :1], mean, one, weights, threads)[0]
            first, second = np.split(sums[1:] / sums[0], 2)
            mean = mean + first
        variance = second - first**2
        return np.where(variance > _LEAST_VARIANCE, variance, 1.0)

    def _start(
        self, rows: Float64Array, weights: Float64Array, random: np.random.RandomState
    ) -> None:
        """Set the parameters by k-means++, with distances in units of the columns' variance."""
        threads = self._threads(len(rows))
        scale = self.column_variance_[None]
        chosen = far_rows(rows, weights, scale, random.uniform(size=self.n_components), threads)
        self.weights_ = np.full(self.n_components, 1.0 / self.n_components)
        self.means_ = rows[chosen]
        self.variances_ = np.repeat(_SHARP * scale, self.n_components, axis=0)
        for _ in range(_LLOYD_STEPS):
            counts, first, _ = self._sums(rows, weights)[0]
            step = _quotient(first, counts)
            if not step.any():
                break
            self.means_ = self.means_ + step
        self._maximise(*self._sums(rows, weights)[0])

    def _sums(
        self, rows: Float64Array, weights: Float64Array
    ) -> tuple[tuple[Float64Array, Float64Array, Float64Array], Float64Array]:
        """Shares, differences and squares around the means; and the log-likelihoods."""
        threads = self._threads(len(rows))
        sums, scores = _gmm.expected_statistics(rows, *self._blocks(), weights, threads)
        return self._split(sums), scores

    def _split(self, statistics: Float64Array) -> tuple[Float64Array, Float64Array, Float64Array]:
        K, D = self.n_components, self.n_columns_
        counts, first, second = np.split(statistics, [K, K + K * D])
        return counts, first.reshape(K, D), second.reshape(K, D)

    def _blocks(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.weights_, self.means_, self.variances_

    def _log_prior(self) -> float:
        """Logarithm of the priors' densities, up to a constant."""
        ratio = self.column_variance_ / self.variances_
        pull = float(np.sum(np.log(ratio) - ratio))
        return self.prior * float(np.log(self.weights_).sum()) + 0.5 * self.variance_prior * pull

    def _maximise(self, counts: Float64Array, first: Float64Array, second: Float64Array) -> None:
        """MAP estimate from the sums around the present means.

        A component without items keeps its mean, and its variance if there is no prior.
        """
        step = _quotient(first, counts)
        spread = np.maximum(second - step * first, 0.0)
        spread += self.variance_prior * self.column_variance_
        pulled = counts + self.variance_prior
        variances = np.where(
            pulled[:, None] > _LEAST_SHARE, _quotient(spread, pulled), self.variances_
        )
        self.means_ = self.means_ + step
        self.variances_ = np.maximum(variances, self._least_variances())
        shares = counts + self.prior
        self.weights_ = _floored(shares / max(float(shares.sum()), _LEAST_SHARE))

    def _least_variances(self) -> Float64Array:
        return np.maximum(self.variance_floor * self.column_variance_, _LEAST_VARIANCE)

    def update(self, statistics: Float64Array) -> Self:
        """Set the parameters to their MAP estimate given summed statistics (M-step).

        Sums of squares lose the digits of columns that lie far from 0 by their deviation; the
        floor holds what is left of such a variance above 0. :meth:`estimate` does not use them.

        Parameters
        ----------
        statistics : ndarray of shape (n_statistics,)
            Shares, sums and sums of squares, both (component, column).
        """
        check_is_fitted(self, "means_")
        counts, first, second = self._split(np.asarray(statistics, dtype=np.float64))
        around = first - counts[:, None] * self.means_
        # E (x - m)^2 = E x^2 - m (E x + E (x - m))
        self._maximise(counts, around, second - self.means_ * (first + around))
        return self

    def _threads(self, n_items: int) -> int:
        work = n_items * self.n_components * (7.0 * self.n_columns_ + 60.0)
        return worthwhile_threads(effective_threads(self.n_jobs), work)

    def _rows(self, data: npt.ArrayLike) -> Float64Array:
        """Items of a fitted model."""
        check_is_fitted(self, "means_")
        rows = _checked_rows(data)
        if rows.shape[1] != self.n_columns_:
            raise ValueError(f"items have {rows.shape[1]} columns, the model {self.n_columns_}")
        return rows

    def log_likelihood(self, data: npt.ArrayLike) -> Float64Array:
        """Log density of every item, in nats.

        Parameters
        ----------
        data : array-like of shape (n_items, n_columns)

        Returns
        -------
        ndarray of shape (n_items,)
        """
        rows = self._rows(data)
        return _gmm.log_likelihood(rows, *self._blocks(), self._threads(len(rows)))

    def expected_features(self, data: npt.ArrayLike, out: Float32Array) -> None:
        """Expected features under P(component | x).

        Parameters
        ----------
        data : array-like of shape (n_items, n_columns)
        out : ndarray of shape (n_items, n_features), float32
            Filled.
        """
        rows = self._rows(data)
        _gmm.expected_features(rows, *self._blocks(), out, self._threads(len(rows)))

    def enumerated_features(self, data: npt.ArrayLike, out: Float32Array) -> Float64Array:
        """Features with each component in turn as the hidden variable.

        Parameters
        ----------
        data : array-like of shape (n_items, n_columns)
        out : ndarray of shape (n_items * n_configurations, n_features), float32
            Filled; the rows of an item follow each other.

        Returns
        -------
        ndarray of shape (n_items, n_configurations)
            P(component | x).
        """
        rows = self._rows(data)
        return _gmm.enumerated_features(rows, *self._blocks(), out, self._threads(len(rows)))

    def drawn_features(
        self,
        data: npt.ArrayLike,
        keys: UInt64Array,
        n_draws: int,
        out: Float32Array,
    ) -> None:
        """Features of components drawn from P(component | x).

        Parameters
        ----------
        data : array-like of shape (n_items, n_columns)
        keys : ndarray of shape (n_items,), uint64
            Random stream of every item.
        n_draws : int
        out : ndarray of shape (n_items * n_draws, n_features), float32
            Filled; the draws of an item follow each other.
        """
        rows = self._rows(data)
        threads = self._threads(len(rows))
        _gmm.drawn_features(rows, *self._blocks(), keys, n_draws, out, threads)

    def content_keys(self, data: npt.ArrayLike) -> UInt64Array:
        """Digest of every row; -0.0 is 0.0, and float32 what it is as float64."""
        return super().content_keys(self._rows(data))

    def map_weights(self) -> Float64Array:
        """Log weight and the exponents of the densities, and -1 for the terms of the posterior."""
        check_is_fitted(self, "means_")
        means, variances = self.means_, self.variances_
        constants = np.log(2.0 * np.pi * variances) + means**2 / variances
        return np.concatenate(
            [
                np.log(self.weights_) - 0.5 * constants.sum(1),
                (means / variances).ravel(),
                (-0.5 / variances).ravel(),
                -np.ones(self.n_components),
            ]
        )

    def feature_names(self, columns: Sequence[str] | None = None) -> list[str]:
        """Names such as ``component0``, ``component0 x3``, ``component0 x3^2``, and logs.

        Parameters
        ----------
        columns : sequence of str, optional
            Names of the columns, in place of ``x0``, ``x1``, ...
        """
        check_is_fitted(self, "means_")
        components = [f"component{k}" for k in range(self.n_components)]
        if columns is None:
            columns = [f"x{d}" for d in range(self.n_columns_)]
        return [
            *components,
            *(f"{name} {column}" for name in components for column in columns),
            *(f"{name} {column}^2" for name in components for column in columns),
            *(f"log {name}" for name in components),
        ]

    def get_arrays(self) -> dict[str, np.ndarray]:
        """Weights, means and variances, and the columns' variances of the prior."""
        check_is_fitted(self, "means_")
        return {
            "weights": self.weights_,
            "means": self.means_,
            "variances": self.variances_,
            "column_variance": self.column_variance_,
        }

    def set_arrays(self, arrays: dict[str, np.ndarray]) -> Self:
        """Take the parameters back.

        Raises
        ------
        ValueError
            If a shape is wrong, the weights are not a distribution of positive probabilities, a
            mean is not finite, or a variance not positive and finite.
        """
        means = arrays.get("means")
        if means is None or means.ndim != 2 or means.shape[1] == 0:
            raise ValueError("means must be float64 of shape (n_components, n_columns)")
        K, D = self.n_components, means.shape[1]
        shapes = {"weights": (K,), "means": (K, D), "variances": (K, D), "column_variance": (D,)}
        for name, shape in shapes.items():
            array = arrays.get(name)
            if array is None or array.shape != shape or array.dtype != np.float64:
                raise ValueError(f"{name} must be float64 of shape {shape}")
            if not np.all(np.isfinite(array)):
                raise ValueError(f"{name} must be finite")
            if name.endswith(("variances", "variance")) and not np.all(array >= _LEAST_VARIANCE):
                raise ValueError(f"{name} must be at least {_LEAST_VARIANCE}")
        weights = arrays["weights"]
        if not np.all(weights > 0) or not np.allclose(weights.sum(), 1.0):
            raise ValueError("weights must be a distribution")
        self.weights_, self.means_, self.variances_ = weights, means, arrays["variances"]
        self.column_variance_ = arrays["column_variance"]
        self.n_columns_ = D
        return self


class _MixtureEM:
    """EM of a mixture on some rows, weighted."""

    def __init__(self, model: DiagonalGMM, rows: Float64Array, weights: Float64Array) -> None:
        self._model, self._rows, self._weights = model, rows, weights
        self._total = float(np.sum(weights))
        # EM's own means lie among the rows, and its variances are means of squares.
        self._low, self._high = rows.min(0), rows.max(0)
        self._widest = np.maximum((self._high - self._low) ** 2, model.column_variance_)

    def expect(self) -> float:
        """Log-likelihood plus log-prior, in nats an item."""
        self._sums, scores = self._model._sums(self._rows, self._weights)
        # Not a product of BLAS, whose order of adding follows its own threads.
        return (float(np.sum(self._weights * scores)) + self._model._log_prior()) / self._total

    def maximise(self) -> None:
        """Set the parameters to their MAP estimate."""
        self._model._maximise(*self._sums)

    def coordinates(self) -> Float64Array:
        """Log weights, means in the columns' deviations, and log variances."""
        model = self._model
        means = model.means_ / np.sqrt(model.column_variance_)
        blocks = np.log(model.weights_), means.ravel(), np.log(model.variances_).ravel()
        return np.concatenate(blocks)

    def move_to(self, coordinates: Float64Array) -> None:
        """Set the parameters, within the rows' range and above the floors."""
        model = self._model
        logs, means, log_variances = model._split(coordinates)
        model.weights_ = _floored(softmax(logs))
        means = means * np.sqrt(model.column_variance_)
        model.means_ = np.clip(means, self._low, self._high)
        log_variances = np.minimum(log_variances, np.log(self._widest))
        model.variances_ = np.maximum(np.exp(log_variances), model._least_variances())


def _floored(shares: Float64Array) -> Float64Array:
    """A distribution without zeros."""
    shares = np.maximum(shares, _FLOOR)
    return shares / shares.sum()


def _checked_rows(data: npt.ArrayLike) -> Float64Array:
    rows = np.ascontiguousarray(data, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise ValueError(f"items must be rows of numbers, got an array of shape {rows.shape}")
    # Extremes are quick to find, and NaN is one: no comparison with it holds.
    if rows.size and not (rows.max() < _LARGEST and rows.min() > -_LARGEST):
        raise ValueError(f"items must hold finite numbers of less than {_LARGEST:g} in size")
    return rows


def _quotient(sums: Float64Array, counts: Float64Array) -> Float64Array:
    """Sums over counts, 0 for a component that has nothing."""
    filled = (counts > _LEAST_SHARE)[:, None]
    return np.where(filled, sums / np.maximum(counts, _LEAST_SHARE)[:, None], 0.0)
