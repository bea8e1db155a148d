"""The reference that a sequence is nearest to, and how near it is."""

from dataclasses import dataclass

import numpy as np

from sfmbio.alignments.blosum62 import BLOSUM62
from sfmbio.alignments.gaps import GAP_EXTEND, GAP_OPEN, LAMBDA
from sfmbio.alignments.identity import align_pairs
from sfmbio.alignments.passes import HALF_ROW
from sfmbio.alignments.references import References
from sfmbio.alignments.significance import e_values
from sfmbio.kernels import _alignment
from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.data.ragged import Ragged
from sfmcore.data.similarities import Similarities

N_CANDIDATES = 64
"""References that a sequence is aligned with once more, at most."""
LARGEST_E_VALUE = 10.0
"""Beyond it nothing is said to be near, as in BLAST."""
# A reference whose score is behind the highest by more than that is no candidate: of 1,794 enzymes
# none had its nearest one there.
_BEHIND, _SHARE_BEHIND = 60.0, 2.0 / 3.0
# As many alignments take no longer than half a row of scores.
_FEW = 5


@dataclass(frozen=True)
class NearestReferences:
    """The nearest reference of every item.

    Attributes
    ----------
    references : ndarray of shape (n_items,), int64
        Its number; -1 where there is none.
    scores : ndarray of shape (n_items,), int64
        Of the best local alignment with it; 0 where there is none.
    identity : ndarray of shape (n_items,)
        Identical columns over all columns of that alignment, from 0 to 1; NaN where there is none.
    e_values : ndarray of shape (n_items,)
        Alignments of at least this score that chance would give in all references together; NaN
        where there is none.
    """

    references: Int64Array
    scores: Int64Array
    identity: Float64Array
    e_values: Float64Array

    @classmethod
    def none(cls, n_items: int) -> "NearestReferences":
        """Result for items without anything near.

        Parameters
        ----------
        n_items : int
        """
        nan = np.full(n_items, np.nan)
        numbers = np.full(n_items, -1, dtype=np.int64)
        return cls(numbers, np.zeros(n_items, dtype=np.int64), nan, nan.copy())


def nearest_references(
    references: References, items: Ragged, similarities: Similarities, *, n_threads: int = 1
) -> NearestReferences:
    """Find the nearest reference of every item by the similarities that are known of it.

    The 64 references that scored highest when the similarities were made are aligned once more, as
    plain sequences, and the highest score decides; of equal scores the larger identity. What is far
    behind the highest of the similarities is no candidate, nor what is no more similar than
    unrelated sequences are, and what has an E-value above 10 is not near. So the score and all that
    follows from it are exact; that no other reference scores higher is likely, and certain only
    where nothing was left out: the similarities are of profiles, which may see 64 remote relatives
    before a nearer one.

    Parameters
    ----------
    references : References
    items : Ragged
    similarities : Similarities
        Of the items to the references.
    n_threads : int, default=1
        The result does not depend on it.

    Returns
    -------
    NearestReferences

    Examples
    --------
    >>> from sfmbio.sequences.encoding import encode_batch
    >>> texts = ["MKWVTFISLLFLFSSAYSRGVF", "PEDNKHYCQWTRAGLPEDNKHY", "GGSGGSGGAGGSAGGSGGASGG"]
    >>> references = References.of(encode_batch(texts), most_residues=100, weight=1.0, seed=0)
    >>> items = encode_batch([texts[1][3:] + "AA"])
    >>> found = nearest_references(references, items, references.similarities(items))
    >>> references.items[found.references[0]].tobytes() == encode_batch(texts)[1].tobytes()
    True
    >>> found.identity.tolist(), found.scores.tolist()
    ([1.0], [119])
    """
    return several_nearest(references, items, similarities, 1, n_threads=n_threads)[0]


