"""UCI sets of three classes or more, of which one is left out of training in turn."""

from collections.abc import Iterator

import numpy as np

from benchmarks.strangers.case import Case
from benchmarks.tables.vectors.datasets import load
from sfmcore import SFMClassifier
from sfmcore.evaluation.halves import half_split

SETS = ("tissue", "wine", "libras", "steel")


def cases(n_halves: int, seed: int) -> Iterator[Case]:
    """Random halves of every set without each of its classes, which is the strangers."""
    for name in SETS:
        data = load(name)
        for left_out in np.unique(data.y):
            known = data.y != left_out
            own, labels = data.X[known], data.y[known]
            for half in range(seed, seed + n_halves):
                random = np.random.default_rng([half])
                train, test = half_split(labels, None, random)
                yield Case(
                    f"{name} without {left_out}, half {half}",
                    SFMClassifier(random_state=half, n_jobs=1),
                    own[train],
                    labels[train],
                    own[test],
                    {
                        "class left out": data.X[~known],
                        "columns shuffled": random.permuted(own[test], axis=0),
                    },
                )
