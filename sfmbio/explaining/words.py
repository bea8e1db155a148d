"""Evidence of the extra vectors: words and ends by residue, length and properties as a whole."""

import numpy as np

from sfmbio.beside_states.beside_states import BesideStates
from sfmbio.sequences.alphabet import N_SYMBOLS
from sfmbio.words.ends import N_END_COLUMNS, N_LENGTH_COLUMNS, end_windows
from sfmbio.words.patterns import PATTERNS
from sfmbio.words.principal_words import PrincipalWords
from sfmcore.data.arrays import Float32Array, Float64Array
from sfmcore.data.ragged import Ragged
from sfmcore.explaining.rows import ColumnEvidence
from sfmcore.kernels import _products


class Vectors:
    """Columns of the extra vectors of sequences, by kind.

    Parameters
    ----------
    beside : BesideStates
    """

    def __init__(self, beside: BesideStates) -> None:
        self.words, self.end_weight = beside.words, beside.end_weight
        n_words = 0 if beside.words is None else beside.words.n_vectors
        n_ends = N_END_COLUMNS if beside.end_weight > 0 else 0
        self._of_words = slice(0, n_words)
        self._of_ends = slice(n_words, n_words + n_ends)
        n_before = n_words + n_ends + (N_LENGTH_COLUMNS if beside.length_weight > 0 else 0)
        self._of_length = slice(n_words + n_ends, n_before)
        self._of_properties = slice(n_before, None)

    def worth_of_words(self, columns: ColumnEvidence, n_threads: int) -> Float32Array:
        """Evidence per unit of each word, shape (n_items, N_WORDS)."""
        assert self.words is not None
        own = np.ascontiguousarray(columns.vectors[:, self._of_words], dtype=np.float32)
        made = np.empty((len(own), len(self.words.directions)), dtype=np.float32)
        _products.products(own, self.words.directions, made, n_threads)
        return made

    def add_words(
        self,
        columns: ColumnEvidence,
        vectors: Float32Array,
        items: Ragged,
        worth: Float32Array,
        out: Float64Array,
    ) -> None:
        """Add the evidence of words: that of a window goes to its places, in equal parts.

        What is taken off for words that every sequence has is spread evenly, and so is what
        rounding to single precision has changed.

        Parameters
        ----------
        columns : ColumnEvidence
        vectors : ndarray of shape (n_items, n_vectors), float32
            Beside the items.
        items : Ragged
        worth : ndarray of shape (n_items, N_WORDS), float32
            See :meth:`worth_of_words`.
        out : ndarray of shape (n_residues,)
            Added to.
        """
        assert self.words is not None
        own = self._of_words
        placed = np.zeros(len(items.values))
        add_windows(self.words, items, worth, placed)
        each = columns.vectors[:, own] * vectors[:, own] - columns.vectors_base[:, own]
        before = np.concatenate([[0.0], np.cumsum(placed)])
        left = np.sum(each, axis=1) - (before[items.offsets[1:]] - before[items.offsets[:-1]])
        out += placed + np.repeat(left / np.maximum(items.lengths, 1), items.lengths)

    def add_ends(
        self, columns: ColumnEvidence, vectors: Float32Array, items: Ragged, out: Float64Array
    ) -> None:
        """Add the evidence of the residues in the windows at both ends.

        Parameters
        ----------
        columns : ColumnEvidence
        vectors : ndarray of shape (n_items, n_vectors), float32
            Beside the items.
        items : Ragged
        out : ndarray of shape (n_residues,)
            Added to.
        """
        if self.end_weight <= 0:
            return
        ends = self._of_ends
        each = columns.vectors[:, ends] * vectors[:, ends]
        for place, (size, at_end) in enumerate(end_windows()):
            own = slice(place * N_SYMBOLS, (place + 1) * N_SYMBOLS)
            counts = np.minimum(items.lengths, size)
            starts = items.offsets[1:] - counts if at_end else items.offsets[:-1]
            owners = np.repeat(np.arange(len(items)), counts)
            within = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
            residues = np.repeat(starts, counts) + within
            cells = owners * N_SYMBOLS + items.values[residues].astype(np.int64)
            equal = np.bincount(cells, minlength=len(items) * N_SYMBOLS)
            base = np.sum(columns.vectors_base[:, ends][:, own], axis=1)
            share = each[:, own].ravel()[cells] / equal[cells]
            out[residues] += share - (base / np.maximum(counts, 1))[owners]

    def of_length(self, columns: ColumnEvidence, vectors: Float32Array) -> Float64Array:
        """Evidence of the length of every sequence."""
        return _of_columns(self._of_length, columns, vectors)

    def of_properties(self, columns: ColumnEvidence, vectors: Float32Array) -> Float64Array:
        """Evidence of the properties of every sequence, which are of no single residue."""
        return _of_columns(self._of_properties, columns, vectors)


def _of_columns(own: slice, columns: ColumnEvidence, vectors: Float32Array) -> Float64Array:
    """Evidence of some of the vectors' columns."""
    each = columns.vectors[:, own] * vectors[:, own] - columns.vectors_base[:, own]
    total: Float64Array = np.sum(each, axis=1)
    return total


def add_windows(
    words: PrincipalWords, items: Ragged, worth: Float32Array, out: Float64Array
) -> None:
    """Add what the windows of every pattern are worth to their places.

    Parameters
    ----------
    words : PrincipalWords
    items : Ragged
    worth : ndarray of shape (n_items, N_WORDS), float32
    out : ndarray of shape (n_residues,)
    """
    first = 0
    for pattern in PATTERNS:
        values = pattern.groups[items.values].astype(np.int64)
        counts = np.maximum(items.lengths - pattern.places[-1], 0)
        owners = np.repeat(np.arange(len(items)), counts)
        starts = np.repeat(items.offsets[:-1] - (np.cumsum(counts) - counts), counts)
        starts += np.arange(len(starts))
        own = np.zeros(len(starts), dtype=np.int64)
        for place in pattern.places:
            own = own * pattern.n_groups + values[starts + place]
        cells = owners * pattern.n_words + own
        equal = np.bincount(cells, minlength=len(items) * pattern.n_words)
        # A word that is seen c times in n windows counts sqrt(c / n), each time as much.
        each = words.weight * pattern.weight / np.sqrt(equal[cells] * counts[owners])
        each *= worth[owners, first + own] / len(pattern.places)
        for place in pattern.places:
            out[starts + place] += each
        first += pattern.n_words
