"""Local alignments of all pairs of a pool, and their scores freed of the lengths."""

import numpy as np
import numpy.typing as npt

from benchmarks.tables.dataset import Dataset
from benchmarks.tables.kept import Arrays, kept
from benchmarks.tables.searching.letters import plain
from sfmcore.data.ragged import Ragged

# BLOSUM62; a gap costs 11, and 1 for each of its residues. For Opal the first is in the opening.
_MATRIX, _OPEN, _EXTEND = "BLOSUM62", 12, 1


def alignment_scores(dataset: Dataset) -> npt.NDArray[np.float32]:
    """Scores S - 5 (log n + log m) + 20 of all pairs, n and m being the lengths.

    Chance gives scores that grow with the logarithm of the lengths; 5 of BLOSUM62's half bits for
    each is somewhat more than that, and 20 a shift that leaves about 0 to strangers.

    Parameters
    ----------
    dataset : Dataset
        Of sequences; the scores do not look at labels.

    Returns
    -------
    ndarray of shape (n_items, n_items)
        Symmetric.
    """
    items = dataset.X
    raw = kept("smith-waterman", (items,), lambda: _all_pairs(items))["scores"]
    logs = 5.0 * np.log(items.lengths).astype(np.float32)
    freed: npt.NDArray[np.float32] = raw.astype(np.float32) - logs[:, None] - logs + 20.0
    return freed


def _all_pairs(items: Ragged) -> Arrays:
    """Smith-Waterman scores by Opal, each pair once."""
    # Only those who align need pyopal.
    import pyopal

    texts = plain(items)
    aligner = pyopal.Aligner(_MATRIX, gap_open=_OPEN, gap_extend=_EXTEND)
    database = pyopal.Database(texts, alphabet=aligner.alphabet)
    scores = np.zeros((len(texts), len(texts)), dtype=np.int32)
    for place, text in enumerate(texts):
        found = aligner.align(text, database, start=place)
        row = np.zeros(len(texts) - place, dtype=np.int32)
        for hit in found:
            row[hit.target_index - place] = hit.score
        scores[place, place:] = scores[place:, place] = row
    return {"scores": scores}
