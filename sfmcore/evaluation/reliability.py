"""Reliability of probabilities: calibration error, logarithmic loss, coverage."""

import numpy as np
import numpy.typing as npt

N_BINS = 15
"""Bins of equal width."""


def calibration_error(
    confidence: npt.ArrayLike, right: npt.ArrayLike, n_bins: int = N_BINS
) -> float:
    """Expected calibration error: mean distance of confidence and accuracy, over bins.

    Parameters
    ----------
    confidence : array-like of shape (n_items,)
        Probability of the label that was said, from 0 to 1.
    right : array-like of shape (n_items,), bool
        Whether that label was the true one.
    n_bins : int, default=15
        Bins of equal width from 0 to 1.

    Returns
    -------
    float
        From 0 to 1; NaN of no item. Of n items in a bin even a calibrated classifier has a distance
        of about 0.8 sqrt(p (1 - p) / n).

    References
    ----------
    C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger, "On Calibration of Modern Neural Networks",
    Proceedings of Machine Learning Research 70 (2017), 1321-1330.

    Examples
    --------
    >>> round(calibration_error([0.9, 0.9, 0.9, 0.9], [True, True, True, False]), 3)
    0.15
    """
    confidence, right = np.asarray(confidence, dtype=float), np.asarray(right, dtype=float)
    if not len(confidence):
        return float("nan")
    bins = np.minimum((confidence * n_bins).astype(int), n_bins - 1)
    gaps = np.bincount(bins, confidence - right, minlength=n_bins)
    return float(np.abs(gaps).sum() / len(confidence))


def log_loss(true_confidence: npt.ArrayLike) -> float:
    """Mean of -log P(true class), in nats; NaN of no item.

    Parameters
    ----------
    true_confidence : array-like of shape (n_items,)
        Probability of each item's true class. Zero counts as the smallest normal number.

    Examples
    --------
    >>> round(log_loss([0.5, 0.25]), 3)
    1.04
    """
    shares = np.asarray(true_confidence, dtype=float)
    if not len(shares):
        return float("nan")
    return float(-np.log(np.maximum(shares, np.finfo(float).tiny)).mean())
