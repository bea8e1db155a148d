"""Superfamilies of SCOP 1.53 learnt; every fourth one asked."""

from collections.abc import Iterator

import numpy as np

from benchmarks.strangers.case import Case
from benchmarks.strangers.proteins import read
from sfmbio import ProteinClassifier
from sfmcore.evaluation.halves import half_split

_FEWEST = 12
_EVERY = 4


def cases(n_halves: int, seed: int) -> Iterator[Case]:
    """Random halves of the superfamilies with 12 distinct domains or more, but every fourth."""
    sequences, places = read()
    distinct = dict(zip(sequences, places, strict=True))
    sequences = list(distinct)
    names = np.array([place.superfamily for place in distinct.values()])
    found, counts = np.unique(names, return_counts=True)
    chosen = found[counts >= _FEWEST]
    left_out = chosen[_EVERY - 1 :: _EVERY]
    learnt = np.flatnonzero(np.isin(names, np.setdiff1d(chosen, left_out)))
    strangers = [sequences[place] for place in np.flatnonzero(np.isin(names, left_out))]
    for half in range(seed, seed + n_halves):
        random = np.random.default_rng([half])
        train, test = (learnt[part] for part in half_split(names[learnt], None, random))
        yield Case(
            f"superfamilies, half {half}",
            ProteinClassifier(random_state=half, n_jobs=1),
            [sequences[place] for place in train],
            names[train],
            [sequences[place] for place in test],
            {f"{len(left_out)} other superfamilies": strangers},
        )
