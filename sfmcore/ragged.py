"""Ragged batches of codes: protein sequences and documents alike."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt


class Ragged(Sequence[np.ndarray]):
    """A batch of code sequences of unequal length, stored end to end.

    Parameters
    ----------
    values : ndarray of shape (n_codes,), dtype uint8
        All codes of all items, one item after another.
    offsets : ndarray of shape (n_items + 1,), dtype int64
        Item `i` is ``values[offsets[i]:offsets[i + 1]]``.

    Raises
    ------
    ValueError
        If the offsets do not start at 0, decrease, or do not end at ``len(values)``, or a code
        is not an integer of 0 to 255.

    Examples
    --------
    >>> batch = Ragged.from_items([[0, 1, 2], [3], []])
    >>> len(batch), batch.lengths.tolist()
    (3, [3, 1, 0])
    >>> batch[[1, 0]].values.tolist()
    [3, 0, 1, 2]
    """

    def __init__(self, values: npt.ArrayLike, offsets: npt.ArrayLike) -> None:
        self.values = np.ascontiguousarray(_as_codes(values))
        self.offsets = np.ascontiguousarray(offsets, dtype=np.int64)
        if self.values.ndim != 1 or self.offsets.ndim != 1 or len(self.offsets) == 0:
            raise ValueError("values and offsets must be one-dimensional, offsets not empty")
        ends_match = self.offsets[0] == 0 and self.offsets[-1] == len(self.values)
        if not ends_match or np.any(np.diff(self.offsets) < 0):
            raise ValueError("offsets must rise from 0 to len(values)")

    @classmethod
    def from_items(cls, items: Iterable[npt.ArrayLike | bytes]) -> "Ragged":
        """Join items (byte strings or integer arrays with codes below 256) into a batch."""
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

    def joined(self, other: "Ragged") -> "Ragged":
        """Both batches in one, the items of `other` last."""
        offsets = np.concatenate([self.offsets, other.offsets[1:] + self.offsets[-1]])
        return Ragged(np.concatenate([self.values, other.values]), offsets)

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
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
        # Position of every code in the source: start of its item plus its place in it.
        shift = np.repeat(self.offsets[:-1][picked] - offsets[:-1], lengths)
        return Ragged(self.values[np.arange(offsets[-1]) + shift], offsets)

    def __repr__(self) -> str:
        return f"Ragged({len(self)} items, {len(self.values)} codes)"


def _as_codes(values: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    """Codes as bytes; NumPy's own cast would turn 300 into 44."""
    array = np.asarray(values)
    if array.dtype == np.uint8 or array.size == 0:
        return array.astype(np.uint8, copy=False)
    if not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"codes must be integers, not {array.dtype}")
    if array.min() < 0 or array.max() > 255:
        raise ValueError(f"codes must lie in 0 to 255, got {array.min()} to {array.max()}")
    return array.astype(np.uint8)
