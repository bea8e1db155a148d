"""Groups of sequences that are alike: what an evaluation keeps together."""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sfmbio.alignments.identity import align_pairs
from sfmbio.alignments.significant import distinct_by_length, n_blocks, significant_pairs
from sfmcore.data.arrays import BoolArray, Int64Array
from sfmcore.data.ragged import Ragged
from sfmcore.parallel.progress import steps

COVERAGE = 0.5
"""Share of the shorter sequence that an alignment must span to join two."""


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
    distinct, own = distinct_by_length(items)
    groups = np.arange(len(distinct))
    blocks = significant_pairs(distinct, n_threads=n_threads)
    with steps("parts of the comparison", n_blocks(len(distinct)), show=show_progress) as step:
        for block in blocks:
            for which, hits in block:
                apart = groups[which] != groups[hits]
                which, hits = which[apart], hits[apart]
                joined = _alike(distinct, which, hits, least, n_threads)
                groups = _merged(groups, which[joined], hits[joined])
            step()
    return _renumbered(groups[own])


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
