"""One binary problem, and which of its items each part of a classifier may learn from."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from sfmcore.data.arrays import BoolArray, Float64Array, UInt64Array
from sfmcore.data.streams import ITERATION
from sfmcore.kernels import _random


@dataclass(frozen=True)
class Split:
    """Items that each part of a pair learns from.

    Attributes
    ----------
    models : ndarray of shape (n_items,), bool
        Items of the generative models, the conditioning and the kernel.
    classifier : ndarray of shape (n_items,), bool
        Items of u.
    apart : bool
        Whether no labelled item is in both. u_0 is then learnt on the items of the models, and a
        certificate can be computed on those of u.
    """

    models: BoolArray
    classifier: BoolArray
    apart: bool = False

    @classmethod
    def shared(cls, n_items: int) -> Self:
        """Everything learns from all items."""
        every = np.ones(n_items, dtype=bool)
        return cls(every, every)

    @classmethod
    def apart_from(cls, models: BoolArray | None, n_items: int) -> Self:
        """The models learn from a mask of labelled items and u from the others; None: all share."""
        return cls.shared(n_items) if models is None else cls(models, ~models, apart=True)


@dataclass(frozen=True)
class Task:
    """Items with their signs: what Algorithm 1 learns one pair from.

    Attributes
    ----------
    items : batch of items
    signs : ndarray of shape (n_items,), int8
        +1, -1, or 0 for an item without label.
    weights : ndarray of shape (n_items,)
        A weight of 2 is an item given twice, 0 an item left out.
    split : Split
    seed : int
    n_threads : int
        No result depends on it.
    """

    items: Any
    signs: npt.NDArray[np.int8]
    weights: Float64Array
    split: Split
    seed: int
    n_threads: int = 1

    @classmethod
    def of(
        cls,
        items: Any,
        signs: npt.NDArray[np.int8],
        *,
        weights: Float64Array | None = None,
        models: BoolArray | None = None,
        seed: int = 0,
        n_threads: int = 1,
    ) -> Self:
        """Task with all weights 1, and items shared by everything, unless told otherwise.

        Parameters
        ----------
        items : batch of items
        signs : ndarray of shape (n_items,), int8
        weights : ndarray of shape (n_items,), optional
        models : ndarray of shape (n_items,), bool, optional
            See :meth:`Split.apart_from`.
        seed : int, default=0
        n_threads : int, default=1

        Examples
        --------
        >>> Task.of(np.zeros((3, 1)), np.int8([1, -1, 0])).sizes(np.ones(3, dtype=bool))
        (2.0, 1.0)
        """
        n_items = len(signs)
        own = np.ones(n_items) if weights is None else weights
        return cls(items, signs, own, Split.apart_from(models, n_items), seed, n_threads)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.signs)

    @property
    def seen(self) -> Float64Array:
        """Weights of the items that the models may learn from, 0 for the others."""
        return self.weights * self.split.models

    def sizes(self, items: BoolArray) -> tuple[float, float]:
        """m_l and m_u: how many of the chosen items have a label and how many have none."""
        labelled = self.signs != 0
        return (
            float(self.weights[items & labelled].sum()),
            float(self.weights[items & ~labelled].sum()),
        )

    def keys(self, iteration: int) -> UInt64Array:
        """Random stream of every item in an iteration of Algorithm 1."""
        items = np.arange(self.n_items, dtype=np.uint64)
        return _random.stream_keys(self.seed, ITERATION + iteration, items)
