"""Ragged batches of codes: protein sequences and documents alike."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse

from sfmcore.data.arrays import Int64Array

_CODES_AT_A_TIME = 1 << 22
_MOST_CODES = 1 << 16


class Ragged(Sequence[np.ndarray]):
    """A batch of code sequences of unequal length, stored end to end.

    Parameters
    ----------
    values : ndarray of shape (n_codes,), dtype uint8 or uint16
        All codes of all items, one item after another. Kept as bytes where all of them fit.
    offsets : ndarray of shape (n_items + 1,), dtype int64
        Item `i` is ``values[offsets[i]:offsets[i + 1]]``.

    Raises
    ------
    ValueError
        If the offsets do not start at 0, decrease, or do not end at ``len(values)``, or a code
        is not an integer of 0 to 65535.

    Examples
    --------
    >>> batch = Ragged.from_items([[0, 1, 2], [3], []])
    >>> len(batch), batch.lengths.tolist()
    (3, [3, 1, 0])
    >>> batch[[1, 0]].values.tolist()
    [3, 0, 1, 2]
    """

    def __init__(self, values: npt.ArrayLike, offsets: npt.ArrayLike) -> None:
        self.values: npt.NDArray[Any] = np.ascontiguousarray(_as_codes(values))
        self.offsets = np.ascontiguousarray(offsets, dtype=np.int64)
        if self.values.ndim != 1 or self.offsets.ndim != 1 or len(self.offsets) == 0:
            raise ValueError("values and offsets must be one-dimensional, offsets not empty")
        ends_match = self.offsets[0] == 0 and self.offsets[-1] == len(self.values)
        if not ends_match or np.any(np.diff(self.offsets) < 0):
            raise ValueError("offsets must rise from 0 to len(values)")

    @classmethod
    def from_items(cls, items: Iterable[npt.ArrayLike | bytes]) -> "Ragged":
        """Join items (byte strings or integer arrays with codes below 65536) into a batch."""
        arrays = [
            np.frombuffer(item, dtype=np.uint8)
            if isinstance(item, bytes | bytearray)
            else _as_codes(item)
            for item in items
        ]
        offsets = np.zeros(len(arrays) + 1, dtype=np.int64)
        np.cumsum([len(a) for a in arrays], out=offsets[1:])
        values = np.concatenate(arrays) if arrays else np.empty(0, dtype=np.uint8)
        return cls(values, offsets)

    @classmethod
    def from_counts(cls, matrix: npt.ArrayLike) -> "Ragged":
        """Expand rows of word counts: word `w` occurs as often as column `w` says, in order.

        Parameters
        ----------
        matrix : array-like or sparse array of shape (n_items, n_words)
            Whole numbers of at least 0.

        Returns
        -------
        Ragged

        Raises
        ------
        ValueError
            If the matrix has not two dimensions or more than 65536 columns, or a count is
            negative or no whole number.

        Examples
        --------
        >>> [item.tolist() for item in Ragged.from_counts([[2, 0, 1], [0, 0, 0]])]
        [[0, 0, 2], []]
        """
        counts: Any = matrix if issparse(matrix) else np.asarray(matrix)
        if counts.ndim != 2 or counts.shape[1] > _MOST_CODES:
            raise ValueError(f"counts must be rows of at most {_MOST_CODES} columns")
        if not np.issubdtype(counts.dtype, np.number):
            raise ValueError("counts must be finite numbers")
        # Row by row, and in a row by column.
        cells = csr_array(counts)
        cells.sum_duplicates()
        if not np.all(np.isfinite(cells.data)):
            raise ValueError("counts must be finite numbers")
        if np.any(cells.data < 0) or np.any(cells.data != np.floor(cells.data)):
            raise ValueError("counts must be whole numbers of at least 0")
        repeats = cells.data.astype(np.int64)
        ends = np.concatenate([[0], np.cumsum(repeats)])
        return cls(np.repeat(cells.indices, repeats), ends[cells.indptr])

    def joined(self, other: "Ragged") -> "Ragged":
        """Both batches in one, the items of `other` last."""
        offsets = np.concatenate([self.offsets, other.offsets[1:] + self.offsets[-1]])
        return Ragged(np.concatenate([self.values, other.values]), offsets)

    def identity(self) -> Any:
        """Content of the batch, for a digest."""
        return [self.values, self.offsets]

    @property
    def lengths(self) -> Int64Array:
        """Length of every item, shape (n_items,)."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[np.ndarray]:
        for start, end in zip(self.offsets[:-1], self.offsets[1:], strict=True):
            yield self.values[start:end]

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        """Item `index` as an array, or the batch of the items that `index` selects."""
        if isinstance(index, int | np.integer):
            position = range(len(self))[index]
            return self.values[self.offsets[position] : self.offsets[position + 1]]
        picked = np.arange(len(self))[index]
        lengths = self.lengths[picked]
        offsets = np.zeros(len(picked) + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        values = np.empty(offsets[-1], dtype=self.values.dtype)
        starts = self.offsets[:-1][picked] - offsets[:-1]
        for first, last in _stretches(offsets):
            # Position of every code in the source: start of its item plus its place in it.
            shift = np.repeat(starts[first:last], lengths[first:last])
            part = slice(offsets[first], offsets[last])
            values[part] = self.values[np.arange(part.start, part.stop) + shift]
        return Ragged(values, offsets)

    def __repr__(self) -> str:
        return f"Ragged({len(self)} items, {len(self.values)} codes)"


def _stretches(offsets: Int64Array) -> Iterator[tuple[int, int]]:
    """Items from one to another that have a few million codes: an index takes eight bytes each."""
    first, n_items = 0, len(offsets) - 1
    while first < n_items:
        end = int(np.searchsorted(offsets, offsets[first] + _CODES_AT_A_TIME, side="right")) - 1
        last = min(max(end, first + 1), n_items)
        yield first, last
        first = last


def _as_codes(values: npt.ArrayLike) -> npt.NDArray[Any]:
    """Codes as bytes, or twice as wide where one does not fit; NumPy's cast turns 300 into 44."""
    array = np.asarray(values)
    if array.dtype == np.uint8 or array.size == 0:
        return array.astype(np.uint8, copy=False)
    if not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"codes must be integers, not {array.dtype}")
    least, largest = array.min(), array.max()
    if least < 0 or largest >= _MOST_CODES:
        raise ValueError(f"codes must lie in 0 to {_MOST_CODES - 1}, got {least} to {largest}")
    return array.astype(np.uint8 if largest < 256 else np.uint16, copy=False)
