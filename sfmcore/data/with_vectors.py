"""Items of a generative model with vectors beside them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfmcore.data.arrays import Float32Array


@dataclass(frozen=True)
class WithVectors:
    """A batch of items, each with a vector that the classifier sees beside phi(x, h).

    The vector is a function of the input alone, such as where in an image its words stand. It
    has no part in the generative models. Its length, against 1 for the row of phi, says how much
    it counts; zero leaves it out.

    Attributes
    ----------
    items : batch of items
    vectors : ndarray of shape (n_items, n_vectors), float32

    Examples
    --------
    >>> batch = WithVectors(np.arange(3), np.eye(3, dtype=np.float32))
    >>> len(batch[[2, 0]]), batch[[2, 0]].items.tolist()
    (2, [2, 0])
    """

    items: Any
    vectors: Float32Array

    def __post_init__(self) -> None:
        """Refuse another number of vectors."""
        if self.vectors.ndim != 2 or len(self.vectors) != len(self.items):
            raise ValueError(
                f"{len(self.items)} items need as many vectors, got shape {self.vectors.shape}"
            )

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: Any) -> "WithVectors":
        return WithVectors(self.items[index], self.vectors[index])


def items_of(data: Any) -> Any:
    """What the generative models see of a batch."""
    return data.items if isinstance(data, WithVectors) else data


def vectors_of(data: Any) -> Float32Array:
    """Float32Array beside the items, of no columns where there are none."""
    if isinstance(data, WithVectors):
        return data.vectors
    return np.empty((len(data), 0), dtype=np.float32)
