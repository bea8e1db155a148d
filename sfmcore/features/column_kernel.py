"""The feature map without hidden variables: a kernel on the columns themselves."""

from typing import Literal, Self

import numpy as np

from sfmcore.data.arrays import Float32Array, Float64Array, UInt64Array
from sfmcore.features.nystroem import NystroemMap, row_keys
from sfmcore.models.base import GenerativeModel


class ColumnMap:
    """psi(x) of a Gaussian or Laplacian kernel on the columns, as rows of at most unit length.

    It takes the place of :class:`~sfmcore.features.feature_map.FeatureMap`, and has no models:
    nothing is drawn, so "exact" is the only kind of rows.

    Parameters
    ----------
    kernel : NystroemMap
    n_threads : int, default=1

    References
    ----------
    A. Rahimi, B. Recht, "Random features for large-scale kernel machines", NIPS 2007, for the
    Laplacian kernel exp(-gamma |a - b|_1).

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [2.0, 0.0]])
    >>> mapping = ColumnMap.of(
    ...     X, np.ones(2), kernel="laplacian", n_landmarks=9, gamma=1.0, seed=0
    ... )
    >>> made = mapping.features(X)
    >>> [round(value, 3) for value in (2 * made @ made.T - 1)[0].tolist()]  # without the constant
    [1.0, 0.368]
    """

    models: tuple[GenerativeModel, ...] = ()

    def __init__(self, kernel: NystroemMap, n_threads: int = 1) -> None:
        self.kernel = kernel
        self.n_threads = n_threads

    @classmethod
    def of(
        cls,
        data: Float64Array,
        weights: Float64Array,
        *,
        kernel: Literal["gaussian", "laplacian"],
        n_landmarks: int,
        gamma: float,
        seed: int,
        n_threads: int = 1,
    ) -> Self:
        """Take landmarks among the training rows.

        Parameters
        ----------
        data : ndarray of shape (n_items, n_columns)
        weights : ndarray of shape (n_items,)
            Weight of each item; 0 keeps it out.
        kernel : {"gaussian", "laplacian"}
            exp(-gamma |a - b|^2 / d) or exp(-gamma |a - b|_1 / d) of rows of d columns.
        n_landmarks : int
        gamma : float
        seed : int
        n_threads : int, default=1
        """
        rows = data[weights > 0] + 0.0  # -0.0 is 0.0
        made = NystroemMap.of(
            rows,
            n_landmarks=n_landmarks,
            gamma=gamma / rows.shape[1],
            seed=seed,
            shape=kernel,
        )
        return cls(made, n_threads)

    @property
    def n_features(self) -> int:
        """Columns of a row: the kernel's, and a constant."""
        return self.kernel.n_features

    def set_threads(self, n_threads: int) -> None:
        """Let the map use that many threads; no result depends on it."""
        self.n_threads = n_threads

    def content_keys(self, data: Float64Array) -> UInt64Array:
        """64-bit digests of the items: equal items have equal keys."""
        return row_keys(data + 0.0)

    def features(self, data: Float64Array) -> Float32Array:
        """Float64Array of at most unit length, shape (n_items, n_features)."""
        return self.kernel.apply(data, self.n_threads)

    def scores(
        self,
        data: Float64Array,
        n_draws: object,
        keys: object,
        weights: Float64Array,
    ) -> tuple[Float64Array, Float32Array]:
        """Inner products of rows with weights, and the constants of the rows, (n_items,) each.

        Parameters
        ----------
        data : ndarray of shape (n_items, n_columns)
        n_draws, keys : object
            Of :meth:`FeatureMap.scores`; nothing is drawn here.
        weights : ndarray of shape (n_features,)
            See :meth:`NystroemMap.dual`.
        """
        scores = self.kernel.scores(data, weights, self.n_threads)
        return scores, np.full(len(data), np.sqrt(0.5), dtype=np.float32)

    def feature_names(self) -> list[str]:
        """Name of every column."""
        return self.kernel.feature_names()
