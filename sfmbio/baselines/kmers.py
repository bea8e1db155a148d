"""Shares of k-mers: the features of protein sequences that need no model."""

from itertools import product
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags

from sfmbio.sequences.alphabet import N_SYMBOLS, SYMBOLS
from sfmbio.sequences.encoding import encode_batch
from sfmcore.data.arrays import Float32Array
from sfmcore.data.checks import check_choice, check_whole
from sfmcore.data.ragged import Ragged

MAX_K = 4
"""Longest k-mer; there are 22^5 columns, more than 5 million, beyond."""
_INT32_MAX = np.iinfo(np.int32).max


class KmerFrequencies(TransformerMixin, BaseEstimator):
    """Turn protein sequences into the shares of their k-mers.

    A k-mer is k neighbouring symbols of the 22 of :mod:`sfmbio.sequences.alphabet`. A sequence
    of T symbols has T - k + 1 of them, and a row says what share of these each k-mer is. A
    sequence shorter than k becomes a row of zeros. For k = 2 these are the 2-grams of Li, Lee,
    Liu, who divide by T where this divides by T - 1.

    Parameters
    ----------
    k : int, default=2
        Length of a k-mer, 1 to 4.
    root : bool, default=False
        Take the square root of each share. The inner product of two rows is then the
        Bhattacharyya coefficient of two distributions, and every row has unit length.
    unit_length : bool, default=False
        Divide each row by its Euclidean length.
    sparse : bool or "auto", default="auto"
        Return a sparse array; "auto" means for k of at least 3.

    Notes
    -----
    There is nothing to learn: `fit` only checks the parameters.

    References
    ----------
    X. Li, T. S. Lee, Y. Liu, "Stochastic Feature Mapping for PAC-Bayes Classification",
    arXiv:1204.2609.

    Examples
    --------
    >>> features = KmerFrequencies(k=2)
    >>> shares = features.transform(["ACACA", "W"])
    >>> names = features.get_feature_names_out()
    >>> shares.shape, {str(names[column]): float(shares[0, column]) for column in (1, 22)}
    ((2, 484), {'AC': 0.5, 'CA': 0.5})
    >>> KmerFrequencies(k=3).transform(["ACACA"]).nnz
    2
    """

    def __init__(
        self,
        k: int = 2,
        *,
        root: bool = False,
        unit_length: bool = False,
        sparse: bool | Literal["auto"] = "auto",
    ) -> None:
        self.k = k
        self.root = root
        self.unit_length = unit_length
        self.sparse = sparse

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.requires_fit = False
        return tags

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Check the parameters.

        Parameters
        ----------
        X, y : ignored

        Returns
        -------
        self : KmerFrequencies

        Raises
        ------
        ValueError
            If a parameter is out of range.
        """
        self._check_parameters()
        return self

    def transform(self, X: Any) -> Float32Array | csr_array:
        """Shares of the k-mers of every sequence.

        Parameters
        ----------
        X : iterable of str, or Ragged
            Sequences, or their codes.

        Returns
        -------
        ndarray or scipy.sparse.csr_array of float32, shape (n_items, 22**k)
            Columns in the order of `get_feature_names_out`.

        Raises
        ------
        ValueError
            If a sequence is empty or can't be read, a code is not below 22, or a parameter is
            out of range.
        """
        self._check_parameters()
        shares = _counts(encode_batch(X), self.k)
        rows = np.repeat(np.arange(shares.shape[0]), np.diff(shares.indptr))
        shares.data /= _sums(rows, shares.data)[rows]
        if self.root:
            np.sqrt(shares.data, out=shares.data)
        if self.unit_length:
            shares.data /= np.sqrt(_sums(rows, shares.data**2))[rows]
        is_sparse = self.k > 2 if self.sparse == "auto" else self.sparse
        return shares if is_sparse else shares.toarray()

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """K-mers in the order of the columns; ``x`` is the unknown residue, ``|`` the break.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str objects, shape (22**k,)
        """
        self._check_parameters()
        kmers = product(SYMBOLS, repeat=self.k)
        return np.array(["".join(symbols) for symbols in kmers], dtype=object)

    def _check_parameters(self) -> None:
        check_whole("k", self.k, 1)
        if self.k > MAX_K:
            raise ValueError(f"k must be at most {MAX_K}, got {self.k!r}")
        check_choice("root", self.root, (True, False))
        check_choice("unit_length", self.unit_length, (True, False))
        check_choice("sparse", self.sparse, (True, False, "auto"))


def _counts(items: Ragged, k: int) -> csr_array:
    """Number of times each k-mer occurs in each item."""
    values = items.values
    if len(values) and values.max() >= N_SYMBOLS:
        raise ValueError(f"codes must be below {N_SYMBOLS}, got {values.max()}")
    n_windows = max(0, len(values) - k + 1)
    columns = np.zeros(n_windows, dtype=np.int32)
    for place in range(k):
        columns *= N_SYMBOLS
        columns += values[place : place + n_windows]
    # A window that starts less than k symbols before an item's end reaches into the next item.
    inside = np.ones(len(values), dtype=bool)
    for left in range(1, k):
        inside[items.offsets[1:][items.lengths >= left] - left] = False
    ends = np.zeros(len(items) + 1, dtype=np.int64)
    np.cumsum(np.maximum(items.lengths - k + 1, 0), out=ends[1:])
    # Solvers of scikit-learn take narrow indexes only.
    narrow = np.int32 if ends[-1] <= _INT32_MAX else np.int64
    columns = columns[inside[:n_windows]].astype(narrow, copy=False)
    ones = np.ones(len(columns), dtype=np.float32)
    counts = csr_array((ones, columns, ends.astype(narrow)), shape=(len(items), N_SYMBOLS**k))
    counts.sum_duplicates()
    return counts


def _sums(rows: npt.NDArray[np.intp], values: Float32Array) -> Float32Array:
    """Sum of the values of each row, added in float64."""
    return np.bincount(rows, weights=values).astype(np.float32)
