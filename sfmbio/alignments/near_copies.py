"""Sequences that are nearly the same over nearly all of their length."""

import numpy as np

from sfmbio.alignments.identity import align_pairs
from sfmbio.alignments.significant import distinct_by_length, n_blocks, significant_pairs
from sfmcore.data.near_pairs import NearPairs
from sfmcore.data.ragged import Ragged
from sfmcore.parallel.progress import steps

IDENTITY = 0.95
"""Share of identical columns of the alignment, at least; columns with a gap are not identical."""
COVERAGE = 0.9
"""Share of the longer sequence that the alignment spans, at least."""

# As much of the longer sequence is identical to something of the shorter one, which can't be
# shorter than that; a little less, for how products are rounded.
_LEAST_LENGTH = IDENTITY * COVERAGE - 1e-9


def near_copies(items: Ragged, *, n_threads: int = 1, show_progress: bool = False) -> NearPairs:
    """Find pairs of sequences whose best local alignment is nearly the whole of both.

    A pair is named if the alignment (Smith and Waterman, BLOSUM62) has at least `IDENTITY` of
    identical columns, spans at least `COVERAGE` of the longer sequence, and has an E-value of at
    most 0.001 (:data:`sfmbio.alignments.significant.E_VALUE`), which sequences of up to some ten
    residues never reach.

    Parameters
    ----------
    items : Ragged
        In the codes of :mod:`sfmbio.sequences.alphabet`.
    n_threads : int, default=1
        The result does not depend on it.
    show_progress : bool, default=False
        Say how far it is: a bar on a terminal, and elsewhere a line a minute.

    Returns
    -------
    NearPairs
        Of different sequences alone. Of equal ones the first item stands for all; the similarity
        is the share of identical columns.

    Examples
    --------
    >>> from sfmbio.sequences.encoding import encode_batch
    >>> first = "MKWVTFISLLFLFSSAYSRGVFRRDAHKSEVAHRFKDLGE"
    >>> found = near_copies(encode_batch([first, first[::-1], first.replace("S", "T", 1)]))
    >>> found.first.tolist(), found.second.tolist(), found.similarity.tolist()
    ([0], [2], [0.975])
    """
    distinct, own = distinct_by_length(items)
    _, place = np.unique(own, return_index=True)
    lengths = distinct.lengths
    blocks = significant_pairs(distinct, least_length=_LEAST_LENGTH, n_threads=n_threads)
    parts = [NearPairs()]
    with steps("parts of the comparison", n_blocks(len(distinct)), show=show_progress) as step:
        for block in blocks:
            for which, hits in block:
                found = align_pairs(distinct, distinct, which, hits, n_threads=n_threads)
                near = found.identity >= IDENTITY
                near &= found.target_spans >= COVERAGE * lengths[hits]
                pairs = np.sort(place[np.column_stack([which[near], hits[near]])], axis=1)
                parts.append(NearPairs(pairs[:, 0], pairs[:, 1], found.identity[near]))
            step()
    first, second, similarity = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("first", "second", "similarity")
    )
    order = np.lexsort((second, first))
    return NearPairs(first[order], second[order], similarity[order])
