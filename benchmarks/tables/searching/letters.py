"""Codes as the letters that other programs read."""

from pathlib import Path

import numpy as np

from sfmbio.sequences.alphabet import RESIDUES
from sfmcore.data.ragged import Ragged

# Others have no letter for the break between two segments: an unknown residue too.
_LETTERS = np.frombuffer((RESIDUES + "XX").encode(), dtype=np.uint8)


def plain(items: Ragged) -> list[str]:
    """Sequences of capital letters, X for what is unknown and for a break.

    Examples
    --------
    >>> plain(Ragged.from_items([[0, 1, 20], [21, 19]]))
    ['ACX', 'XY']
    """
    return [_LETTERS[codes].tobytes().decode() for codes in items]


def write_fasta(path: Path, items: Ragged) -> None:
    """Write items to a file, each named by its place."""
    records = [f">{place}\n{text}\n" for place, text in enumerate(plain(items))]
    path.write_text("".join(records), encoding="ascii")
