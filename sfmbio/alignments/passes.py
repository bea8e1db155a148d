"""Alignments of many sequences with references, a block of sequences at a time, as tasks."""

import numpy as np
import numpy.typing as npt

from sfmbio.alignments.blosum62 import BLOSUM62
from sfmbio.alignments.gaps import GAP_EXTEND, GAP_OPEN
from sfmbio.kernels import _alignment
from sfmcore.data.arrays import Int64Array
from sfmcore.data.ragged import Ragged
from sfmcore.parallel.tasks import run_tasks

Int8Array = npt.NDArray[np.int8]
Int32Array = npt.NDArray[np.int32]

NOUN = "blocks of alignments"

HALF_ROW = 32
"""Targets of one sequence that are aligned side by side, in the time of the longest."""

# Pairs of residues in a block: most of a second of one thread, so that there is something to share,
# and little is lost of a run that is killed. Each block lays out all targets again, which is then a
# few per cent of its time.
_MOST_CELLS = 1 << 35
# Times as many, where a block is no task of a long run: then targets are laid out more seldom.
_AT_ONCE = 4
# Scores of a block, which are in memory at a time.
_MOST_SCORES = 1 << 22


def blocks(
    lengths: Int64Array,
    target_lengths: Int64Array,
    *,
    among: bool = False,
    at_once: bool = False,
) -> list[tuple[int, int]]:
    """First and last of consecutive sequences that are aligned with targets in one task.

    They follow from the lengths alone: names of tasks must mean the same when a run goes on.

    Parameters
    ----------
    lengths : ndarray of shape (n_items,)
    target_lengths : ndarray of shape (n_targets,)
    among : bool, default=False
        Whether the targets are the sequences themselves, each met by those up to itself only.
    at_once : bool, default=False
        Whether they are no tasks, but parts of one: these are larger.

    Examples
    --------
    >>> blocks(np.array([300, 400]), np.array([500]))
    [(0, 2)]
    """
    ends = np.cumsum(lengths)
    residues = int(target_lengths.sum())
    most = _MOST_CELLS * (_AT_ONCE if at_once else 1)
    made, first = [], 0
    while first < len(lengths):
        done = int(ends[first - 1]) if first else 0
        n_targets = len(target_lengths) - (first if among else 0)
        room = most // max(1, residues - (done if among else 0))
        last = int(np.searchsorted(ends, done + room, side="right"))
        last = min(last, first + _MOST_SCORES // max(1, n_targets), len(lengths))
        last = max(last, first + 1)
        made.append((first, last))
        first = last
    return made


def scores_of(items: Ragged, targets: Int8Array, offsets: Int64Array, n_threads: int) -> Int32Array:
    """Scores of sequences with targets, computed here.

    Parameters
    ----------
    items : Ragged
    targets : ndarray of shape (n_positions, n_symbols), int8
        Score of every symbol at every position.
    offsets : ndarray of shape (n_targets + 1,), int64
    n_threads : int

    Returns
    -------
    ndarray of shape (n_items, n_targets), int32
    """
    out = np.empty((len(items), len(offsets) - 1), dtype=np.int32)
    _alignment.scores(
        items.values, items.offsets, targets, offsets, GAP_OPEN, GAP_EXTEND, out, n_threads
    )
    return out


def scores_by_tasks(
    items: Ragged, targets: Int8Array, offsets: Int64Array, n_threads: int, *, name: str
) -> Int32Array:
    """Result of :func:`scores_of`, computed by tasks.

    Parameters
    ----------
    items, targets, offsets, n_threads
        As there.
    name : str
        The tasks' names begin with it.
    """
    parts = blocks(items.lengths, np.diff(offsets))
    shared = {"items": items, "targets": targets, "offsets": offsets}
    named = {f"{name} {number}": part for number, part in enumerate(parts)}
    found = run_tasks(_scores, named, shared, n_threads, noun=NOUN, show_progress=None)
    return np.concatenate([np.empty((0, len(offsets) - 1), dtype=np.int32), *found])


def _scores(
    part: tuple[int, int],
    n_threads: int,
    *,
    items: Ragged,
    targets: Int8Array,
    offsets: Int64Array,
) -> Int32Array:
    return scores_of(items[slice(*part)], targets, offsets, n_threads)


def scores_among(items: Ragged, n_threads: int, *, name: str) -> Int32Array:
    """Scores of sequences with each other, by tasks.

    BLOSUM62 is symmetric, and what a gap costs is the same in either sequence: each pair is aligned
    once.

    Parameters
    ----------
    items : Ragged
    n_threads : int
        The result does not depend on it.
    name : str
        The tasks' names begin with it.

    Returns
    -------
    ndarray of shape (n_items, n_items), int32

    Examples
    --------
    >>> items = Ragged.from_items([[0, 1, 2], [0, 1], [4]])
    >>> scores_among(items, 1, name="pairs").tolist()
    [[19, 13, 0], [13, 13, 0], [0, 0, 6]]
    """
    parts = blocks(items.lengths, items.lengths, among=True)
    named = {f"{name} {number}": part for number, part in enumerate(parts)}
    found = run_tasks(
        _scores_among, named, {"items": items}, n_threads, noun=NOUN, show_progress=None
    )
    made = np.empty((len(items), len(items)), dtype=np.int32)
    for (first, last), scores in zip(parts, found, strict=True):
        made[first:last, first:] = scores
        made[first:, first:last] = scores.T
    return made


def _scores_among(part: tuple[int, int], n_threads: int, *, items: Ragged) -> Int32Array:
    """Scores of a block of sequences with themselves and all that follow."""
    first, last = part
    others = items[first:]
    return scores_of(items[first:last], BLOSUM62[others.values], others.offsets, n_threads)
