"""Candidates for an alignment: the references with the best scores without gaps."""

import numpy as np

from sfmbio.alignments.gaps import GAP_EXTEND, GAP_OPEN
from sfmbio.alignments.levels import QUANTILE
from sfmbio.alignments.passes import Int8Array, Int32Array
from sfmbio.kernels import _alignment
from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.data.ragged import Ragged

CLEAR = 100
"""Score without gaps of a clear relative: one in half a million unrelated sequences has as much
with one of five thousand targets."""


def candidates(
    items: Ragged,
    targets: Int8Array,
    offsets: Int64Array,
    own: Int64Array,
    most: int,
    most_with_clear: int,
    n_threads: int,
) -> tuple[Int64Array, Int32Array, Float64Array]:
    """Targets with the best scores without gaps for each sequence, and the scores with them.

    A sequence with a clear relative is aligned with few of them, since its further ones say little
    more. The others keep what is known without gaps, which is at most as much.

    Parameters
    ----------
    items : Ragged
    targets : ndarray of shape (n_positions, n_symbols), int8
        Score of every symbol at every position.
    offsets : ndarray of shape (n_targets + 1,), int64
    own : ndarray of shape (n_items,), int64
        The target that each sequence is itself, or -1. It is no relative: in training a sequence
        without others is aligned with as many targets as a new one.
    most : int
        Targets of each sequence, at most as many as there are; of those with one score the first.
    most_with_clear : int
        Those that a sequence with a clear relative is aligned with, at most.
    n_threads : int
        The result does not depend on it.

    Returns
    -------
    hits : ndarray of shape (n_items, most), int64
        Numbers of the targets, rising.
    scores : ndarray of shape (n_items, most), int32
        Of the best local alignment, which may have gaps.
    levels : ndarray of shape (n_items,)
        Lower quartile of the scores without gaps with all targets.

    Examples
    --------
    >>> from sfmbio.alignments.blosum62 import BLOSUM62
    >>> targets = Ragged.from_items([[9, 9], [0, 1, 2, 3], [0, 0]])
    >>> queries = Ragged.from_items([[0, 1, 2, 3]])
    >>> profiles, own = BLOSUM62[targets.values], np.array([1])
    >>> hits, scores, _ = candidates(queries, profiles, targets.offsets, own, 2, 2, 1)
    >>> hits.tolist(), scores.tolist()
    ([[1, 2]], [[24, 4]])
    """
    n_targets = len(offsets) - 1
    along = np.empty((len(items), n_targets), dtype=np.uint8)
    _alignment.diagonals(items.values, items.offsets, targets, offsets, along, n_threads)
    # No two are equal, so that it is no matter how they are parted.
    ranks = along.astype(np.int32) * np.int32(n_targets) - np.arange(n_targets, dtype=np.int32)
    best = np.argpartition(ranks, n_targets - most, axis=1)[:, n_targets - most :]
    hits = np.sort(best, axis=1).astype(np.int64)
    scores = np.take_along_axis(along, hits, axis=1).astype(np.int32)
    others = np.where(np.arange(n_targets) == own[:, None], 0, along)
    clear = others.max(axis=1, initial=0) >= CLEAR
    few = min(most, most_with_clear)
    for some, n_aligned in ((np.flatnonzero(clear), few), (np.flatnonzero(~clear), most)):
        of_hits = np.take_along_axis(ranks[some], hits[some], axis=1)
        places = np.sort(np.argpartition(of_hits, most - n_aligned, axis=1)[:, most - n_aligned :])
        found = np.empty(places.shape, dtype=np.int32)
        queries = items[some]
        _alignment.scores_of_hits(
            queries.values,
            queries.offsets,
            targets,
            offsets,
            np.take_along_axis(hits[some], places, axis=1),
            GAP_OPEN,
            GAP_EXTEND,
            found,
            n_threads,
        )
        scores[some[:, None], places] = found
    return hits, scores, np.quantile(along, QUANTILE, axis=1)
