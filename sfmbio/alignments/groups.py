"""Groups of sequences that are alike: what an evaluation keeps together."""

from collections.abc import Iterator

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sfmbio.alignments.blosum62 import BLOSUM62
from sfmbio.alignments.gaps import GAP_EXTEND, GAP_OPEN
from sfmbio.alignments.identity import align_pairs
from sfmbio.alignments.significance import least_scores
from sfmbio.kernels import _alignment
from sfmcore.data.arrays import BoolArray, Int64Array
from sfmcore.data.ragged import Ragged
from sfmcore.parallel.progress import steps

COVERAGE = 0.5
"""Share of the shorter sequence that an alignment must span to join two."""
E_VALUE = 1e-3
"""The largest E-value of an alignment that joins two sequences."""

# Sequences that are compared with all longer ones at a time: their scores are in memory.
_BLOCK = 128
_MOST_SCORES = 1 << 24
# As many pairs of one sequence take little longer to align than one.
_AT_ONCE = 32


def identity_groups(
    items: Ragged, least: float, *, n_threads: int = 1, show_progress: bool = False
) -> Int64Array:
    """Put sequences into groups such that no two of different groups are too much alike.

    Two sequences are alike if their best local alignment (Smith and Waterman, BLOSUM62) has at
    least a share of identical columns, spans at least half of the shorter one, and has an E-value
    of at most 0.001 where the shorter one is searched for among all of them; or if they are equal.
    Groups are the connected components of this relation (single linkage), so members of one group
    may have little in common, but what is alike is never in two.

    All pairs are compared by their scores. Of those that are significant, only pairs that are not
    in one group yet need be looked at column by column.

    Parameters
    ----------
    items : Ragged
        In the codes of :mod:`sfmbio.sequences.alphabet`.
    least : float
        The share of identical columns, those with gaps among the columns; above 0, at most 1.
    n_threads : int, default=1
        The result does not depend on it, and not on the order of the sequences but for the numbers
        of the groups.
    show_progress : bool, default=False
        Say how far it is: a bar on a terminal, and elsewhere a line a minute.

    Returns
    -------
    ndarray of shape (n_items,), int64
        Number of each sequence's group, from 0, in the order of the groups' first members.

    Raises
    ------
    ValueError
        If `least` is out of range.
    MemoryError
        If two sequences are so long that a byte for every pair of their symbols is too much.

    Examples
    --------
    >>> from sfmbio.sequences.encoding import encode_batch
    >>> first, other = "MKWVTFISLLFLFSSAYSRGVF", "PEDNKHYCQWTRAGLPEDNKHY"
    >>> identity_groups(encode_batch([first, other, first[2:] + "RRD"]), 0.5).tolist()
    [0, 1, 0]
    """
    if not 0.0 < least <= 1.0:
        raise ValueError(f"least must be above 0 and at most 1, got {least!r}")
    distinct, own = _distinct(items)
    groups = np.arange(len(distinct))
    size = max(1, min(_BLOCK, _MOST_SCORES // max(len(distinct), 1)))
    starts = range(0, len(distinct), size)
    with steps("parts of the comparison", len(starts), show=show_progress) as step:
        for start in starts:
            for which, hits in _significant(distinct, start, size, n_threads):
                apart = groups[which] != groups[hits]
                which, hits = which[apart], hits[apart]
                joined = _alike(distinct, which, hits, least, n_threads)
                groups = _merged(groups, which[joined], hits[joined])
            step()
    return _renumbered(groups[own])


def _distinct(items: Ragged) -> tuple[Ragged, Int64Array]:
    """Each sequence once, the shortest first, and which of them every item is."""
    texts = [item.tobytes() for item in items]
    # By content, so that the order of the items decides nothing.
    order = sorted(range(len(texts)), key=lambda number: (len(texts[number]), texts[number]))
    new = [
        place == 0 or texts[number] != texts[order[place - 1]] for place, number in enumerate(order)
    ]
    own = np.empty(len(texts), dtype=np.int64)
    own[order] = np.cumsum(new) - 1
    return items[np.array(order, dtype=np.int64)[np.array(new, dtype=bool)]], own


def _significant(
    items: Ragged, start: int, size: int, n_threads: int
) -> Iterator[tuple[Int64Array, Int64Array]]:
    """Pairs of a block's sequences with later ones, some of each sequence at a time, best first."""
    block, others = items[start : start + size], items[start:]
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
    later = np.arange(len(others)) > np.arange(len(block))[:, None]
    rows, columns = np.nonzero((scores >= least[:, None]) & later)
    order = np.lexsort((columns, -scores[rows, columns], rows))
    rows, columns = rows[order], columns[order]
    counts = np.bincount(rows, minlength=len(block))
    rank = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    for first in range(0, int(counts.max(initial=0)), _AT_ONCE):
        some = (rank >= first) & (rank < first + _AT_ONCE)
        yield rows[some] + start, columns[some] + start


def _alike(
    items: Ragged, which: Int64Array, hits: Int64Array, least: float, n_threads: int
) -> BoolArray:
    """Whether pairs, the shorter sequence first, are identical and covered enough."""
    found = align_pairs(items, items, which, hits, n_threads=n_threads)
    lengths = items.lengths
    # Of two equally long ones, that of which the alignment spans more.
    equal = lengths[which] == lengths[hits]
    spans = np.where(equal, np.maximum(found.query_spans, found.target_spans), found.query_spans)
    made: BoolArray = (found.identity >= least) & (spans >= COVERAGE * lengths[which])
    return made


def _merged(groups: Int64Array, first: Int64Array, second: Int64Array) -> Int64Array:
    """Groups with those of each pair joined."""
    pairs = groups[first], groups[second]
    graph = coo_array((np.ones(len(first)), pairs), shape=(len(groups), len(groups)))
    numbers: Int64Array = connected_components(graph, directed=False)[1][groups]
    return numbers


def _renumbered(groups: Int64Array) -> Int64Array:
    """Groups in the order of their first members."""
    _, first, own = np.unique(groups, return_index=True, return_inverse=True)
    places = np.empty(len(first), dtype=np.int64)
    places[np.argsort(first)] = np.arange(len(first))
    return places[own]
