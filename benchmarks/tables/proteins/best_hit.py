"""Class of the best hit by phmmer: what a search for the nearest known relative says.

phmmer of HMMER 3 runs inside pyhmmer with its own thresholds (E-value at most 10).
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyhmmer
from pyhmmer.easel import Alphabet, DigitalSequence, DigitalSequenceBlock

from sfmbio.sequences.alphabet import RESIDUES
from sfmbio.sequences.encoding import encode_batch
from sfmcore.data.ragged import Ragged

NO_HIT = -1

_ALPHABET = Alphabet.amino()
# Easel has no letter for the break between two segments; an unknown residue scores nothing.
_EASEL_CODES = np.array(_ALPHABET.encode(RESIDUES + "XX"), dtype=np.uint8)


def best_hits(
    training: Sequence[str] | Ragged, queries: Sequence[str] | Ragged, *, cpus: int = 1
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Search every query among the training sequences.

    Parameters
    ----------
    training, queries : list of str, or Ragged
        Sequences, read as by :mod:`sfmbio.sequences.alphabet`, or their codes. None may be empty.
    cpus : int, default=1
        Threads; 0 for all. The result does not depend on it.

    Returns
    -------
    index : ndarray of shape (n_queries,)
        The training sequence that scores best, of several the first; -1 for no hit.
    score : ndarray of shape (n_queries,)
        Its score in bits, minus infinity for no hit.
    e_value : ndarray of shape (n_queries,)
        Hits as good that chance would give among as many sequences; infinite for no hit.

    Raises
    ------
    ValueError
        If a sequence is empty or can't be read.
    """
    targets, sought = _digital(training), _digital(queries)
    index = np.full(len(sought), NO_HIT, dtype=np.int64)
    score, e_value = np.full(len(sought), -np.inf), np.full(len(sought), np.inf)
    for query, hits in enumerate(pyhmmer.hmmer.phmmer(sought, targets, cpus=cpus)):
        for best in hits.reported:
            index[query], score[query], e_value[query] = int(best.name), best.score, best.evalue
            break
    return index, score, e_value


def _digital(sequences: Sequence[str] | Ragged) -> DigitalSequenceBlock:
    """Sequences as Easel takes them, each named by its place.

    Hits that score the same are sorted by name, so all names have the same length.
    """
    items = encode_batch(sequences)
    if np.any(items.lengths == 0):
        raise ValueError(f"item {items.lengths.argmin()} is empty")
    return DigitalSequenceBlock(
        _ALPHABET,
        [
            DigitalSequence(_ALPHABET, name=f"{place:09}", sequence=_EASEL_CODES[codes])
            for place, codes in enumerate(items)
        ],
    )
