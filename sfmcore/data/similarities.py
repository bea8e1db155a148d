"""Similarities of items to a few references: sparse rows for a kernel and for votes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from sfmcore.data.arrays import BoolArray, Float32Array, Int64Array
from sfmcore.data.storable import storable

_LARGEST = 1e9


@storable
@dataclass(frozen=True)
class Similarities:
    """Similarity of every item to every reference, above 0 where there is one.

    Two items are alike in the kernel if they are like the same references (an empirical kernel
    map): what counts there are the directions of the rows, and not their lengths.

    Attributes
    ----------
    values : ndarray of shape (n_entries,), float32
        Above 0.
    references : ndarray of shape (n_entries,), int32
        Which reference each of them is of, rising within an item.
    offsets : ndarray of shape (n_items + 1,), int64
        Where the entries of each item begin and end.
    n_references : int
    weight : float
        Squared length of a row in the kernel, against 1 for the features and vectors of an item.

    Examples
    --------
    >>> found = Similarities.of(np.float32([[0, 2, 0], [0, 0, 0]]))
    >>> len(found), found.references.tolist(), found[[1]].offsets.tolist()
    (2, [1], [0, 0])
    """

    values: Float32Array
    references: np.ndarray
    offsets: Int64Array
    n_references: int
    weight: float = 1.0

    @classmethod
    def of(cls, dense: Float32Array, weight: float = 1.0) -> "Similarities":
        """Those of a matrix that are above 0.

        Parameters
        ----------
        dense : ndarray of shape (n_items, n_references), float32
        weight : float, default=1.0
        """
        rows, columns = np.nonzero(dense > 0)
        offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(dense)))])
        return cls(
            dense[rows, columns].astype(np.float32),
            columns.astype(np.int32),
            offsets.astype(np.int64),
            dense.shape[1],
            weight,
        )

    @classmethod
    def joined(cls, parts: Sequence["Similarities"]) -> "Similarities":
        """Those of batches of items, one after another; at least one batch."""
        counts = np.concatenate([np.diff(part.offsets) for part in parts])
        return cls(
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.references for part in parts]),
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            parts[0].n_references,
            parts[0].weight,
        )

    @classmethod
    def of_arrays(
        cls, arrays: Mapping[str, np.ndarray], n_items: int, n_references: int, weight: float
    ) -> "Similarities":
        """Those of a model file, checked.

        Parameters
        ----------
        arrays : mapping of str to ndarray
            `values`, `references` and `offsets`.
        n_items, n_references : int
        weight : float

        Raises
        ------
        KeyError, ValueError
            If an array is missing, or they are no similarities.
        """
        values, references = arrays["values"], arrays["references"]
        offsets = arrays["offsets"]
        if offsets.shape != (n_items + 1,) or offsets.dtype != np.int64:
            raise ValueError(f"offsets of similarities must be int64 of shape ({n_items + 1},)")
        if offsets[0] != 0 or offsets[-1] != len(values) or np.any(np.diff(offsets) < 0):
            raise ValueError("offsets of similarities must rise from 0 to their number")
        if values.shape != references.shape or values.ndim != 1:
            raise ValueError("every similarity must have a reference")
        if values.dtype != np.float32 or not np.all((values > 0) & (values <= _LARGEST)):
            raise ValueError(f"similarities must be float32 above 0, of at most {_LARGEST:g}")
        if references.dtype != np.int32 or np.any((references < 0) | (references >= n_references)):
            raise ValueError(f"references must be int32 from 0 to {n_references - 1}")
        # Rising within an item: products of rows that name one twice would count it twice.
        falls = np.diff(references) <= 0
        falls[offsets[1:-1][(offsets[1:-1] > 0) & (offsets[1:-1] < len(values))] - 1] = False
        if falls.any():
            raise ValueError("references must rise within an item")
        return cls(values, references, offsets, n_references, weight)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: Any) -> "Similarities":
        places = np.arange(len(self))[index]
        counts = np.diff(self.offsets)[places]
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        entries = np.repeat(self.offsets[places] - offsets[:-1], counts) + np.arange(offsets[-1])
        return Similarities(
            self.values[entries],
            self.references[entries],
            offsets,
            self.n_references,
            self.weight,
        )

    @property
    def items(self) -> Int64Array:
        """The item of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def without(self, own: Int64Array) -> "Similarities":
        """Those to other references than the item's own.

        Parameters
        ----------
        own : ndarray of shape (n_items,), int64
            The reference that each item is; -1 if it is none.
        """
        return self._where(self.references != own[self.items])

    def without_groups(self, own: Int64Array, groups: Int64Array) -> "Similarities":
        """Those to references that are no item of the item's own group.

        Parameters
        ----------
        own : ndarray of shape (n_items,), int64
            The reference that each item is; -1 if it is none.
        groups : ndarray of shape (n_items,), int64
            Group of each item, from 0.

        Examples
        --------
        >>> found = Similarities.of(np.float32([[9, 5, 3], [5, 9, 0]]))
        >>> found.without_groups(np.array([0, 1]), np.array([0, 0])).values.tolist()
        [3.0]
        """
        known = np.flatnonzero(own >= 0)
        n_groups = int(groups.max(initial=0)) + 1
        members = np.unique(own[known] * n_groups + groups[known])
        entries = self.references.astype(np.int64) * n_groups + groups[self.items]
        return self._where(~np.isin(entries, members))

    def _where(self, kept: BoolArray) -> "Similarities":
        """Some of the entries."""
        counts = np.bincount(self.items[kept], minlength=len(self))
        return Similarities(
            self.values[kept],
            self.references[kept],
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            self.n_references,
            self.weight,
        )

    def matrix(self) -> csr_array:
        """The entries as a sparse matrix of shape (n_items, n_references)."""
        shape = len(self), self.n_references
        return csr_array((self.values, self.references, self.offsets), shape=shape)


def unit_rows(similarities: Similarities) -> tuple[csr_array, Float32Array]:
    """Rows of the kernel, of unit length or zero; and how long the features beside them become.

    The similarities enter with the power 1.5: it was the best of 0.5, 1, 1.5 and 2 for remote
    relatives.

    Parameters
    ----------
    similarities : Similarities

    Returns
    -------
    rows : csr_array of shape (n_items, n_references), float32
        Of length sqrt(weight / (1 + weight)), or zero.
    lengths : ndarray of shape (n_items,), float32
        sqrt(1 / (1 + weight)), or 1 beside a row of zeros: both parts have length 1 together.
    """
    rows = similarities.matrix().astype(np.float64)
    rows.data = rows.data**1.5
    squares = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    some = squares > 0
    share = similarities.weight / (1.0 + similarities.weight)
    scales = np.where(some, np.sqrt(share), 0.0) / np.where(some, squares, 1.0)
    rows.data *= np.repeat(scales, np.diff(rows.indptr))
    lengths = np.where(some, np.sqrt(1.0 - share), 1.0)
    return rows.astype(np.float32), lengths.astype(np.float32)
