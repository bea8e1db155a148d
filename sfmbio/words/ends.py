"""Both ends of a sequence, and its length, as vectors beside the hidden states.

Signal and transit peptides, anchors and tails stand at the ends, where shares of the whole sequence
hardly see them.
"""

import numpy as np

from sfmbio.sequences.alphabet import N_SYMBOLS
from sfmcore.data.arrays import Float32Array, Float64Array
from sfmcore.data.ragged import Ragged

FIRST, LAST = (15, 30, 60), (10, 20, 40)
"""Residues that are looked at from the first on, and up to the last."""
# The squared length of what is at the end, against 1 for what is at the beginning.
_LAST_SHARE = 0.5
# Lengths that differ by a factor of 50 are opposite each other on the circle.
_RADIANS = 0.8

N_END_COLUMNS = (len(FIRST) + len(LAST)) * N_SYMBOLS
"""Columns of the ends: 132."""
N_LENGTH_COLUMNS = 2


def end_vectors(items: Ragged, weight: float) -> Float32Array:
    """Square roots of the shares of the symbols at both ends, in six windows.

    A window that is longer than the sequence holds all of it.

    Parameters
    ----------
    items : Ragged
        Codes of :mod:`sfmbio.sequences.alphabet`.
    weight : float
        Squared length of a vector.

    Returns
    -------
    ndarray of shape (n_items, N_END_COLUMNS), float32

    Examples
    --------
    >>> vectors = end_vectors(Ragged.from_items([[0, 1, 1, 1], [2]]), 1.0)
    >>> vectors.shape, np.sum(vectors**2, axis=1).round(6).tolist()
    ((2, 132), [1.0, 1.0])
    """
    windows = end_windows()
    shares = np.array([1.0] * len(FIRST) + [_LAST_SHARE] * len(LAST))
    shares *= weight / shares.sum()
    parts = [
        np.sqrt(share * _shares(items, size, at_end))
        for share, (size, at_end) in zip(shares, windows, strict=True)
    ]
    return np.hstack(parts).astype(np.float32)


def end_windows() -> list[tuple[int, bool]]:
    """Size of every window, and whether it is at the end of the sequence, as columns have them.

    Examples
    --------
    >>> end_windows()[2:4]
    [(60, False), (10, True)]
    """
    return [(size, False) for size in FIRST] + [(size, True) for size in LAST]


def length_vectors(items: Ragged, weight: float) -> Float32Array:
    """The logarithm of the length, as a point on a circle.

    Near lengths are as far from each other as their logarithms, and no vector is longer than
    another.

    Parameters
    ----------
    items : Ragged
    weight : float
        Squared length of a vector.

    Returns
    -------
    ndarray of shape (n_items, 2), float32

    Examples
    --------
    >>> vectors = length_vectors(Ragged.from_items([[0], [0, 0]]), 1.0)
    >>> [[round(number, 3) for number in vector] for vector in vectors.tolist()]
    [[1.0, 0.0], [0.85, 0.527]]
    """
    angles = _RADIANS * np.log(np.maximum(items.lengths, 1))
    points = np.column_stack([np.cos(angles), np.sin(angles)])
    return (np.sqrt(weight) * points).astype(np.float32)


def _shares(items: Ragged, size: int, at_end: bool) -> Float64Array:
    """Shares of the symbols among the first or the last residues of every sequence."""
    counts = np.minimum(items.lengths, size)
    starts = items.offsets[1:] - counts if at_end else items.offsets[:-1]
    owners = np.repeat(np.arange(len(items)), counts)
    within = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    symbols = items.values[np.repeat(starts, counts) + within].astype(np.int64)
    cells = np.bincount(owners * N_SYMBOLS + symbols, minlength=len(items) * N_SYMBOLS)
    return cells.reshape(len(items), N_SYMBOLS) / np.maximum(counts, 1)[:, None]
