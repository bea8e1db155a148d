"""The additive chi-square kernel of histograms, by an explicit map of every column."""

import numpy as np
from joblib import Parallel, delayed
from sklearn.kernel_approximation import AdditiveChi2Sampler

from sfmcore.data.arrays import Float32Array, Float64Array
from sfmcore.parallel.blas import blas_threads

MAP_SIZE = 3
"""Numbers that a column becomes."""

# Columns that are mapped at a time.
_COLUMNS = 512


def chi_square_map(rows: Float32Array) -> Float32Array:
    """Vectors whose products are nearly the sum of 2 x y / (x + y) over the columns of two rows.

    A column's product is at most 0.104 sqrt(x y) away from it where x and y are at most 500 times
    each other, and 0.90 x instead of x where they are equal.

    Parameters
    ----------
    rows : ndarray of shape (n_items, n_columns), float32
        Not negative.

    Returns
    -------
    ndarray of shape (n_items, 3, n_columns), float32
        Constant, cosine and sine of each column, as
        :class:`sklearn.kernel_approximation.AdditiveChi2Sampler` has them with two sample steps.

    References
    ----------
    A. Vedaldi and A. Zisserman, "Efficient additive kernels via explicit feature maps", IEEE
    Trans. Pattern Analysis and Machine Intelligence 34 (2012).

    Examples
    --------
    >>> x, y = chi_square_map(np.array([[0.2, 0.8], [0.6, 0.4]], dtype=np.float32))
    >>> round(float(np.sum(x * y)), 2), round(2 * (0.12 / 0.8 + 0.32 / 1.2), 2)
    (0.79, 0.83)
    """
    # An array, whatever scikit-learn's configuration says.
    sampler = AdditiveChi2Sampler(sample_steps=2).set_output(transform="default")
    mapped: Float32Array = sampler.fit_transform(rows)
    return mapped.reshape(len(rows), MAP_SIZE, rows.shape[1])


def chi_square_kernel(rows: Float32Array, n_threads: int = 1) -> Float64Array:
    """Products of the mapped rows with each other.

    They are summed over blocks of columns in their order, so that the map is never in memory as a
    whole, and the bits don't depend on the number of threads.

    Parameters
    ----------
    rows : ndarray of shape (n_items, n_columns), float32
        Not negative.
    n_threads : int, default=1

    Returns
    -------
    ndarray of shape (n_items, n_items), float64
        Summed in float32 within a block.

    Examples
    --------
    >>> rows = np.array([[0.2, 0.8], [0.6, 0.4]], dtype=np.float32)
    >>> chi_square_kernel(rows).round(2).tolist()
    [[0.9, 0.79], [0.79, 0.9]]
    """

    def part(first: int) -> Float32Array:
        mapped = chi_square_map(rows[:, first : first + _COLUMNS]).reshape(len(rows), -1)
        product: Float32Array = mapped @ mapped.T
        return product

    total = np.zeros((len(rows), len(rows)))
    starts = range(0, rows.shape[1], _COLUMNS)
    with blas_threads():
        at_once = max(1, min(n_threads, len(starts)))
        parallel = Parallel(n_jobs=at_once, require="sharedmem", return_as="generator")
        for product in parallel(delayed(part)(first) for first in starts):
            total += product
    return total


def primal_weights(rows: Float32Array, dual: Float64Array) -> Float64Array:
    """Sums of the mapped rows, which make scores without the training items.

    Parameters
    ----------
    rows : ndarray of shape (n_items, n_columns), float32
    dual : ndarray of shape (n_problems, n_items)
        Coefficient of every row in each sum.

    Returns
    -------
    ndarray of shape (n_problems, 3, n_columns), float64

    Examples
    --------
    >>> rows = np.array([[0.2, 0.8], [0.6, 0.4]], dtype=np.float32)
    >>> weights = primal_weights(rows, np.array([[1.0, -1.0]]))
    >>> scores = np.sum(weights[0] * chi_square_map(rows), axis=(1, 2))
    >>> np.allclose(scores, chi_square_kernel(rows) @ [1.0, -1.0], atol=1e-6)
    True
    """
    n_columns = rows.shape[1]
    weights = np.empty((len(dual), MAP_SIZE, n_columns))
    with blas_threads():
        for first in range(0, n_columns, _COLUMNS):
            mapped = chi_square_map(rows[:, first : first + _COLUMNS])
            sums = dual @ mapped.reshape(len(rows), -1)
            weights[:, :, first : first + _COLUMNS] = sums.reshape(len(dual), *mapped.shape[1:])
    return weights


def scores_of(row: Float32Array, weights: Float64Array) -> Float64Array:
    """Products of one mapped histogram with the weights of each problem, shape (n_problems,)."""
    # Not a product of BLAS, whose bits may follow the number of threads.
    return np.sum(weights * chi_square_map(row[None]), axis=(1, 2))
