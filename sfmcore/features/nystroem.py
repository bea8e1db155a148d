"""A kernel on the stochastic features, or on the columns, by landmarks: J(u) stays linear in u.

The Nystroem method: with landmarks l_1 ... l_L among the training rows, K their kernel matrix
and k(x) the kernel of a row with each of them, K = R R' and z = R^{-1} k(x) has inner products
that come near the kernel's own, and equal them among landmarks. What the Gibbs classifier gets is
a function of (x, h) as before, so the risks, the bound and the certificate keep their meaning.

A margin is divided by the length that the row has in the kernel's own space, which is 1 (the
square root of 2 with the constant), and not by that of its image among the landmarks: the Gibbs
classifier is then the one of PBGD3 with a kernel, whose mean lies in the span of the landmarks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import linalg

from sfmcore.data.arrays import Float32Array, Float64Array, Int64Array, UInt64Array
from sfmcore.data.similarities import Similarities, unit_rows
from sfmcore.data.storable import storable
from sfmcore.data.streams import LANDMARKS
from sfmcore.features.kernel_functions import KERNELS, Shape
from sfmcore.features.row_directions import MOST_ROWS, in_directions, principal_directions
from sfmcore.kernels import _objective, _products, _random

# Added to the diagonal of K, where single precision ends and rows that are nearly equal would
# leave nothing to divide by. The more such rows, the more it takes.
_RIDGES = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
_HALF = np.sqrt(0.5)
# Stripes that a product with a triangle goes by: four leave out three eighths of it.
_STRIPES = 4


@storable
@dataclass(frozen=True)
class NystroemMap:
    """Features of the kernel ``exp(-gamma |a - b|^2)``, or ``exp(-gamma |a - b|_1)``.

    Attributes
    ----------
    landmarks : ndarray of shape (n_landmarks, n_columns) or (n_landmarks, n_directions)
        Float32Array.
    weights : ndarray of shape (n_landmarks, n_landmarks), float32, or None
        R^{-1}, lower triangular. None in a model that was read from a file: it can only be
        asked for scores.
    gamma : float
    shape : {"unit", "gaussian", "laplacian"}, default="unit"
        A Gaussian on float32 rows of unit length, which their products give; or a Gaussian or a
        Laplacian on any rows.
    directions : ndarray of shape (n_directions, n_columns), float32, optional
        Principal directions of the rows, which the kernel sees in their place.
    similarities : Similarities, optional
        Of the landmarks, which the kernel sees beside their rows; of "unit".

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
    directions: Float32Array | None = None
    similarities: Similarities | None = None

    @classmethod
    def of(
        cls,
        rows: npt.NDArray[Any],
        *,
        n_landmarks: int,
        gamma: float,
        seed: int,
        shape: Shape = "unit",
        rank: int = 0,
        similarities: Similarities | None = None,
        classes: Int64Array | None = None,
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
        rank : int, default=0
            Principal directions of the rows that the kernel sees, of "unit"; 0 for whole rows.
        similarities : Similarities, optional
            Beside the rows, of "unit".
        classes : ndarray of shape (n_rows,), int64, optional
            Class of each row: every class then gives as many landmarks, as far as it has them. A
            rare class is like nothing but itself, where rows are sparse.
        """
        places = landmark_places(rows, n_landmarks, seed, classes)
        landmarks = np.ascontiguousarray(rows[places])
        directions = None
        if 0 < rank < rows.shape[1]:
            directions = principal_directions(rows[landmark_places(rows, MOST_ROWS, seed)], rank)
            landmarks = in_directions(landmarks, directions, 1)
        own = None if similarities is None else similarities[places]
        made = cls(landmarks, None, gamma, shape, directions, own)
        K = made._beside(landmarks, own, 1)
        return cls(landmarks, whitening(K), gamma, shape, directions, own)

    @property
    def n_features(self) -> int:
        """The kernel's features and the constant."""
        return len(self.landmarks) + 1

    def apply(
        self, rows: npt.NDArray[Any], n_threads: int, similarities: Similarities | None = None
    ) -> Float32Array:
        """Kernel features with a constant appended, (n_rows, n_features), of at most unit length.

        Parameters
        ----------
        rows : ndarray of shape (n_rows, n_columns)
            As the landmarks are, or were before they were put into the directions.
        n_threads : int
        similarities : Similarities, optional
            Of the rows, where the landmarks have some.

        Raises
        ------
        ValueError
            If the map was read from a file.
        """
        if self.weights is None:
            raise ValueError("a kernel that was read from a model file has scores only")
        kernel = self._kernel(rows, similarities, n_threads)
        return kernel_features(kernel, self.weights, n_threads)

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

    def scores(
        self,
        rows: npt.NDArray[Any],
        duals: Sequence[Float64Array],
        n_threads: int,
        similarities: Similarities | None = None,
    ) -> list[Float64Array]:
        """Inner products of each u with the features of rows, without making them.

        Parameters
        ----------
        rows : ndarray of shape (n_rows, n_columns)
            As the landmarks are, or were before they were put into the directions.
        duals : sequence of ndarray of shape (n_features,)
            See :meth:`dual`.
        n_threads : int
        similarities : Similarities, optional
            Of the rows, where the landmarks have some.

        Returns
        -------
        list of ndarray of shape (n_rows,)
        """
        kernel = self._kernel(rows, similarities, n_threads)
        return [
            _objective.scores(kernel, np.ascontiguousarray(dual[:-1]), n_threads) + dual[-1]
            for dual in duals
        ]

    def feature_names(self) -> list[str]:
        """Name of every column."""
        return [*(f"kernel{k}" for k in range(self.n_features - 1)), "constant"]

    def _kernel(
        self, rows: npt.NDArray[Any], similarities: Similarities | None, n_threads: int
    ) -> Float32Array:
        if self.directions is not None:
            rows = in_directions(rows, self.directions, n_threads)
        return self._beside(rows, similarities, n_threads)

    def _beside(
        self, rows: npt.NDArray[Any], similarities: Similarities | None, n_threads: int
    ) -> Float32Array:
        """Kernel of rows and their similarities with the landmarks and theirs.

        Of two rows in two parts, ``exp(-gamma |a - b|^2) = exp(2 gamma (a1 b1 + a2 b2 - 1))``: each
        part's products are one factor.
        """
        if self.similarities is None or similarities is None:
            return KERNELS[self.shape](rows, self.landmarks, self.gamma, n_threads)
        own, lengths = unit_rows(similarities)
        theirs, their_lengths = unit_rows(self.similarities)
        kernel = KERNELS[self.shape](
            rows * lengths[:, None], self.landmarks * their_lengths[:, None], self.gamma, n_threads
        )
        # Sparse with dense: in SciPy each row is added up by itself.
        products = own @ theirs.toarray().T.copy()
        products *= np.float32(2.0 * self.gamma)
        kernel *= np.exp(products, out=products)
        return kernel


def landmark_places(
    rows: npt.NDArray[Any], n_landmarks: int, seed: int, classes: Int64Array | None = None
) -> npt.NDArray[np.intp]:
    """Places of the rows that :meth:`NystroemMap.of` takes for landmarks, in their order.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_columns)
    n_landmarks : int
    seed : int
    classes : ndarray of shape (n_rows,), int64, optional
        Class of each row, for as many landmarks of each.

    Examples
    --------
    >>> rows = np.arange(6, dtype=np.float32).reshape(6, 1)
    >>> places = landmark_places(rows, 3, 0, np.array([0, 0, 0, 0, 0, 1]))
    >>> len(places), 5 in places
    (3, True)
    """
    content, first = np.unique(row_keys(rows), return_index=True)
    order = np.argsort(_random.stream_keys(seed, LANDMARKS, content), kind="stable")
    if classes is not None:
        # The first of every class, then the second, and so on.
        own = classes[first[order]]
        by_class = np.argsort(own, kind="stable")
        starts = np.searchsorted(own[by_class], own[by_class], side="left")
        rank = np.empty(len(own), dtype=np.int64)
        rank[by_class] = np.arange(len(own)) - starts
        order = order[np.argsort(rank, kind="stable")]
    return first[order[:n_landmarks]]


def whitening(K: npt.NDArray[np.floating]) -> Float32Array:
    """R^{-1} of a kernel matrix K = R R', with the smallest ridge that allows it.

    Parameters
    ----------
    K : ndarray of shape (n_landmarks, n_landmarks)

    Raises
    ------
    LinAlgError
        If no ridge does.
    """
    wide = K.astype(np.float64)
    for ridge in _RIDGES:
        np.fill_diagonal(wide, 1.0 + ridge)
        # LAPACK reads rows as columns, which is the same of K: it writes R', upper triangular.
        root, failed = linalg.lapack.dpotrf(wide.T, lower=0)
        if not failed:
            inverse, failed = linalg.lapack.dtrtri(root, lower=0, overwrite_c=1)
        if not failed:
            return np.ascontiguousarray(inverse.T, dtype=np.float32)
    raise np.linalg.LinAlgError(
        "the kernel of the landmarks can't be factorised: take fewer landmarks"
    )


def kernel_features(kernel: Float32Array, weights: Float32Array, n_threads: int) -> Float32Array:
    """Features of rows from their kernel with the landmarks, with a constant appended.

    Parameters
    ----------
    kernel : ndarray of shape (n_rows, n_landmarks), float32
    weights : ndarray of shape (n_landmarks, n_landmarks), float32
        See :func:`whitening`.
    n_threads : int

    Returns
    -------
    ndarray of shape (n_rows, n_landmarks + 1), float32
        Of at most unit length.
    """
    n_rows, n_landmarks = kernel.shape
    out = np.empty((n_rows, n_landmarks + 1), dtype=np.float32)
    size = -(-n_landmarks // _STRIPES)
    for first in range(0, n_landmarks, max(size, 1)):
        # Beyond its end a stripe of the triangle has zeros, which add nothing.
        end = min(first + size, n_landmarks)
        made = np.empty((n_rows, end - first), dtype=np.float32)
        left = np.ascontiguousarray(kernel[:, :end])
        _products.products(left, np.ascontiguousarray(weights[first:end, :end]), made, n_threads)
        np.multiply(made, np.float32(_HALF), out=out[:, first:end])
    out[:, -1] = _HALF
    return out


def row_keys(rows: npt.NDArray[Any]) -> UInt64Array:
    """64-bit digests of the rows: equal bytes have equal keys."""
    offsets = np.arange(len(rows) + 1, dtype=np.int64) * rows.itemsize * rows.shape[1]
    bytes_of_rows = np.ascontiguousarray(rows).view(np.uint8).ravel()
    return _random.content_keys(bytes_of_rows, offsets)
