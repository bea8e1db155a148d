"""Items of a generative model with extra vectors."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sfmcore.data.arrays import Float32Array
from sfmcore.data.similarities import Similarities


@dataclass(frozen=True)
class WithVectors:
    """A batch of items, each with a vector that the classifier sees in addition to phi(x, h).

    The vector is a function of the input alone, such as where in an image its words stand. It
    has no part in the generative models. Its length, against 1 for the row of phi, says how much
    it counts; zero leaves it out.

    Attributes
    ----------
    items : batch of items
    vectors : ndarray of shape (n_items, n_vectors), float32
    similarities : Similarities, optional
        To references, for the kernel and the votes.
    plain : ndarray of shape (n_items, n_columns), float32, optional
        Rows in which nothing is learnt, by which typicality compares items; no classifier sees
        them.

    Examples
    --------
    >>> batch = WithVectors(np.arange(3), np.eye(3, dtype=np.float32))
    >>> len(batch[[2, 0]]), batch[[2, 0]].items.tolist()
    (2, [2, 0])
    """

    items: Any
    vectors: Float32Array
    similarities: Similarities | None = None
    plain: Float32Array | None = None

    def __post_init__(self) -> None:
        """Refuse another number of vectors."""
        if self.vectors.ndim != 2 or len(self.vectors) != len(self.items):
            raise ValueError(
                f"{len(self.items)} items need as many vectors, got shape {self.vectors.shape}"
            )
        if self.similarities is not None and len(self.similarities) != len(self.items):
            raise ValueError(
                f"{len(self.items)} items need as many rows of similarities, "
                f"got {len(self.similarities)}"
            )
        if self.plain is not None and len(self.plain) != len(self.items):
            raise ValueError(
                f"{len(self.items)} items need as many plain rows, got {len(self.plain)}"
            )

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: Any) -> "WithVectors":
        similar = None if self.similarities is None else self.similarities[index]
        plain = None if self.plain is None else self.plain[index]
        return WithVectors(self.items[index], self.vectors[index], similar, plain)


def items_of(data: Any) -> Any:
    """The part of a batch that the generative models see."""
    return data.items if isinstance(data, WithVectors) else data


def vectors_of(data: Any) -> Float32Array:
    """Float32Array of the extra vectors, without columns if there are none."""
    if isinstance(data, WithVectors):
        return data.vectors
    return np.empty((len(data), 0), dtype=np.float32)


def similarities_of(data: Any) -> Similarities | None:
    """Similarities of the items; None if there are none."""
    return data.similarities if isinstance(data, WithVectors) else None


def plain_of(data: Any) -> Float32Array | None:
    """Plain rows of the items; None if there are none."""
    return data.plain if isinstance(data, WithVectors) else None


def without_similarities(data: Any) -> Any:
    """The items with their vectors alone."""
    return replace(data, similarities=None) if isinstance(data, WithVectors) else data
