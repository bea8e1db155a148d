"""The mismatch kernel of strings (Leslie, Eskin, Cohen, Weston and Noble, 2004)."""

from itertools import combinations

import numpy as np
import numpy.typing as npt

from benchmarks.tables.peers.words import word_counts
from sfmbio.sequences.alphabet import N_SYMBOLS
from sfmcore.data.ragged import Ragged


def mismatch_kernel(items: Ragged, k: int = 5) -> npt.NDArray[np.float32]:
    r"""Kernel of k-mers with one mismatch, all items with all, not scaled.

    Two items have as much in common as there are pairs of k-mers, one of each, and k-mers that
    differ from both in one place at most. Of the latter there are 1 + k (l - 1) if the two are
    the same, l if they differ in one place and 2 if in two, of l letters. How many pairs differ
    in how many places follows from how many agree in chosen places: a pair that differs in d
    places agrees in :math:`\binom{k - d}{j}` choices of j places. So no table of all
    neighbours is needed.

    Parameters
    ----------
    items : Ragged
    k : int, default=5
        At least 3.

    Returns
    -------
    ndarray of shape (n_items, n_items)
    """
    agree = [_agreeing(items, k, k - without) for without in range(3)]
    same = agree[0]
    one = agree[1] - k * same
    two = agree[2] - (k * (k - 1) // 2) * same - (k - 1) * one
    shared = (1 + k * (N_SYMBOLS - 1)) * same + N_SYMBOLS * one + 2 * two
    return shared.astype(np.float32)


def _agreeing(items: Ragged, k: int, n_places: int) -> npt.NDArray[np.float64]:
    """Pairs of k-mers that agree in chosen places, summed over all choices of so many."""
    total = np.zeros((len(items), len(items)))
    for places in combinations(range(k), n_places):
        counts = word_counts(items, places, span=k).astype(np.float64)
        counts = counts[:, np.unique(counts.indices)]
        total += (counts @ counts.T).toarray()
    return total
