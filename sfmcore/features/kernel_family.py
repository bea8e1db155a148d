"""Kernels of several widths over the same rows, which share landmarks and distances."""

from typing import Any

import numpy as np
import numpy.typing as npt

from sfmcore.data.arrays import Float32Array
from sfmcore.features.kernel_functions import Shape, distances, of_distances
from sfmcore.features.nystroem import kernel_features, landmark_places, whitening


class KernelFamily:
    """Features of training and of test rows by kernels that differ in their width alone.

    They are those of :class:`~sfmcore.features.nystroem.NystroemMap`. Landmarks are training rows,
    so their kernel matrix is a part of that of the training rows.

    Parameters
    ----------
    trained : ndarray of shape (n_rows, n_columns)
        Training rows, of which landmarks are taken.
    tested : ndarray of shape (n_test, n_columns)
    n_landmarks : int
    seed : int
        Of the choice of landmarks.
    shape : {"unit", "gaussian", "laplacian"}, default="unit"
    n_threads : int, default=1
        No result depends on it.

    Examples
    --------
    >>> rows = np.eye(3, dtype=np.float32)
    >>> family = KernelFamily(rows, rows[:1], n_landmarks=10, seed=0)
    >>> trained, tested = family.features(0.5)
    >>> bool(np.array_equal(trained[:1], tested)), trained.shape
    (True, (3, 4))
    """

    def __init__(
        self,
        trained: npt.NDArray[Any],
        tested: npt.NDArray[Any],
        *,
        n_landmarks: int,
        seed: int,
        shape: Shape = "unit",
        n_threads: int = 1,
    ) -> None:
        self._places = landmark_places(trained, n_landmarks, seed)
        landmarks = np.ascontiguousarray(trained[self._places])
        self._trained = distances(shape, trained, landmarks, n_threads)
        self._tested = distances(shape, tested, landmarks, n_threads)
        self._n_threads = n_threads

    def features(self, gamma: float) -> tuple[Float32Array, Float32Array]:
        """Features of the training and of the test rows.

        Parameters
        ----------
        gamma : float

        Raises
        ------
        LinAlgError
            If the kernel of the landmarks can't be factorised.
        """
        kernel = of_distances(self._trained, gamma)
        weights = whitening(kernel[self._places])
        other = of_distances(self._tested, gamma)
        return (
            kernel_features(kernel, weights, self._n_threads),
            kernel_features(other, weights, self._n_threads),
        )
