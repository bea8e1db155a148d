"""Local alignments against pyopal, on families of proteins that are made up.

Scores of all queries with all targets, and alignments with their way back of many targets with one
query, and of two with each of many. Both take BLOSUM62, 12 for a gap's first residue and 1 for each
further one, and one thread. In every family some scores pass 8 bits, which costs either of them a
second pass.

    python -m benchmarks.speed.alignment [--json FILE]
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.speed.case import Case, Prepared, agree, needed
from benchmarks.speed.running import main
from sfmbio.alignments.blosum62 import BLOSUM62
from sfmbio.kernels import _alignment
from sfmbio.sequences.alphabet import RESIDUES
from sfmcore.data.ragged import Ragged

GAPS = (12, 1)
_PER_FAMILY = 20
_KEPT = 0.6


@dataclass(frozen=True)
class Size:
    """Numbers of sequences, and the mean length of a family."""

    n_queries: int
    n_targets: int
    length: int = 300

    def __str__(self) -> str:
        """For names."""
        return f"{self.n_queries} with {self.n_targets}"


SIZES = (Size(20, 2000), Size(400, 10))
PAIRS = (Size(1, 400), Size(200, 2))


def make_families(n_items: int, length: int, seed: int) -> Ragged:
    """Sequences of which every 20 keep three in five residues of one ancestor."""
    random = np.random.default_rng(seed)
    items: list[np.ndarray] = []
    while len(items) < n_items:
        ancestor = random.integers(0, len(RESIDUES), 2 + int(random.gamma(4.0, length / 4.0)))
        for _ in range(min(_PER_FAMILY, n_items - len(items))):
            kept = random.random(len(ancestor)) < _KEPT
            item = np.where(kept, ancestor, random.integers(0, len(RESIDUES), len(ancestor)))
            cut = int(random.integers(0, len(item) // 4 + 1))
            items.append(np.delete(item, slice(cut, cut + int(random.integers(0, 5)))))
    return Ragged.from_items([items[k] for k in random.permutation(n_items)])


def make_batches(size: Size) -> tuple[Ragged, Ragged]:
    """Queries and targets of the same families."""
    made = make_families(size.n_queries + size.n_targets, size.length, 0)
    items = [made[k] for k in range(len(made))]
    return Ragged.from_items(items[: size.n_queries]), Ragged.from_items(items[size.n_queries :])


def as_texts(batch: Ragged) -> list[str]:
    """Sequences in letters."""
    letters = np.frombuffer(RESIDUES.encode(), dtype=np.uint8)
    return [letters[batch[k]].tobytes().decode() for k in range(len(batch))]


class Peer:
    """pyopal with its database of the targets."""

    def __init__(self, queries: Ragged, targets: Ragged) -> None:
        pyopal = needed("pyopal")
        matrix = needed("scoring_matrices", "scoring-matrices").ScoringMatrix.from_name("BLOSUM62")
        self.name = f"pyopal {pyopal.__version__}"
        self._aligner = pyopal.Aligner(gap_open=GAPS[0], gap_extend=GAPS[1], scoring_matrix=matrix)
        self._database = pyopal.Database(as_texts(targets))
        self._queries = as_texts(queries)

    def align(self, mode: str) -> list[Any]:
        """Results of all queries, one after another."""
        return [
            found
            for query in self._queries
            for found in self._aligner.align(query, self._database, mode=mode)
        ]


def cells(queries: Ragged, targets: Ragged) -> int:
    """Number of pairs of a symbol and a position."""
    return len(queries.values) * len(targets.values)


def scoring(size: Size) -> Prepared:
    """Scores of all queries with all targets."""
    queries, targets = make_batches(size)
    peer = Peer(queries, targets)
    positions = np.ascontiguousarray(BLOSUM62[targets.values])
    out = np.empty((len(queries), len(targets)), dtype=np.int32)

    def ours() -> None:
        _alignment.scores(
            queries.values, queries.offsets, positions, targets.offsets, *GAPS, out, 1
        )

    def check() -> None:
        ours()
        agree("scores", out.ravel(), [found.score for found in peer.align("score")])

    return Prepared(
        ours,
        "s for all pairs",
        lambda: peer.align("score"),
        peer.name,
        check,
        details={"n_cells": cells(queries, targets)},
    )


def aligning(size: Size) -> Prepared:
    """Alignments of all queries with all targets."""
    queries, targets = make_batches(size)
    peer = Peer(queries, targets)
    positions = np.ascontiguousarray(BLOSUM62[targets.values])
    n_pairs = len(queries) * len(targets)
    query, hit = (k.ravel() for k in np.indices((len(queries), len(targets)), dtype=np.int64))
    ends = np.concatenate([[0], np.cumsum(np.diff(targets.offsets)[hit])])
    out, tops = np.empty(ends[-1], dtype=np.uint8), np.empty(n_pairs, dtype=np.int32)

    def ours() -> None:
        _alignment.align(
            queries.values, queries.offsets, positions, targets.offsets, query, hit, *GAPS,
            out, ends, tops, 1,
        )  # fmt: skip

    def check() -> None:
        ours()
        agree("scores", tops, [found.score for found in peer.align("full")])

    return Prepared(
        ours,
        "s for all pairs",
        lambda: peer.align("full"),
        peer.name,
        check,
        details={"n_cells": cells(queries, targets)},
    )


def cases(sizes: tuple[Size, ...] = SIZES, pairs: tuple[Size, ...] = PAIRS) -> list[Case]:
    """All cases."""
    return [
        Case(f"alignment, {what} of {size}", partial(prepare, size), "pyopal")
        for what, prepare, some in (("scores", scoring, sizes), ("way back", aligning, pairs))
        for size in some
    ]


if __name__ == "__main__":
    main(cases(), __doc__)
