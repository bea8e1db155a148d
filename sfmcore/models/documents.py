"""Documents as bags of words: whatever the order of their tokens, they are the same."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfmcore.data.arrays import Float32Array, Int64Array, UInt64Array
from sfmcore.data.ragged import Ragged
from sfmcore.kernels import _random


@dataclass(frozen=True)
class Documents:
    """A batch of documents in the one form that does not depend on the order of tokens.

    Parameters
    ----------
    tokens : ndarray of shape (n_tokens,), dtype uint16
        Words of all documents, sorted within each.
    token_offsets : ndarray of shape (n_items + 1,), dtype int64
    words : ndarray of shape (n_distinct,), dtype uint16
        Distinct words of all documents, sorted within each.
    counts : ndarray of shape (n_distinct,), dtype float32
        Number of times each occurs in its document.
    offsets : ndarray of shape (n_items + 1,), dtype int64
        Of the distinct words.
    """

    tokens: npt.NDArray[np.uint16]
    token_offsets: Int64Array
    words: npt.NDArray[np.uint16]
    counts: Float32Array
    offsets: Int64Array

    @classmethod
    def from_ragged(cls, data: Ragged) -> "Documents":
        """Sort the tokens of every document and count its words.

        Examples
        --------
        >>> documents = Documents.from_ragged(Ragged.from_items([[7, 2, 7], [], [2]]))
        >>> documents.words.tolist(), documents.counts.tolist(), documents.offsets.tolist()
        ([2, 7, 2], [1.0, 2.0, 1.0], [0, 2, 2, 3])
        """
        item = np.repeat(np.arange(len(data), dtype=np.int64), data.lengths)
        token = item << 16 | data.values
        if np.any(token[1:] < token[:-1]):
            token.sort()
        first = np.ones(len(token), dtype=bool)
        np.not_equal(token[1:], token[:-1], out=first[1:])
        place = np.flatnonzero(first)
        counts = np.diff(np.append(place, len(token)))
        offsets = np.zeros(len(data) + 1, dtype=np.int64)
        np.cumsum(np.bincount(item[place], minlength=len(data)), out=offsets[1:])
        tokens = (token & 0xFFFF).astype(np.uint16)
        return cls(tokens, data.offsets, tokens[place], counts.astype(np.float32), offsets)

    def content_keys(self) -> UInt64Array:
        """Digest of every document: of its words and their counts, so not of their order."""
        pairs = np.empty((len(self.words), 2), dtype=np.uint32)
        pairs[:, 0], pairs[:, 1] = self.words, self.counts
        return _random.content_keys(pairs.reshape(-1).view(np.uint8), 8 * self.offsets)
