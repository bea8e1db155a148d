"""Reliability of probabilities: calibration error, logarithmic loss, coverage."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfmcore.data.arrays import Float64Array, Int64Array

N_BINS = 15
"""Bins of equal width."""


@dataclass(frozen=True)
class ReliabilityBins:
    """Items by their confidence, those of bins that hold any.

    Attributes
    ----------
    confidence : ndarray of shape (n_filled,)
        Its mean in each bin.
    right, counts : ndarray of shape (n_filled,), int64
        Items with the right label, and all.
    """

    confidence: Float64Array
    right: Int64Array
    counts: Int64Array


def reliability_bins(
    confidence: npt.ArrayLike, right: npt.ArrayLike, n_bins: int = N_BINS
) -> ReliabilityBins:
    """Put items into bins of equal width by their confidence.

    Parameters
    ----------
    confidence : array-like of shape (n_items,)
        Probability of the label that was said, from 0 to 1.
    right : array-like of shape (n_items,), bool
        Whether that label was the true one.
    n_bins : int, default=15

    Examples
    --------
    >>> made = reliability_bins([0.91, 0.93, 0.2], [True, False, False])
    >>> made.counts.tolist(), made.right.tolist(), made.confidence.round(2).tolist()
    ([1, 2], [0, 1], [0.2, 0.92])
    """
    confidence, right = np.asarray(confidence, dtype=float), np.asarray(right, dtype=bool)
    bins = _bins_of(confidence, n_bins)
    counts = np.bincount(bins, minlength=n_bins)
    filled = counts > 0
    sums = np.bincount(bins, confidence, minlength=n_bins)
    hits = np.bincount(bins[right], minlength=n_bins)
    return ReliabilityBins(sums[filled] / counts[filled], hits[filled], counts[filled])


def _bins_of(confidence: Float64Array, n_bins: int) -> Int64Array:
    return np.minimum((confidence * n_bins).astype(np.int64), n_bins - 1)


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
    bins = _bins_of(confidence, n_bins)
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
