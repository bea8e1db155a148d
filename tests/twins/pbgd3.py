"""The objective of PBGD3 by coefficients of items, which its features' objective must equal."""

import numpy as np
import numpy.typing as npt

from sfmcore.baselines.kernel_functions import inverse_lengths
from sfmcore.baselines.pbgd3_objective import density
from sfmcore.bounds.objective import upper_tail
from sfmcore.data.arrays import Float64Array


def kernel_objective(
    alpha: Float64Array,
    K: Float64Array,
    signs: npt.NDArray[np.int8],
    C: float,
    sample_weight: Float64Array | None = None,
) -> tuple[float, Float64Array]:
    r"""J of PBGD3 by the coefficients of the items, and its gradient.

    .. math:: J(\alpha) = C \sum_i s_i \Phi(y_i (K \alpha)_i / \sqrt{K_{ii}})
              + \alpha' K \alpha / 2

    Parameters
    ----------
    alpha : ndarray of shape (n_items,)
    K : ndarray of shape (n_items, n_items)
        Symmetric. An item with K_ii = 0 has no direction: its Phi is 1/2 and has no gradient.
    signs : ndarray of shape (n_items,), int8
        +1 or -1.
    C : float
    sample_weight : ndarray of shape (n_items,), optional

    Examples
    --------
    >>> J, slope = kernel_objective(np.zeros(2), np.eye(2), np.array([1, -1], np.int8), C=1.0)
    >>> J, slope.round(3).tolist()
    (1.0, [-0.399, 0.399])
    """
    weights = np.ones(len(K)) if sample_weight is None else sample_weight
    shrink = inverse_lengths(np.diagonal(K))
    scores = K @ alpha
    margins = signs * scores * shrink
    value = C * float(np.sum(weights * upper_tail(margins))) + 0.5 * float(alpha @ scores)
    return value, scores - C * (K @ (weights * signs * density(margins) * shrink))