def several_nearest(
    references: References,
    items: Ragged,
    similarities: Similarities,
    n_nearest: int,
    *,
    n_threads: int = 1,
) -> list[NearestReferences]:
    """Find the nearest reference of every item, the second nearest, and so on.

    Parameters
    ----------
    references, items, similarities, n_threads
        As of :func:`nearest_references`.
    n_nearest : int
        How many, at least 1.

    Returns
    -------
    list of NearestReferences
        As many, the nearest first.
    """
    which, hits = _candidates(references, similarities, n_nearest)
    which, hits = _highest(references, items, which, hits, n_nearest, n_threads)
    aligned = align_pairs(items, references.items, which, hits, n_threads=n_threads)
    values = e_values(aligned.scores, items.lengths[which], len(references.items.values))
    order = np.lexsort((hits, -aligned.identity, -aligned.scores, which))
    order = order[values[order] <= LARGEST_E_VALUE]
    begins = np.flatnonzero(np.diff(which[order], prepend=-1))
    rank = np.arange(len(order)) - np.repeat(begins, np.diff(np.append(begins, len(order))))
    every = []
    for place in range(n_nearest):
        found, some = NearestReferences.none(len(items)), order[rank == place]
        places = which[some]
        found.references[places] = hits[some]
        found.scores[places] = aligned.scores[some]
        found.identity[places] = aligned.identity[some]
        found.e_values[places] = values[some]
        every.append(found)
    return every


def _candidates(
    references: References, similarities: Similarities, n_nearest: int
) -> tuple[Int64Array, Int64Array]:
    """Pairs of items and the references that may be among so many nearest ones."""
    # A similarity is a score less what lengths and the reference give, and what the item gives,
    # which is one number for all references.
    taken_off = references.levels + np.log(references.items.lengths) / LAMBDA
    numbers, items = similarities.references.astype(np.int64), similarities.items
    scores = similarities.values + taken_off[numbers]
    order = np.lexsort((numbers, -scores, items))
    some = np.flatnonzero(np.diff(similarities.offsets))
    starts, ends = similarities.offsets[some], similarities.offsets[some + 1]
    last = order[np.minimum(starts + n_nearest, ends) - 1]
    most = np.maximum(_BEHIND, _SHARE_BEHIND * similarities.values[last])
    near = scores[order] >= np.repeat(scores[last] - most, ends - starts)
    rank = np.arange(len(items)) - similarities.offsets[items]
    kept = order[near & (rank < N_CANDIDATES)]
    return items[kept], numbers[kept]


def _highest(
    references: References,
    items: Ragged,
    which: Int64Array,
    hits: Int64Array,
    n_nearest: int,
    n_threads: int,
) -> tuple[Int64Array, Int64Array]:
    """Those of the pairs that are among so many highest for their item; ties and few are kept."""
    starts = np.flatnonzero(np.diff(which, prepend=-1))
    counts = np.diff(np.append(starts, len(which)))
    ends = starts + counts
    scores = np.ones(len(hits), dtype=np.int32)
    # Half a row of lanes takes as long with one target as with all that it has room for: of few
    # there is no choice to make, each is aligned for good.
    halves = np.where(counts > max(n_nearest, _FEW), -(-counts // HALF_ROW), 0)
    for n_halves in np.unique(halves[halves > 0]):
        some = np.flatnonzero(halves == n_halves)
        # A row for each item; of those with fewer the first stands in for what is missing.
        places = starts[some, None] + np.arange(counts[some].max())
        asked = places < ends[some, None]
        own, near = np.unique(
            hits[np.where(asked, places, starts[some, None])], return_inverse=True
        )
        targets, queries = references.items[own], items[which[starts[some]]]
        found = np.empty(places.shape, dtype=np.int32)
        _alignment.scores_of_hits(
            queries.values,
            queries.offsets,
            BLOSUM62[targets.values],
            targets.offsets,
            near.astype(np.int64).reshape(places.shape),
            GAP_OPEN,
            GAP_EXTEND,
            found,
            n_threads,
        )
        scores[places[asked]] = found[asked]
    by_score = np.lexsort((-scores, which))
    # Pairs come item by item, so those of an item keep their places.
    last = np.minimum(starts + n_nearest, ends) - 1
    least = scores[by_score][last] if len(starts) else scores
    kept = (scores >= np.repeat(least, ends - starts)) & (scores > 0)
    return which[kept], hits[kept]
