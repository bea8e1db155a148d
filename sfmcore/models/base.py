"""The protocol that every generative model follows."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from sfmcore.data.arrays import Float32Array, Float64Array, UInt64Array
from sfmcore.data.ragged import Ragged
from sfmcore.data.storable import storable
from sfmcore.kernels import _random


class GenerativeModel(BaseEstimator, ABC):
    """A model P(x, h | theta) of the exponential family, as the feature map uses it.

    `data` is a batch of items: anything with a length that an index array selects from
    (a :class:`~sfmcore.data.ragged.Ragged` batch, an array of vectors). A feature row holds the
    sufficient statistics T(x, h) first, then the terms of log Q(h) with the parameters of the
    item's exact posterior; F(x, theta) is linear in it (Li, Lee, Liu, section 2).

    A model takes `random_state` and `n_jobs` as parameters of its constructor.
    """

    kind_of_data: ClassVar[Literal["columns", "rows", "codes"]]
    """Kind of an item: a row of numbers, whose columns may be scaled ("columns") or may not
    ("rows"); or a sequence of codes in a :class:`~sfmcore.data.ragged.Ragged` batch ("codes")."""
    conditioned: ClassVar[bool]
    """Whether the map conditions this model's features unless told otherwise."""
    draws_are_sparse: ClassVar[bool] = False
    """Whether most features of a draw are zero."""

    def __init_subclass__(cls, **more: Any) -> None:
        """Let a checkpoint hold fitted models of every kind, a user's own among them."""
        super().__init_subclass__(**more)
        storable(cls)

    def check_parameters(self) -> None:
        """Refuse parameters that can't be used, before any item is read.

        Raises
        ------
        ValueError
            If one is out of range; the text begins with its name.
        """

    @property
    @abstractmethod
    def n_statistics(self) -> int:
        """Number of sufficient statistics."""

    @property
    @abstractmethod
    def n_features(self) -> int:
        """Number of features: the statistics, and the terms of the posterior."""

    converged_: bool
    n_iter_: int

    @abstractmethod
    def estimate(self, data: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Fit by EM on all items; sets `converged_` and `n_iter_`, and does not warn."""

    def fit(self, data: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Fit by EM on all items.

        Parameters
        ----------
        data : batch of items
        sample_weight : array-like of shape (n_items,), optional
            Weight of each item.

        Returns
        -------
        self : GenerativeModel

        Raises
        ------
        ValueError
            If the items can't be learnt from.

        Warns
        -----
        ConvergenceWarning
            If the largest number of iterations is reached before the tolerance.
        """
        self.estimate(data, sample_weight)
        if not self.converged_:
            warnings.warn(
                f"EM stopped after {self.n_iter_} iterations before it reached its tolerance",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    @abstractmethod
    def log_likelihood(self, data: Any) -> Float64Array:
        """Log P(x) of every item, shape (n_items,), in nats."""

    @abstractmethod
    def expected_features(self, data: Any, out: Float32Array) -> None:
        """Write E[features] under P(h | x) to `out`, shape (n_items, n_features)."""

    @abstractmethod
    def drawn_features(
        self,
        data: Any,
        keys: UInt64Array,
        n_draws: int,
        out: Float32Array,
    ) -> None:
        """Write features of draws from P(h | x) to `out`, (n_items * n_draws, n_features)."""

    @property
    def n_configurations(self) -> int | None:
        """Number of values of the hidden variables; None where they can't be enumerated."""
        return None

    def enumerated_features(self, data: Any, out: Float32Array) -> Float64Array:
        """Write the features of all values of h to `out`, and return P(h | x).

        Parameters
        ----------
        data : batch of items
        out : ndarray of shape (n_items * n_configurations, n_features), float32
            The rows of an item follow each other.

        Returns
        -------
        ndarray of shape (n_items, n_configurations)

        Raises
        ------
        NotImplementedError
            If the model has no `n_configurations`.
        """
        raise NotImplementedError(f"{type(self).__name__} does not enumerate")

    def content_keys(self, data: Any) -> UInt64Array:
        """64-bit digests of the items: equal items have equal keys."""
        if isinstance(data, Ragged):
            return _random.content_keys(data.values, data.offsets)
        rows = np.ascontiguousarray(data, dtype=np.float64) + 0.0  # -0.0 is 0.0
        offsets = np.arange(len(rows) + 1, dtype=np.int64) * rows.itemsize * rows.shape[1]
        return _random.content_keys(rows.reshape(-1).view(np.uint8), offsets)

    @abstractmethod
    def update(self, statistics: Float64Array) -> Self:
        """Set the parameters by the model's ordinary M-step from summed statistics."""

    @abstractmethod
    def map_weights(self) -> Float64Array:
        """The MAP classifier's weights alpha on the features, shape (n_features,)."""

    def sizes(self, data: Any) -> Float64Array:
        """Divisor of the counts of an item when features are conditioned.

        1 for a row, and the length of a sequence of codes, at least 1.
        """
        if isinstance(data, Ragged):
            return np.maximum(data.lengths, 1).astype(np.float64)
        return np.ones(len(data))

    def feature_names(self, columns: Sequence[str] | None = None) -> list[str]:
        """Name of every feature.

        Parameters
        ----------
        columns : sequence of str, optional
            Names of the columns of X, for a model of rows.
        """
        return [f"feature{number}" for number in range(self.n_features)]

    @abstractmethod
    def get_arrays(self) -> dict[str, np.ndarray]:
        """The fitted parameters, for the model file."""

    @abstractmethod
    def set_arrays(self, arrays: dict[str, np.ndarray]) -> Self:
        """Take back what :meth:`get_arrays` gave.

        Raises
        ------
        ValueError
            If the arrays do not fit this model.
        """


class EMModel(GenerativeModel):
    """A model that EM fits from several starts; see :mod:`sfmcore.models.em`."""

    n_init: int
    max_iter: int
    tol: float
    history_: Float64Array


def checked_weights(sample_weight: npt.ArrayLike | None, n_items: int) -> Float64Array:
    """Weights of the items, 1 where none are given.

    Parameters
    ----------
    sample_weight : array-like of shape (n_items,) or None
    n_items : int

    Returns
    -------
    ndarray of shape (n_items,)

    Raises
    ------
    ValueError
        If there is not one weight for each item, one is negative or not finite, or all are 0.
    """
    if sample_weight is None:
        return np.ones(n_items)
    weights = np.array(sample_weight, dtype=np.float64)
    if weights.shape != (n_items,):
        raise ValueError(f"sample_weight has shape {weights.shape}, {n_items} items were given")
    if not np.all(np.isfinite(weights)) or np.any(weights < 0) or not np.any(weights > 0):
        raise ValueError("sample_weight must be finite, not negative, and not all zero")
    return weights
