"""Scores of residues at the positions of sequences, from their relatives among each other."""

import numpy as np
import numpy.typing as npt
from scipy import optimize

from sfmbio.alignments.blosum62 import BLOSUM62
from sfmbio.alignments.gaps import GAP_EXTEND, GAP_OPEN
from sfmbio.kernels import _alignment
from sfmbio.sequences.alphabet import N_SYMBOLS
from sfmcore.data.arrays import Float64Array
from sfmcore.data.ragged import Ragged
from sfmcore.data.similarities import Similarities
from sfmcore.parallel.tasks import run_tasks

Int8Array = npt.NDArray[np.int8]

MOST_MEMBERS = 100
"""Relatives of a sequence that its profile is made of, at most, the nearest first."""
# PSI-BLAST's: pseudocounts weigh as much as 10 kinds of residues, and a sequence that is nearly the
# target's own says nothing new.
_BETA = 10.0
_NEAR = 0.94
_WINDOW = 31
_LIMIT = 30
# Bytes of alignments at a time: some seconds.
_MOST_BYTES = 1 << 23
# Shares of the residues in proteins, in the order of the alphabet: A. B. Robinson, L. R. Robinson,
# "Distribution of glutamine and asparagine residues and their near neighbors in peptides and
# proteins", PNAS 88 (1991) 8880-8884.
BACKGROUND = np.array(
    [
        0.07805, 0.01925, 0.05364, 0.06295, 0.03856, 0.07377, 0.02199, 0.05142, 0.05744, 0.09019,
        0.02243, 0.04487, 0.05203, 0.04264, 0.05129, 0.07120, 0.05841, 0.06441, 0.01330, 0.03216,
    ]
)  # fmt: skip


def position_scores(items: Ragged, related: Similarities, *, n_threads: int) -> Int8Array:
    """A position-specific scoring matrix of every sequence.

    Position-based weights of the relatives (Henikoff and Henikoff 1994) and the pseudocounts of
    PSI-BLAST (Altschul et al. 1997). A sequence without a relative keeps BLOSUM62's scores.

    Parameters
    ----------
    items : Ragged
    related : Similarities
        Of every sequence with those of them that its profile is made of.
    n_threads : int
        The result does not depend on it.

    Returns
    -------
    ndarray of shape (n_positions, N_SYMBOLS), int8

    References
    ----------
    S. Henikoff, J. G. Henikoff, "Position-based sequence weights", J. Mol. Biol. 243 (1994)
    574-578. S. F. Altschul et al., "Gapped BLAST and PSI-BLAST", Nucleic Acids Res. 25 (1997)
    3389-3402.

    Examples
    --------
    >>> items = Ragged.from_items([[0, 1, 2], [0, 1, 3]])
    >>> none = Similarities.of(np.zeros((2, 2), dtype=np.float32))
    >>> bool((position_scores(items, none, n_threads=1) == BLOSUM62[items.values]).all())
    True
    """
    members, starts = _members(related)
    costs = np.cumsum(np.diff(starts) * items.lengths)
    parts: list[tuple[int, int]] = []
    while (first := parts[-1][1] if parts else 0) < len(items):
        done = costs[first - 1] if first else 0
        last = int(np.searchsorted(costs, done + _MOST_BYTES, side="right"))
        parts.append((first, max(first + 1, last)))
    shared = {"items": items, "members": members, "starts": starts}
    named = {f"profiles {number}": part for number, part in enumerate(parts)}
    made = run_tasks(
        _scores, named, shared, n_threads, noun="blocks of profiles", show_progress=None
    )
    return np.concatenate([np.empty((0, N_SYMBOLS), dtype=np.int8), *made])


def _scores(
    part: tuple[int, int],
    n_threads: int,
    *,
    items: Ragged,
    members: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
) -> Int8Array:
    """Scores at the positions of some consecutive sequences."""
    first, last = part
    targets = items[first:last]
    plain = BLOSUM62[targets.values]
    if starts[first] == starts[last]:
        return plain
    pairs = members[starts[first] : starts[last]]
    hits = np.repeat(np.arange(len(targets)), np.diff(starts[first : last + 1]))
    offsets = np.concatenate([[0], np.cumsum(targets.lengths[hits])]).astype(np.int64)
    aligned = np.empty(offsets[-1], dtype=np.uint8)
    _alignment.align(
        items.values,
        items.offsets,
        plain,
        targets.offsets,
        pairs,
        hits,
        GAP_OPEN,
        GAP_EXTEND,
        aligned,
        offsets,
        np.empty(len(pairs), dtype=np.int32),
        n_threads,
    )
    scale, conditional = _scale_and_conditional()
    made = np.empty_like(plain)
    _alignment.profile(
        targets.values,
        targets.offsets,
        aligned,
        offsets,
        starts[first : last + 1] - starts[first],
        plain,
        conditional,
        BACKGROUND / BACKGROUND.sum(),
        scale,
        _BETA,
        _NEAR,
        _WINDOW,
        _LIMIT,
        made,
        n_threads,
    )
    return made


def _members(related: Similarities) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The nearest relatives of every sequence, and where those of each begin."""
    items = related.items
    order = np.lexsort((-related.values, items))
    rank = np.arange(len(items)) - related.offsets[items]
    kept = order[rank < MOST_MEMBERS]
    counts = np.bincount(items[kept], minlength=len(related))
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return related.references[kept].astype(np.int64), starts


def _scale_and_conditional() -> tuple[float, Float64Array]:
    """BLOSUM62's lambda for the background, and the residues expected to replace each."""
    shares = BACKGROUND / BACKGROUND.sum()
    scores = BLOSUM62[: len(shares), : len(shares)].astype(np.float64)
    pairs = np.outer(shares, shares)

    def excess(scale: float) -> float:
        return float(np.sum(pairs * np.exp(scale * scores))) - 1.0

    scale = float(optimize.brentq(excess, 0.1, 0.6))
    joint = pairs * np.exp(scale * scores)
    return scale, np.ascontiguousarray(joint / joint.sum(1, keepdims=True))
