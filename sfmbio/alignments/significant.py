"""Pairs of sequences that are worth a look: those whose best local alignment is significant."""

from collections.abc import Iterator

import numpy as np

from sfmbio.alignments.blosum62 import BLOSUM62
from sfmbio.alignments.gaps import GAP_EXTEND, GAP_OPEN
from sfmbio.alignments.significance import least_scores
from sfmbio.kernels import _alignment
from sfmcore.data.arrays import Int64Array
from sfmcore.data.ragged import Ragged

E_VALUE = 1e-3
"""The largest E-value of a significant alignment, the shorter searched for among all sequences."""

Pairs = tuple[Int64Array, Int64Array]

# Sequences that are compared with all longer ones at a time: their scores are in memory.
_BLOCK = 128
_MOST_SCORES = 1 << 24
# As many pairs of one sequence take little longer to align than one.
_AT_ONCE = 32


def distinct_by_length(items: Ragged) -> tuple[Ragged, Int64Array]:
    """Each sequence once, the shortest first, and which of them every item is.

    Parameters
    ----------
    items : Ragged

    Returns
    -------
    distinct : Ragged
        Ordered by length and content, so that the order of the items decides nothing.
    own : ndarray of shape (n_items,), int64

    Examples
    --------
    >>> distinct, own = distinct_by_length(Ragged.from_items([[3, 4], [1], [3, 4]]))
    >>> len(distinct), own.tolist()
    (2, [1, 0, 1])
    """
    texts = [item.tobytes() for item in items]
    order = sorted(range(len(texts)), key=lambda number: (len(texts[number]), texts[number]))
    new = [
        place == 0 or texts[number] != texts[order[place - 1]] for place, number in enumerate(order)
    ]
    own = np.empty(len(texts), dtype=np.int64)
    own[order] = np.cumsum(new) - 1
    return items[np.array(order, dtype=np.int64)[np.array(new, dtype=bool)]], own


def n_blocks(n_items: int) -> int:
    """Number of blocks that :func:`significant_pairs` compares so many sequences in."""
    return len(_starts(n_items))


def significant_pairs(
    items: Ragged, *, least_length: float = 0.0, n_threads: int = 1
) -> Iterator[Iterator[Pairs]]:
    """Pairs of significant alignments, of a block of sequences at a time.

    All pairs are compared by their scores (Smith and Waterman, BLOSUM62), without a heuristic that
    could miss one.

    Parameters
    ----------
    items : Ragged
        As of :func:`distinct_by_length`, the shortest first.
    least_length : float, default=0.0
        Length of the shorter sequence over that of the longer one, at least. Other pairs are
        neither compared nor returned.
    n_threads : int, default=1
        The result does not depend on it.

    Yields
    ------
    iterator of (ndarray, ndarray)
        Numbers of the shorter and of the longer sequence of some pairs: each pair once, the best
        of every sequence first.
    """
    size = _size(len(items))
    for start in _starts(len(items)):
        yield _of_block(items, start, size, least_length, n_threads)


def _size(n_items: int) -> int:
    return max(1, min(_BLOCK, _MOST_SCORES // max(n_items, 1)))


def _starts(n_items: int) -> range:
    return range(0, n_items, _size(n_items))


def _of_block(
    items: Ragged, start: int, size: int, least_length: float, n_threads: int
) -> Iterator[Pairs]:
    """Pairs of a block's sequences with later ones, some of each sequence at a time."""
    lengths = items.lengths
    block = items[start : start + size]
    longest = block.lengths.max() / least_length if least_length > 0 else np.inf
    others = items[start : int(np.searchsorted(lengths, longest, side="right"))]
    scores = np.empty((len(block), len(others)), dtype=np.int32)
    _alignment.scores(
        block.values,
        block.offsets,
        BLOSUM62[others.values],
        others.offsets,
        GAP_OPEN,
        GAP_EXTEND,
        scores,
        n_threads,
    )
    least = least_scores(block.lengths, len(items.values), E_VALUE)
    # Each pair once: with what comes later alone.
    wanted = np.arange(len(others)) > np.arange(len(block))[:, None]
    wanted &= block.lengths[:, None] >= least_length * others.lengths
    rows, columns = np.nonzero((scores >= least[:, None]) & wanted)
    order = np.lexsort((columns, -scores[rows, columns], rows))
    rows, columns = rows[order], columns[order]
    counts = np.bincount(rows, minlength=len(block))
    rank = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    for first in range(0, int(counts.max(initial=0)), _AT_ONCE):
        some = (rank >= first) & (rank < first + _AT_ONCE)
        yield rows[some] + start, columns[some] + start
