"""Uncertainty of the weights of a conditional logit, and probabilities averaged over it.

Items of one group say much the same, so weights that were learnt from a few dozen groups are an
uncertain estimate, and the probabilities that they give to items of new groups are too extreme. By
Laplace's method the posterior of the weights is normal, with its mean at the most probable ones.
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
class WeightPosterior:
    """Normal posterior of the weights of a conditional logit, around the most probable ones.

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
    >>> logits = np.array([[2.0, 1.0, 0.0]])
    >>> scales, centre = WeightPosterior.of(np.eye(3), 1.0).scales(columns, logits)
    >>> (scales * (logits - centre)).round(2).tolist()
    [[0.38, -0.36, -0.9]]
    """

    factor: Float64Array

    @classmethod
    def of(cls, curvature: Float64Array, n_items: float) -> "WeightPosterior":
        """Laplace's approximation of a posterior.

        Parameters
        ----------
        curvature : ndarray of shape (n_weights, n_weights)
            Second derivatives of an item's mean loss, with the penalty, at the minimum.
        n_items : float
            Effective number of items: the number of groups, where all groups are of one size.
        """
        with blas_threads():  # whose bits may follow its threads
            root = linalg.cholesky(curvature, lower=True)
            inverse = linalg.solve_triangular(root, np.eye(len(root)), lower=True)
        return cls(np.ascontiguousarray(inverse.T) / np.sqrt(n_items))

    def scales(
        self, columns: Float64Array, logits: Float64Array
    ) -> tuple[Float64Array, Float64Array]:
        """Scales of the logits that approximate probabilities averaged over the posterior.

        The mean of the logits, weighted by the probabilities, is subtracted first, because a number
        added to all logits changes nothing. A logit of variance v is then divided by
        sqrt(1 + pi v / 8), MacKay's approximation of a logistic function averaged over a normal
        distribution; equation (12d) of docs/theory.md.

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
            The mean of the logits, which is subtracted first.
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
        return {"posterior": self.factor}

    @classmethod
    def of_array(cls, factor: np.ndarray, n_weights: int) -> "WeightPosterior":
        """Take back what :meth:`get_arrays` gave.

        Raises
        ------
        ValueError
            If the shape, the type or a value is not allowed.
        """
        if factor.shape != (n_weights, n_weights) or factor.dtype != np.float64:
            raise ValueError(f"posterior must be float64 of shape ({n_weights}, {n_weights})")
        if not np.all(np.abs(factor) <= _LARGEST):
            raise ValueError(f"posterior must be numbers of at most {_LARGEST:g}")
        return cls(factor)
