"""The feature map without hidden variables: a kernel on the columns themselves."""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from sklearn.base import BaseEstimator

from sfmcore.data.arrays import Float32Array, Float64Array, UInt64Array
from sfmcore.data.checks import check_choice, check_number, check_whole
from sfmcore.data.storable import storable
from sfmcore.features.nystroem import NystroemMap, row_keys
from sfmcore.models.base import GenerativeModel


@storable
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
    Laplacian kernel ``exp(-gamma |a - b|_1)``.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [2.0, 0.0]])
    >>> mapping = ColumnKernel("laplacian", gamma=1.0).map_of(X, np.ones(2), seed=0)
    >>> made = mapping.features(X)
    >>> [round(value, 3) for value in (2 * made @ made.T - 1)[0].tolist()]  # without the constant
    [1.0, 0.368]
    """

    models: tuple[GenerativeModel, ...] = ()

    def __init__(self, kernel: NystroemMap, n_threads: int = 1) -> None:
        self.kernel = kernel
        self.n_threads = n_threads

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
        weights: Sequence[Float64Array],
    ) -> tuple[list[Float64Array], Float32Array]:
        """Inner products of rows with each of several weights, and the constants of the rows.

        Parameters
        ----------
        data : ndarray of shape (n_items, n_columns)
        n_draws, keys : object
            Of :meth:`FeatureMap.scores`; nothing is drawn here.
        weights : sequence of ndarray of shape (n_features,)
            See :meth:`NystroemMap.dual`.

        Returns
        -------
        scores : list of ndarray of shape (n_items,)
        constants : ndarray of shape (n_items,), float32
        """
        scores = self.kernel.scores(data, weights, self.n_threads)
        return scores, np.full(len(data), np.sqrt(0.5), dtype=np.float32)

    def feature_names(self) -> list[str]:
        """Name of every column."""
        return self.kernel.feature_names()


class ColumnKernel(BaseEstimator):
    """A kernel on the columns of X instead of generative models: nothing is hidden.

    What a classifier learns in its features is PBGD3 with that kernel, by landmarks.

    Parameters
    ----------
    kernel : {"gaussian", "laplacian"}, default="gaussian"
        ``exp(-gamma |a - b|^2 / d)`` or ``exp(-gamma |a - b|_1 / d)`` of rows of d columns.
    gamma : float, default=1.0
        Width of the kernel.
    n_landmarks : int, default=1000
        Rows that features come from; all distinct training rows where they are fewer.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sfmcore import SFMClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> model = SFMClassifier(ColumnKernel("laplacian", gamma=0.5), random_state=0)
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.95
    True
    """

    kind_of_data: ClassVar[Literal["columns"]] = "columns"

    def __init__(
        self,
        kernel: Literal["gaussian", "laplacian"] = "gaussian",
        *,
        gamma: float = 1.0,
        n_landmarks: int = 1000,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.n_landmarks = n_landmarks

    def check_parameters(self) -> None:
        """Refuse parameters that can't be used.

        Raises
        ------
        ValueError
            If one is out of range.
        """
        check_choice("kernel", self.kernel, ("gaussian", "laplacian"))
        check_number("gamma", self.gamma, "above 0", lambda gamma: gamma > 0)
        check_whole("n_landmarks", self.n_landmarks, 1)

    def map_of(
        self, items: Float64Array, weights: Float64Array, *, seed: int, n_threads: int = 1
    ) -> ColumnMap:
        """Take landmarks among the training rows.

        Parameters
        ----------
        items : ndarray of shape (n_items, n_columns)
        weights : ndarray of shape (n_items,)
            Weight of each item; 0 keeps it out.
        seed : int
        n_threads : int, default=1
        """
        rows = items[weights > 0] + 0.0  # -0.0 is 0.0
        made = NystroemMap.of(
            rows,
            n_landmarks=self.n_landmarks,
            gamma=self.gamma / rows.shape[1],
            seed=seed,
            shape=self.kernel,
        )
        return ColumnMap(made, n_threads)
