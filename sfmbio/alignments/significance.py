"""Significance of alignments: Karlin and Altschul's E-values."""

import numpy as np

from sfmbio.alignments.gaps import LAMBDA, K
from sfmcore.data.arrays import Float64Array, Int64Array


def e_values(scores: np.ndarray, lengths: np.ndarray, n_residues: int) -> Float64Array:
    """Alignments of at least these scores that a search is expected to find by chance.

    E = K m n exp(-LAMBDA S), of a query of m residues in a database of n, with the parameters of
    BLOSUM62 and the gaps of :mod:`sfmbio.alignments.gaps`. Neither the ends of sequences nor their
    composition are corrected for: short and repetitive sequences have too small or too large ones.

    Parameters
    ----------
    scores : ndarray of int
        In units of the matrix.
    lengths : ndarray of int
        Residues of each query.
    n_residues : int
        Of the whole database.

    Returns
    -------
    ndarray
        0 where it is too small for a number.

    Examples
    --------
    >>> found = e_values(np.array([60, 200]), np.array([100, 100]), 10**6)
    >>> print(f"{found[0]:.1e} {found[1]:.1e}")
    4.5e-01 2.6e-17
    """
    logs = np.log(K) + np.log(np.maximum(lengths, 1)) + np.log(max(n_residues, 1))
    values: Float64Array = np.exp(logs - LAMBDA * scores)
    return values


def least_scores(lengths: np.ndarray, n_residues: int, e_value: float) -> Int64Array:
    """The lowest score whose E-value is at most `e_value`, at least 1.

    Parameters
    ----------
    lengths : ndarray of int
        Residues of each query.
    n_residues : int
        Of the whole database.
    e_value : float
        Above 0.

    Examples
    --------
    >>> least_scores(np.array([100]), 10**6, 1e-3).tolist()
    [83]
    """
    logs = np.log(K) + np.log(np.maximum(lengths, 1)) + np.log(max(n_residues, 1))
    return np.maximum(np.ceil((logs - np.log(e_value)) / LAMBDA), 1.0).astype(np.int64)
