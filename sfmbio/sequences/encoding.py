"""Sequences in memory as one batch of codes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sfmbio.sequences.alphabet import InvalidSequence, encode
from sfmcore.data.errors import refuse
from sfmcore.data.ragged import Ragged

_SEQS = ("Seq", "MutableSeq")
"""Biopython's classes of sequences, known by name: it need not be there."""


def encode_batch(X: Any) -> Ragged:
    """Sequences as codes; a batch of codes passes through.

    Parameters
    ----------
    X : iterable of str, bytes or Biopython's sequences or records, or Ragged

    Returns
    -------
    Ragged
        Codes of :mod:`sfmbio.sequences.alphabet`.

    Raises
    ------
    ValueError
        If X is one sequence, a mapping or a table, or some of its sequences are empty or can't be
        read.

    Examples
    --------
    >>> encode_batch(["ACD", "y-Y*"]).values.tolist()
    [0, 1, 2, 19, 19]
    """
    if isinstance(X, Ragged):
        return X
    # Biopython's are iterable too: each letter would pass as a sequence.
    if isinstance(X, str | bytes) or type(X).__name__ in (*_SEQS, "SeqRecord"):
        raise ValueError("X must be a list of sequences, not one sequence")
    # Of a data frame or a dict the names would pass as sequences.
    if isinstance(X, Mapping):
        raise ValueError("X must be a list of sequences, not a mapping: give its values")
    if getattr(X, "ndim", 1) != 1:
        raise ValueError(
            f"X must be a list of sequences, not of shape {X.shape}: give one column of it"
        )
    return Ragged.from_items(_encode_all(X))


def _encode_all(sequences: Iterable[Any]) -> Sequence[bytes]:
    """Codes of all sequences, or one error that names every bad one."""
    codes, problems = [], []
    for number, sequence in enumerate(sequences):
        # Biopython's SeqRecord holds a Seq.
        text = getattr(sequence, "seq", sequence)
        if type(text).__name__ in _SEQS:
            try:
                text = bytes(text)
            except ValueError as error:  # a length without letters
                problems.append(f"item {number}: {error}")
                continue
        if not isinstance(text, str | bytes):
            problems.append(f"item {number} is of type {type(text).__name__}")
            continue
        try:
            encoded = encode(text).codes
        except InvalidSequence as error:
            problems.append(f"item {number}: {error}")
            continue
        if not encoded:
            problems.append(f"item {number} is empty")
        codes.append(encoded)
    refuse(problems, "sequence", "sequences")
    return codes
