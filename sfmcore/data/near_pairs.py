"""Pairs of items that are nearly the same."""

from dataclasses import dataclass, field

import numpy as np

from sfmcore.data.arrays import Float64Array, Int64Array


@dataclass(frozen=True)
class NearPairs:
    """Pairs of items, each once.

    Attributes
    ----------
    first, second : ndarray of shape (n_pairs,), int64
        Places of both items.
    similarity : ndarray of shape (n_pairs,)
        From 0 to 1, what is the same.

    Examples
    --------
    >>> len(NearPairs())
    0
    """

    first: Int64Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    second: Int64Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    similarity: Float64Array = field(default_factory=lambda: np.empty(0))

    def __len__(self) -> int:
        return len(self.first)

    def both_ways(self) -> tuple[Int64Array, Int64Array, Float64Array]:
        """Every pair twice, in either order."""
        return (
            np.concatenate([self.first, self.second]),
            np.concatenate([self.second, self.first]),
            np.tile(self.similarity, 2),
        )
