"""Posterior of a diagonal Gaussian mixture's component, in double precision."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from sfmcore.data.arrays import Float64Array
from sfmcore.models.gmm import DiagonalGMM


class ComponentPosterior(NamedTuple):
    """P(component | x) of every row, and the distances it comes from."""

    shares: Float64Array
    """P(component | x), shape (n_items, n_components)."""
    log_shares: Float64Array
    """Their logarithms."""
    deviations: Float64Array
    """(x - mean) / deviation, shape (n_items, n_components, n_columns)."""
    log_densities: Float64Array
    """log N(x; mean, variance) of every column, as `deviations`."""


def component_posterior(model: DiagonalGMM, data: npt.ArrayLike) -> ComponentPosterior:
    """Shares of the components, by the log-likelihood that the model itself gives.

    Parameters
    ----------
    model : DiagonalGMM
        Fitted.
    data : array-like of shape (n_items, n_columns)

    Returns
    -------
    ComponentPosterior

    Examples
    --------
    >>> model = DiagonalGMM(1, random_state=0).fit([[0.0], [2.0]])
    >>> component_posterior(model, [[1.0]]).shares.tolist()
    [[1.0]]
    """
    check_is_fitted(model, "means_")
    scores = model.log_likelihood(data)
    rows = np.asarray(data, dtype=np.float64)
    deviations = (rows[:, None] - model.means_) / np.sqrt(model.variances_)
    densities = -0.5 * (np.log(2.0 * np.pi * model.variances_) + deviations**2)
    logs = np.log(model.weights_) + densities.sum(2) - scores[:, None]
    return ComponentPosterior(np.exp(logs), logs, deviations, densities)
