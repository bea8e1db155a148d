"""Identity of two sequences in their best local alignment."""

from dataclasses import dataclass

import numpy as np

from sfmbio.alignments.blosum62 import BLOSUM62
from sfmbio.alignments.gaps import GAP_EXTEND, GAP_OPEN
from sfmbio.kernels import _alignment
from sfmbio.sequences.alphabet import UNKNOWN
from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.data.ragged import Ragged

# As the kernel writes them.
_GAP, _OUTSIDE = 254, 255
# Positions of targets at a time: a row of the matrix and some masks for each.
_MOST_POSITIONS = 1 << 21


@dataclass(frozen=True)
class PairAlignments:
    """Best local alignments of pairs of sequences (Smith and Waterman, BLOSUM62).

    Of several alignments with the best score there is one choice, which the lengths and residues of
    the two sequences decide; see the kernel's ``align``.

    Attributes
    ----------
    scores : ndarray of shape (n_pairs,), int32
    identical : ndarray of shape (n_pairs,), int64
        Columns in which both have the same of the 20 residues; two unknown ones are not the same.
    columns : ndarray of shape (n_pairs,), int64
        Columns of the alignment, those with a gap among them; 0 where nothing aligns.
    query_spans, target_spans : ndarray of shape (n_pairs,), int64
        Symbols of each from the first to the last that is aligned.
    """

    scores: np.ndarray
    identical: Int64Array
    columns: Int64Array
    query_spans: Int64Array
    target_spans: Int64Array

    @property
    def identity(self) -> Float64Array:
        """Identical columns over all columns, from 0 to 1 (BLAST's pident, over 100)."""
        shares: Float64Array = self.identical / np.maximum(self.columns, 1)
        return shares


def align_pairs(
    queries: Ragged, targets: Ragged, which: Int64Array, hits: Int64Array, *, n_threads: int = 1
) -> PairAlignments:
    """Align pairs of a query and a target.

    Parameters
    ----------
    queries, targets : Ragged
        In the codes of :mod:`sfmbio.sequences.alphabet`.
    which, hits : ndarray of shape (n_pairs,), int64
        Numbers of each pair's query and target.
    n_threads : int, default=1
        The result does not depend on it. Each takes a byte for every two symbols of its pair.

    Returns
    -------
    PairAlignments

    Raises
    ------
    ValueError
        If a pair names what is not there.
    MemoryError

    Examples
    --------
    >>> from sfmbio.sequences.encoding import encode_batch
    >>> items = encode_batch(["MKWVTFISLLFLFSSAYS", "MKWVTFLSLLLFSSAYS"])
    >>> found = align_pairs(items, items, np.array([0]), np.array([1]))
    >>> found.scores.tolist(), found.identical.tolist(), found.columns.tolist()
    ([71], [16], [18])
    """
    ends = np.concatenate([[0], np.cumsum(targets.lengths[hits])])
    parts: list[tuple[np.ndarray, ...]] = []
    first = 0
    while first < len(hits) or not parts:
        last = int(np.searchsorted(ends, ends[first] + _MOST_POSITIONS, side="right")) - 1
        last = min(max(last, first + 1), len(hits))
        some = slice(first, last)
        parts.append(_aligned(queries, targets, which[some], hits[some], n_threads))
        first = last
    return PairAlignments(*map(np.concatenate, zip(*parts, strict=True)))


def _aligned(
    queries: Ragged, targets: Ragged, which: Int64Array, hits: Int64Array, n_threads: int
) -> tuple[np.ndarray, ...]:
    # The matrix takes a row for every position: of those that are in a pair alone.
    own, hits = np.unique(hits, return_inverse=True)
    targets = targets[own]
    asked, which = np.unique(which, return_inverse=True)
    queries = queries[asked]
    offsets = np.concatenate([[0], np.cumsum(targets.lengths[hits])]).astype(np.int64)
    found = np.empty(offsets[-1], dtype=np.uint8)
    scores = np.empty(len(hits), dtype=np.int32)
    spans = np.empty((len(hits), 2), dtype=np.int64)
    _alignment.align(
        queries.values,
        queries.offsets,
        BLOSUM62[targets.values],
        targets.offsets,
        which.astype(np.int64),
        hits.astype(np.int64),
        GAP_OPEN,
        GAP_EXTEND,
        found,
        offsets,
        scores,
        n_threads,
        spans,
    )
    same = (found == targets[hits].values) & (found < UNKNOWN)
    target_spans = _sums(found != _OUTSIDE, offsets)
    gaps = _sums(found == _GAP, offsets)
    query_spans = spans[:, 1] - spans[:, 0]
    # A symbol of the query is a column of its own or shares one with a position.
    return scores, _sums(same, offsets), query_spans + gaps, query_spans, target_spans


def _sums(marked: np.ndarray, offsets: Int64Array) -> Int64Array:
    """Number of marked positions of each pair."""
    before = np.concatenate([[0], np.cumsum(marked, dtype=np.int64)])
    return before[offsets[1:]] - before[offsets[:-1]]
