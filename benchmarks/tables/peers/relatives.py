"""The class of the nearest known relative."""

from benchmarks.tables.answers import answers, of_classes
from benchmarks.tables.dataset import Half, Method, Outcome
from benchmarks.tables.searching.hits import class_bits
from benchmarks.tables.searching.programs import Search
from benchmarks.tables.searching.smith_waterman import alignment_scores


def best_alignment(half: Half) -> Outcome:
    """Largest Smith-Waterman score, freed of the lengths, with a training item of each class."""
    scores = alignment_scores(half.dataset)[half.test][:, half.train]
    return answers(half, *of_classes(scores, half.y))


def best_hit(search: Search, most: int = 1) -> Method:
    """Class of the largest sum of bits of its best hits; without a hit the largest class.

    A search learns nothing: what it takes is what all of it takes, answers among it.

    Parameters
    ----------
    search : callable
    most : int, default=1
        Hits of a class that count.
    """

    def method(half: Half) -> Outcome:
        hits = search(half)
        sums, classes = class_bits(hits, len(half.test), half.y, most)
        return answers(half, sums, classes, training=hits.took)

    return method
