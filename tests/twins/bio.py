"""Plain twins of the kernels: slow, short, and what the tests compare with."""

from collections import Counter
from collections.abc import Sequence

import numpy as np


def project(
    items: Sequence[Sequence[int]],
    places: Sequence[int],
    groups: Sequence[int],
    n_groups: int,
    weight: float,
    rows: np.ndarray,
) -> np.ndarray:
    """Weighted square roots of the shares of one pattern's words, times their rows."""
    out = np.zeros((len(items), rows.shape[1]))
    for number, codes in enumerate(items):
        words = Counter(
            tuple(groups[codes[t + place]] for place in places)
            for t in range(len(codes) - places[-1])
        )
        for word, count in words.items():
            place = 0
            for group in word:
                place = place * n_groups + int(group)
            out[number] += weight * np.sqrt(count / words.total()) * rows[place]
    return out
