"""A Gaussian kernel on the stochastic features, by landmarks, so that J(u) stays linear in u.

The Nystroem method: with landmarks l_1 ... l_L among the training rows, K their kernel matrix
and k(x) the kernel of a row with each of them, z = K^{-1/2} k(x) has inner products that come
near the kernel's own, and equal them among landmarks. What the Gibbs classifier gets is a
function of (x, h) as before, so the risks, the bound and the certificate keep their meaning.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfmcore.kernels import _conditioning, _products, _random

Rows = npt.NDArray[np.float32]

# Below this share of the largest eigenvalue K says nothing that single precision keeps.
_SMALLEST = 1e-6
# What the random stream is for that orders the rows.
_LANDMARKS = 1 << 34


@dataclass(frozen=True)
class NystroemMap:
    """Features of the kernel exp(-gamma |a - b|^2) on rows of unit length.

    Attributes
    ----------
    landmarks : ndarray of shape (n_landmarks, n_columns), float32
        Rows of unit length.
    weights : ndarray of shape (rank, n_landmarks), float32
        K^{-1/2}, without the directions in which K vanishes.
    gamma : float

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

    landmarks: Rows
    weights: Rows
    gamma: float

    @classmethod
    def of(cls, rows: Rows, *, n_landmarks: int, gamma: float, seed: int) -> "NystroemMap":
        """Take landmarks at random from distinct rows; all of them if they are fewer.

        The choice follows what is in the rows and not their order or number, so that an item
        of weight 2 is an item given twice.

        Parameters
        ----------
        rows : ndarray of shape (n_rows, n_columns), float32
            Of unit length.
        n_landmarks : int
        gamma : float
        seed : int
        """
        offsets = np.arange(len(rows) + 1, dtype=np.int64) * rows.itemsize * rows.shape[1]
        bytes_of_rows = np.ascontiguousarray(rows).view(np.uint8).ravel()
        content, first = np.unique(_random.content_keys(bytes_of_rows, offsets), return_index=True)
        order = np.argsort(_random.stream_keys(seed, _LANDMARKS, content), kind="stable")
        landmarks = np.ascontiguousarray(rows[first[order[:n_landmarks]]])
        wide = landmarks.astype(np.float64)
        # Not a product of BLAS, whose bits may follow its threads.
        distances = np.stack([np.sum((wide - one) ** 2, axis=1) for one in wide])
        values, vectors = np.linalg.eigh(np.exp(-gamma * distances))
        kept = values > _SMALLEST * values[-1]
        weights = vectors[:, kept].T / np.sqrt(values[kept])[:, None]
        return cls(landmarks, np.ascontiguousarray(weights, dtype=np.float32), gamma)

    @property
    def n_features(self) -> int:
        """The kernel's features and the constant."""
        return len(self.weights) + 1

    def apply(self, rows: Rows, n_threads: int) -> Rows:
        """Kernel features with a constant appended, of unit length, (n_rows, n_features).

        Parameters
        ----------
        rows : ndarray of shape (n_rows, n_columns), float32
            Of unit length.
        n_threads : int
        """
        kernel = np.empty((len(rows), len(self.landmarks)), dtype=np.float32)
        _products.products(rows, self.landmarks, kernel, n_threads)
        # |a - b|^2 = 2 - 2 a . b; rounding may leave a . b above 1.
        kernel -= 1.0
        np.minimum(kernel, 0.0, out=kernel)
        kernel *= np.float32(2.0 * self.gamma)
        np.exp(kernel, out=kernel)
        made = np.empty((len(rows), len(self.weights)), dtype=np.float32)
        _products.products(kernel, self.weights, made, n_threads)
        out = np.empty((len(rows), self.n_features), dtype=np.float32)
        shift, ones = np.zeros(made.shape[1]), np.ones(made.shape[1])
        _conditioning.condition(made, np.ones(len(rows)), shift, ones, np.inf, out, n_threads)
        return out
