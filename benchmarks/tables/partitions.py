"""Random halves, as ``sfmcore.evaluation.halves.evaluate`` draws them, or parts that are given."""

from dataclasses import replace

import numpy as np

from benchmarks.tables.dataset import Dataset, Half
from sfmcore.evaluation.halves import half_split


def half(dataset: Dataset, partition: int, seed: int) -> Half:
    """Halve each class, and draw a seed for whatever learns from the first half.

    A set with given parts has as many partitions; one part serves any number, which differ by the
    seed alone. The
    one-versus-rest problems of a data set share the halves. A partition does not depend on how many
    there are. The seed is what `evaluate` sets as the classifier's ``random_state``.

    Parameters
    ----------
    dataset : Dataset
    partition : int
    seed : int
    """
    random = np.random.default_rng([seed, partition])
    if not dataset.parts:
        train, test = half_split(dataset.y, None, random)
        return Half(dataset, train, test, int(random.integers(2**31)))
    part = dataset.parts[partition % len(dataset.parts)]
    own = dataset if part.y is None else replace(dataset, y=part.y)
    return Half(own, part.train, part.test, int(random.integers(2**31)), part.name)
