"""How uncertain weights are that few groups have told, and what that does to probabilities.

A conditional logit learnt from a few dozen groups of like items promises too much of items of other
groups: its weights are an estimate. Their posterior is near a normal distribution around the
minimum (Laplace), and the probabilities are averaged over it.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from sfmcore.data.arrays import Float64Array
from sfmcore.data.storable import storable
from sfmcore.parallel.blas import blas_threads

_LARGEST = 1e9


@storable
@dataclass(frozen=True, eq=False)
class Doubt:
    """A normal distribution around the weights of a conditional logit.

    Attributes
    ----------
    factor : ndarray of shape (n_weights, n_weights)
        Times its transpose it is the covariance of the weights.

    References
    ----------
    D. J. C. MacKay, "The evidence framework applied to classification networks", Neural Computation
    4 (1992) 720-736.

    Examples
    --------
    Logits of three classes, of which the weights are uncertain by 1 each.

    >>> columns = 2.0 * np.eye(3)[None]
    >>> scales, centre = Doubt.of(np.eye(3), 1.0).scales(columns, np.array([[2.0, 1.0, 0.0]]))
    >>> (scales * (np.array([[2.0, 1.0, 0.0]]) - centre)).round(2).tolist()
    [[0.38, -0.36, -0.9]]
    """

    factor: Float64Array

    @classmethod
    def of(cls, curvature: Float64Array, n_items: float) -> "Doubt":
        """Laplace's approximation of a posterior.

        Parameters
        ----------
        curvature : ndarray of shape (n_weights, n_weights)
            Second derivatives of an item's mean loss, with the penalty, at the minimum.
        n_items : float
            Items that say something of their own: as many as there are groups, where these are of
            one size.
        """
        with blas_threads():  # whose bits may follow its threads
            root = linalg.cholesky(curvature, lower=True)
            inverse = linalg.solve_triangular(root, np.eye(len(root)), lower=True)
        return cls(np.ascontiguousarray(inverse.T) / np.sqrt(n_items))

    def scales(
        self, columns: Float64Array, logits: Float64Array
    ) -> tuple[Float64Array, Float64Array]:
        """What logits are multiplied by, to give about the probabilities averaged over the weights.

        Logits are counted from their mean by the probabilities: what is added to all of them means
        nothing, and is not uncertain either. One of variance v is divided by sqrt(1 + pi v / 8), as
        the mean of a logistic function over a normal distribution has it (MacKay).

        Parameters
        ----------
        columns : ndarray of shape (n_items, n_classes, n_weights)
        logits : ndarray of shape (n_items, n_classes)
            Of the most probable weights.

        Returns
        -------
        scales : ndarray of shape (n_items, n_classes)
            From 0 to 1.
        centre : ndarray of shape (n_items, 1)
            The mean of the logits, which is taken off first.
        """
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        centred = columns - np.sum(shares[:, :, None] * columns, axis=1, keepdims=True)
        variances = np.zeros(logits.shape)
        for along in self.factor.T:
            # Not a product of BLAS: an item's sum is of its own numbers, whatever is beside it.
            variances += np.sum(centred * along, axis=2) ** 2
        scales: Float64Array = 1.0 / np.sqrt(1.0 + np.pi / 8.0 * variances)
        return scales, np.sum(shares * logits, axis=1, keepdims=True)

    def get_arrays(self) -> dict[str, np.ndarray]:
        """The factor, for the model file."""
        return {"doubt": self.factor}

    @classmethod
    def of_array(cls, factor: np.ndarray, n_weights: int) -> "Doubt":
        """Take back what :meth:`get_arrays` gave.

        Raises
        ------
        ValueError
            If it is no such matrix.
        """
        if factor.shape != (n_weights, n_weights) or factor.dtype != np.float64:
            raise ValueError(f"doubt must be {n_weights} numbers for each of {n_weights} weights")
        if not np.all(np.abs(factor) <= _LARGEST):
            raise ValueError(f"doubt must be at most {_LARGEST:g}")
        return cls(factor)
