"""Two methods on the same partitions: the difference, and whether it is more than chance."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import t as student
from scipy.stats import wilcoxon


@dataclass(frozen=True)
class Comparison:
    """Paired differences of two methods.

    Attributes
    ----------
    mean : float
        Of the differences, in the unit of the values.
    deviation : float
        Of the differences, n - 1; NaN for one.
    p : float
        Two-sided; NaN for one partition.
    """

    mean: float
    deviation: float
    p: float


def compare(
    ours: npt.ArrayLike, theirs: npt.ArrayLike, *, test_to_train: float = 1.0
) -> Comparison:
    r"""Corrected resampled t-test.

    Random halves of one data set share most of their items, so the differences are not
    independent, and the usual t-test finds far too much. The correction takes the variance of
    the mean of n differences as s^2 (1 / n + n_test / n_train).

    Parameters
    ----------
    ours, theirs : array-like of shape (n_partitions,)
        Of the same partitions, in the same order.
    test_to_train : float, default=1.0
        n_test / n_train.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If they are not as many.

    References
    ----------
    C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003.

    Examples
    --------
    >>> found = compare([93.0, 94.0, 95.0], [91.0, 93.0, 92.0])
    >>> found.mean, found.deviation, round(found.p, 3)
    (2.0, 1.0, 0.225)
    """
    gaps = np.asarray(ours, dtype=float) - np.asarray(theirs, dtype=float)
    count, mean = len(gaps), float(gaps.mean())
    if count < 2:
        return Comparison(mean, math.nan, math.nan)
    deviation = float(gaps.std(ddof=1))
    if deviation == 0:
        return Comparison(mean, 0.0, 1.0 if mean == 0 else 0.0)
    statistic = mean / (deviation * math.sqrt(1.0 / count + test_to_train))
    return Comparison(mean, deviation, float(2.0 * student.sf(abs(statistic), count - 1)))


def compare_problems(ours: npt.ArrayLike, theirs: npt.ArrayLike) -> Comparison:
    """Wilcoxon's signed-rank test, for partitions that are problems of their own.

    Parameters
    ----------
    ours, theirs : array-like of shape (n_partitions,)

    Returns
    -------
    Comparison

    Examples
    --------
    >>> compare_problems([3.0, 5.0, 9.0, 7.0, 8.0], [2.0, 3.0, 4.0, 3.0, 5.0]).p
    0.0625
    """
    gaps = np.asarray(ours, dtype=float) - np.asarray(theirs, dtype=float)
    if len(gaps) < 2:
        return Comparison(float(gaps.mean()), math.nan, math.nan)
    p = float(wilcoxon(gaps).pvalue) if np.any(gaps) else 1.0
    return Comparison(float(gaps.mean()), float(gaps.std(ddof=1)), p)
