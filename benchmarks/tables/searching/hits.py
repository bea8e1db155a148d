"""Hits of a search, and what they say of classes."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.tables.dataset import Indexes


@dataclass(frozen=True)
class Hits:
    """What a search finds.

    Attributes
    ----------
    query, target : ndarray of shape (n_hits,)
        Places among the items sought and the items searched.
    e_value, bits : ndarray of shape (n_hits,)
    took : dict of str to float
        Seconds of the search, all of it.
    """

    query: Indexes
    target: Indexes
    e_value: npt.NDArray[np.float64]
    bits: npt.NDArray[np.float64]
    took: dict[str, float]

    def nearest(self, n_queries: int) -> npt.NDArray[np.float64]:
        """E-value of each query's best hit; infinite without one."""
        found = np.full(n_queries, np.inf)
        np.minimum.at(found, self.query, self.e_value)
        return found


def class_bits(
    hits: Hits, n_queries: int, y: npt.NDArray[np.str_], most: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.str_]]:
    """Sum of the bits of each class's best hits.

    A target counts once, by the best of its alignments. The largest class has a trace more, so
    that it is first where there is no hit.

    Parameters
    ----------
    hits : Hits
    n_queries : int
    y : ndarray of str
        Labels of the targets.
    most : int
        Hits of a class that count; 1 for the best hit alone.

    Returns
    -------
    sums : ndarray of shape (n_queries, n_classes)
    classes : ndarray of str
    """
    classes, numbers, counts = np.unique(y, return_inverse=True, return_counts=True)
    sums = np.zeros((n_queries, len(classes)))
    order = np.argsort(-hits.bits, kind="stable")
    met: set[tuple[int, int]] = set()
    n_met = np.zeros(sums.shape, dtype=int)
    for query, target, bits in zip(
        hits.query[order].tolist(), hits.target[order].tolist(), hits.bits[order], strict=True
    ):
        number = numbers[target]
        if n_met[query, number] < most and (query, target) not in met:
            met.add((query, target))
            n_met[query, number] += 1
            sums[query, number] += bits
    sums[:, counts.argmax()] += 1e-6
    return sums, classes
