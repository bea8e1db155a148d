"""A kernel on the stochastic features, or on the columns, by landmarks: J(u) stays linear in u.

The Nystroem method: with landmarks l_1 ... l_L among the training rows, K their kernel matrix
and k(x) the kernel of a row with each of them, K = R R' and z = R^{-1} k(x) has inner products
that come near the kernel's own, and equal them among landmarks. What the Gibbs classifier gets is
a function of (x, h) as before, so the risks, the bound and the certificate keep their meaning.

A margin is divided by the length that the row has in the kernel's own space, which is 1 (the
square root of 2 with the constant), and not by that of its image among the landmarks: the Gibbs
classifier is then the one of PBGD3 with a kernel, whose mean lies in the span of the landmarks.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import solve_triangular

from sfmcore.data.arrays import Float32Array, Float64Array, UInt64Array
from sfmcore.data.storable import storable
from sfmcore.data.streams import LANDMARKS
from sfmcore.features.kernel_functions import KERNELS, Shape
from sfmcore.kernels import _objective, _products, _random

# Added to the diagonal of K, where single precision ends and rows that are nearly equal would
# leave nothing to divide by. The more such rows, the more it takes.
_RIDGES = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
_HALF = np.sqrt(0.5)


@storable
@dataclass(frozen=True)
class NystroemMap:
    """Features of the kernel exp(-gamma |a - b|^2), or exp(-gamma |a - b|_1).

    Attributes
    ----------
    landmarks : ndarray of shape (n_landmarks, n_columns)
        Float32Array.
    weights : ndarray of shape (n_landmarks, n_landmarks), float32, or None
        R^{-1}, lower triangular. None in a model that was read from a file: it can only be
        asked for scores.
    gamma : float
    shape : {"unit", "gaussian", "laplacian"}, default="unit"
        A Gaussian on float32 rows of unit length, which their products give; or a Gaussian or a
        Laplacian on any rows.

    References
    ----------
    C. Williams, M. Seeger, "Using the Nystroem method to speed up kernel machines", NIPS 2000.

    Examples
    --------
    >>> rows = np.eye(3, dtype=np.float32)
    >>> made = NystroemMap.of(rows, n_landmarks=10, gamma=0.5, seed=0).apply(rows, 1)
    >>> kernel = 2 * made @ made.T - 1  # without the constant
    >>> [round(value, 3) for value in kernel[0].tolist()]
    [1.0, 0.368, 0.368]
    """

    landmarks: npt.NDArray[Any]
    weights: Float32Array | None
    gamma: float
    shape: Shape = "unit"

    @classmethod
    def of(
        cls,
        rows: npt.NDArray[Any],
        *,
        n_landmarks: int,
        gamma: float,
        seed: int,
        shape: Shape = "unit",
    ) -> "NystroemMap":
        """Take landmarks at random from distinct rows; all of them if they are fewer.

        The choice follows what is in the rows and not their order or number, so that an item
        of weight 2 is an item given twice.

        Parameters
        ----------
        rows : ndarray of shape (n_rows, n_columns)
            Of "unit" float32, of unit length.
        n_landmarks : int
        gamma : float
        seed : int
        shape : {"unit", "gaussian", "laplacian"}, default="unit"
        """
        content, first = np.unique(row_keys(rows), return_index=True)
        order = np.argsort(_random.stream_keys(seed, LANDMARKS, content), kind="stable")
        landmarks = np.ascontiguousarray(rows[first[order[:n_landmarks]]])
        K = KERNELS[shape](landmarks, landmarks, gamma, 1).astype(np.float64)
        root = _root(K)
        weights = solve_triangular(root, np.eye(len(K)), lower=True, check_finite=False)
        return cls(landmarks, np.ascontiguousarray(weights, dtype=np.float32), gamma, shape)

    @property
    def n_features(self) -> int:
        """The kernel's features and the constant."""
        return len(self.landmarks) + 1

    def apply(self, rows: npt.NDArray[Any], n_threads: int) -> Float32Array:
        """Kernel features with a constant appended, (n_rows, n_features), of at most unit length.

        Parameters
        ----------
        rows : ndarray of shape (n_rows, n_columns)
            As the landmarks are.
        n_threads : int

        Raises
        ------
        ValueError
            If the map was read from a file.
        """
        if self.weights is None:
            raise ValueError("a kernel that was read from a model file has scores only")
        kernel = self._kernel(rows, n_threads)
        made = np.empty_like(kernel)
        _products.products(kernel, self.weights, made, n_threads)
        out = np.empty((len(rows), self.n_features), dtype=np.float32)
        np.multiply(made, np.float32(_HALF), out=out[:, :-1])
        out[:, -1] = _HALF
        return out

    def dual(self, u: Float64Array) -> Float64Array:
        """Weights of the landmarks, and of the constant, that give the scores of u.

        Parameters
        ----------
        u : ndarray of shape (n_features,)

        Returns
        -------
        ndarray of shape (n_features,)
        """
        assert self.weights is not None
        wide = self.weights.astype(np.float64)
        # Not a product of BLAS, whose bits may follow its threads.
        return np.append(np.sum(wide * u[:-1, None], axis=0), u[-1]) * _HALF

    def scores(self, rows: npt.NDArray[Any], dual: Float64Array, n_threads: int) -> Float64Array:
        """Inner products of u with the features of rows, without making them.

        Parameters
        ----------
        rows : ndarray of shape (n_rows, n_columns)
            As the landmarks are.
        dual : ndarray of shape (n_features,)
            See :meth:`dual`.
        n_threads : int
        """
        kernel = self._kernel(rows, n_threads)
        own = np.ascontiguousarray(dual[:-1])
        scores: Float64Array = _objective.scores(kernel, own, n_threads) + dual[-1]
        return scores

    def feature_names(self) -> list[str]:
        """Name of every column."""
        return [*(f"kernel{k}" for k in range(self.n_features - 1)), "constant"]

    def _kernel(self, rows: npt.NDArray[Any], n_threads: int) -> Float32Array:
        return KERNELS[self.shape](rows, self.landmarks, self.gamma, n_threads)


def _root(K: Float64Array) -> Float64Array:
    """Cholesky factor of a kernel matrix, with the smallest ridge that allows one."""
    for ridge in _RIDGES:
        np.fill_diagonal(K, 1.0 + ridge)
        try:
            root: Float64Array = np.asarray(np.linalg.cholesky(K), dtype=np.float64)
        except np.linalg.LinAlgError:
            continue
        return root
    raise np.linalg.LinAlgError(
        "the kernel of the landmarks can't be factorised: take fewer landmarks"
    )


def row_keys(rows: npt.NDArray[Any]) -> UInt64Array:
    """64-bit digests of the rows: equal bytes have equal keys."""
    offsets = np.arange(len(rows) + 1, dtype=np.int64) * rows.itemsize * rows.shape[1]
    bytes_of_rows = np.ascontiguousarray(rows).view(np.uint8).ravel()
    return _random.content_keys(bytes_of_rows, offsets)
