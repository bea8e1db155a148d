"""Evidence of relatives, given to the residues that are aligned with them."""

import numpy as np

from sfmbio.alignments.blosum62 import BLOSUM62
from sfmbio.alignments.gaps import GAP_EXTEND, GAP_OPEN
from sfmbio.alignments.references import NOISE, OWN, References
from sfmbio.kernels import _alignment
from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.data.ragged import Ragged
from sfmcore.data.similarities import Similarities

N_ALIGNED = 8
"""References of a sequence whose alignments are looked at: those that say most."""


def add_relatives(
    references: References,
    items: Ragged,
    similarities: Similarities,
    evidence: Float64Array,
    out: Float64Array,
    n_threads: int,
) -> Float64Array:
    """Add the evidence of references to the residues that their best alignments pair.

    Residues have it in proportion to their scores there, as far as these are above 0. A reference
    is aligned as it was when the similarity was made: as a profile, or what is near as a sequence.

    Parameters
    ----------
    references : References
    items : Ragged
    similarities : Similarities
    evidence : ndarray of shape (n_entries,)
        What each similarity adds.
    out : ndarray of shape (n_residues,)
        Added to.
    n_threads : int
        The result does not depend on it.

    Returns
    -------
    ndarray of shape (n_items,)
        Evidence of the references beyond the :data:`N_ALIGNED` that say most, and of those whose
        alignment pairs nothing.
    """
    owners = similarities.items
    left: Float64Array = np.bincount(owners, evidence, minlength=len(items)).astype(np.float64)
    order = np.lexsort((-np.abs(evidence), owners))
    rank = np.arange(len(order)) - similarities.offsets[owners[order]]
    kept = order[(rank < N_ALIGNED) & (evidence[order] != 0)]
    own = similarities.values[kept] + NOISE > OWN
    for plain in (False, True):
        some = kept[own == plain]
        if len(some) == 0:
            continue
        which, hits = owners[some], similarities.references[some].astype(np.int64)
        places, scores, offsets = _paired(references, items, which, hits, plain, n_threads)
        pairs = np.repeat(np.arange(len(some)), np.diff(offsets))
        sums = np.bincount(pairs, scores, minlength=len(some))
        speaks = sums > 0
        left -= np.bincount(which[speaks], evidence[some[speaks]], minlength=len(items))
        each = np.where(speaks, evidence[some] / np.where(speaks, sums, 1.0), 0.0)
        out += np.bincount(places, scores * each[pairs], minlength=len(out))
    return left


def _paired(
    references: References,
    items: Ragged,
    which: Int64Array,
    hits: Int64Array,
    plain: bool,
    n_threads: int,
) -> tuple[Int64Array, Float64Array, Int64Array]:
    """Residues that each pair's alignment pairs, their scores, and where each pair's begin."""
    used, numbers = np.unique(hits, return_inverse=True)
    targets = references.items[used]
    if plain:
        scores = BLOSUM62[targets.values]
    else:
        starts = np.repeat(references.items.offsets[used] - targets.offsets[:-1], targets.lengths)
        scores = references.profiles[starts + np.arange(len(targets.values))]
    offsets = np.concatenate([[0], np.cumsum(targets.lengths[numbers])]).astype(np.int64)
    symbols = np.empty(offsets[-1], dtype=np.uint8)
    places = np.full(offsets[-1], -1, dtype=np.int64)
    _alignment.align(
        items.values,
        items.offsets,
        np.ascontiguousarray(scores),
        targets.offsets,
        which.astype(np.int64),
        numbers.astype(np.int64),
        GAP_OPEN,
        GAP_EXTEND,
        symbols,
        offsets,
        np.empty(len(hits), dtype=np.int32),
        n_threads,
        None,
        places,
    )
    pairs = np.repeat(np.arange(len(hits)), np.diff(offsets))
    paired = np.flatnonzero(places >= 0)
    positions = targets.offsets[numbers[pairs[paired]]] + paired - offsets[pairs[paired]]
    found = np.maximum(scores[positions, symbols[paired]].astype(np.float64), 0.0)
    counts = np.bincount(pairs[paired], minlength=len(hits))
    return (
        items.offsets[which[pairs[paired]]] + places[paired],
        found,
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
    )
