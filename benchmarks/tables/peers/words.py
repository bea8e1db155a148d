"""Counts of words of residues, in one piece or with gaps."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, hstack

from sfmbio.sequences.alphabet import N_SYMBOLS
from sfmcore.data.ragged import Ragged


def word_counts(items: Ragged, offsets: Sequence[int], span: int | None = None) -> csr_array:
    """How often each word stands in each item.

    Parameters
    ----------
    items : Ragged
    offsets : sequence of int
        Where a word's symbols stand, rising from 0 in a window: (0, 1, 2) is a 3-mer, (0, 3) a
        pair of residues three apart.
    span : int, optional
        Length of the window; by default it ends with the word.

    Returns
    -------
    csr_array of float32, shape (n_items, 22**len(offsets))

    Examples
    --------
    >>> counts = word_counts(Ragged.from_items([[0, 1, 0, 1], [0]]), (0, 2))
    >>> counts.indices.tolist(), counts.data.tolist()
    ([0, 23], [1.0, 1.0])
    """
    length = offsets[-1] + 1 if span is None else span
    values = items.values.astype(np.int64)
    owner = np.repeat(np.arange(len(items)), items.lengths)
    left = np.repeat(items.offsets[1:], items.lengths) - np.arange(len(values))
    starts = np.flatnonzero(left >= length)
    columns = np.zeros(len(starts), dtype=np.int64)
    for offset in offsets:
        columns = columns * N_SYMBOLS + values[starts + offset]
    ones = np.ones(len(starts), dtype=np.float32)
    shape = (len(items), N_SYMBOLS ** len(offsets))
    return csr_array((ones, (owner[starts], columns)), shape=shape)


def spaced_pairs(items: Ragged, distances: Sequence[int] = (1, 2, 3)) -> csr_array:
    """Square roots of the counts of pairs of residues, by distance; rows of unit length."""
    counts = hstack([word_counts(items, (0, distance)) for distance in distances], format="csr")
    return unit_rows(np.sqrt(counts))


def unit_rows(rows: csr_array) -> csr_array:
    """Rows divided by their Euclidean length; rows of zeros stay."""
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    scaled = csr_array(rows, copy=True)
    scaled.data /= np.repeat(np.maximum(lengths, 1e-30), np.diff(rows.indptr)).astype(np.float32)
    return scaled


def counts_of_one_and_two(items: Ragged) -> npt.NDArray[np.float32]:
    """Counts of residues and of neighbours: 22 and 484 columns."""
    parts = [word_counts(items, (0,)), word_counts(items, (0, 1))]
    return np.asarray(hstack(parts).toarray(), dtype=np.float32)
