"""Random halves, the very ones that ``sfmcore.evaluation.evaluate`` draws."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sfmcore.evaluation import half_split

Indexes = npt.NDArray[np.int64]


def half(y: npt.ArrayLike, partition: int, seed: int) -> tuple[Indexes, Indexes, int]:
    """Halve each class, and draw a seed for whatever learns from the first half.

    The one-versus-rest problems of a data set share the halves, so `y` are the labels of all
    classes. A partition does not depend on how many there are.

    Parameters
    ----------
    y : array-like of shape (n_items,)
    partition : int
    seed : int

    Returns
    -------
    train, test : ndarray
        Sorted indexes.
    model_seed : int
        What `evaluate` sets as the classifier's ``random_state``.
    """
    random = np.random.default_rng([seed, partition])
    train, test = half_split(y, None, random)
    return train, test, int(random.integers(2**31))


def halves(y: npt.ArrayLike, n_partitions: int, seed: int) -> Iterator[tuple[Indexes, Indexes]]:
    """Yield the train and test indexes of each partition; see `half`."""
    for partition in range(n_partitions):
        yield half(y, partition, seed)[:2]
