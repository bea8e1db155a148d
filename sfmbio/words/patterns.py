"""Spaced words of a sequence, as a vector beside the hidden states.

A pattern looks at a few places that stand apart from each other, as residues of one face of a helix
or a strand do, and sees a word in every window. Words of two places are of residues, those of three
of groups of residues that replace each other. The vector holds the square root of the share of
every word, so the product of two vectors compares the words of two sequences.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, hstack

from sfmbio.sequences.alphabet import N_SYMBOLS, RESIDUES, SYMBOLS
from sfmcore.data.ragged import Ragged

GROUPS = ("AG", "C", "DE", "FWY", "HKR", "ILMV", "NQST", "P")
"""Residues of like size, charge and polarity; what is no residue is a group of its own."""
_PAIRS = ((0, 1), (0, 2), (0, 3), (0, 4))
_TRIPLES = ((0, 1, 2), (0, 1, 3), (0, 2, 3), (0, 1, 4), (0, 3, 4), (0, 2, 4))


@dataclass(frozen=True)
class Pattern:
    """Places that are looked at together.

    Attributes
    ----------
    places : tuple of int
        Rising from 0.
    groups : ndarray of shape (22,), uint8
        Group of every symbol.
    weight : float
        Length of the pattern's part of the vector.
    """

    places: tuple[int, ...]
    groups: npt.NDArray[np.uint8]
    weight: float

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.groups.max()) + 1

    @property
    def n_words(self) -> int:
        """Number of words."""
        return self.n_groups ** len(self.places)


def _patterns() -> tuple[Pattern, ...]:
    every = np.arange(N_SYMBOLS, dtype=np.uint8)
    grouped = np.full(N_SYMBOLS, len(GROUPS), dtype=np.uint8)
    for number, members in enumerate(GROUPS):
        for residue in members:
            grouped[RESIDUES.index(residue)] = number
    halves = [(_PAIRS, every), (_TRIPLES, grouped)]
    return tuple(
        Pattern(places, groups, float(np.sqrt(0.5 / len(family))))
        for family, groups in halves
        for places in family
    )


PATTERNS = _patterns()
"""Four pairs of residues and six triples of groups, each half of the vector's squared length."""
N_WORDS = sum(pattern.n_words for pattern in PATTERNS)
"""Columns of the vector: 6,310."""


def word_vectors(items: Ragged) -> csr_array:
    """Weighted square roots of the shares of all words.

    A sequence that is shorter than a pattern has zeros in its part; others are of unit length.

    Parameters
    ----------
    items : Ragged
        Codes of :mod:`sfmbio.sequences.alphabet`.

    Returns
    -------
    csr_array of float32, shape (n_items, N_WORDS)

    Raises
    ------
    ValueError
        If a code stands for no symbol.

    Examples
    --------
    >>> vectors = word_vectors(Ragged.from_items([[0, 1, 2, 3, 4, 5], [0]]))
    >>> (vectors * vectors).sum(axis=1).round(6).tolist()
    [1.0, 0.0]
    """
    check_codes(items)
    return csr_array(hstack([_shares(items, pattern) for pattern in PATTERNS], format="csr"))


def check_codes(items: Ragged) -> None:
    """Refuse codes that stand for no symbol.

    Examples
    --------
    >>> check_codes(Ragged.from_items([[22]]))
    Traceback (most recent call last):
    ...
    ValueError: codes must be below 22, got 22
    """
    if len(items.values) and items.values.max() >= N_SYMBOLS:
        raise ValueError(f"codes must be below {N_SYMBOLS}, got {items.values.max()}")


def _shares(items: Ragged, pattern: Pattern) -> csr_array:
    """The part of one pattern."""
    values, lengths = pattern.groups[items.values].astype(np.int64), items.lengths
    span = pattern.places[-1]
    counts = np.maximum(lengths - span, 0)
    # First places of all windows: those that end in the item they begin in.
    starts = np.repeat(items.offsets[:-1] - (np.cumsum(counts) - counts), counts)
    starts += np.arange(len(starts))
    words = np.zeros(len(starts), dtype=np.int64)
    for place in pattern.places:
        words = words * pattern.n_groups + values[starts + place]
    ends = np.concatenate([[0], np.cumsum(counts)])
    ones = np.ones(len(words), dtype=np.float32)
    shares = csr_array((ones, words, ends), shape=(len(items), pattern.n_words))
    shares.sum_duplicates()
    rows = np.repeat(np.arange(len(items)), np.diff(shares.indptr))
    shares.data = (pattern.weight * np.sqrt(shares.data / counts[rows])).astype(np.float32)
    return shares


def word_names() -> list[str]:
    """Name of every column, such as ``A.C`` or ``[DE][KHR].[P]``; dots stand for any symbol.

    Examples
    --------
    >>> names = word_names()
    >>> len(names), names[1], names[484 + 1]
    (6310, 'AC', 'A.C')
    """
    names = []
    for pattern in PATTERNS:
        texts = [
            "".join(SYMBOLS[code] for code in np.flatnonzero(pattern.groups == group))
            for group in range(pattern.n_groups)
        ]
        texts = [text if len(text) == 1 else f"[{text}]" for text in texts]
        gaps = ["." * (b - a - 1) for a, b in zip(pattern.places, pattern.places[1:], strict=False)]
        for word in np.ndindex(*[pattern.n_groups] * len(pattern.places)):
            parts = [texts[group] for group in word]
            names.append("".join(a + b for a, b in zip(parts, [*gaps, ""], strict=True)))
    return names
