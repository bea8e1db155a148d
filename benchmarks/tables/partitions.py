"""Random halves, as ``sfmcore.evaluation.halves.evaluate`` draws them, or published parts."""

import numpy as np

from benchmarks.tables.dataset import Dataset, Half
from sfmcore.evaluation.halves import half_split


def half(dataset: Dataset, partition: int, seed: int) -> Half:
    """Halve each class, and draw a seed for whatever learns from the first half.

    A set with a published split keeps it, and its partitions differ by the seed alone. The
    one-versus-rest problems of a data set share the halves. A partition does not depend on how many
    there are. The seed is what `evaluate` sets as the classifier's ``random_state``.

    Parameters
    ----------
    dataset : Dataset
    partition : int
    seed : int
    """
    random = np.random.default_rng([seed, partition])
    train, test = dataset.split or half_split(dataset.y, None, random)
    return Half(dataset, train, test, int(random.integers(2**31)))
