"""Parts of a problem: without what is kept for a certificate, or of so many rows at most."""

from dataclasses import replace

import numpy as np

from sfmcore.data.arrays import BoolArray, Int64Array
from sfmcore.data.targets import UNLABELED
from sfmcore.learning.problem import Problem

# Of a small class so many items stay, so that five folds can test it.
_LEAST = 5


def known_part(problem: Problem, known: BoolArray | None) -> Problem:
    """The problem without the items that are kept for a certificate."""
    if known is None:
        return problem
    return _chosen(problem, np.flatnonzero(known | (problem.numbers == UNLABELED)))


def part_of_rows(problem: Problem, most: int | None, stream: tuple[int, int]) -> Problem:
    """So many items of a problem, of every class and without label in proportion.

    A class keeps five items if it has them, so that there may be a few more in all.

    Parameters
    ----------
    problem : Problem
    most : int or None
        None for all of them.
    stream : (int, int)
        Seed and purpose of the random choice.

    Returns
    -------
    Problem
        The problem itself, if it has no more items.

    Examples
    --------
    >>> from sfmcore.learning.problem import make_problem
    >>> problem = make_problem(np.zeros((40, 1)), np.arange(40) < 30)
    >>> np.bincount(part_of_rows(problem, 20, (0, 0)).numbers).tolist()
    [5, 15]
    """
    n_items = len(problem.numbers)
    if most is None or n_items <= most:
        return problem
    random = np.random.default_rng(stream)
    kept = []
    for number in np.unique(problem.numbers):
        members = np.flatnonzero(problem.numbers == number)
        count = max(round(most * len(members) / n_items), min(_LEAST, len(members)))
        kept.append(random.permutation(members)[:count])
    return _chosen(problem, np.sort(np.concatenate(kept)))


def _chosen(problem: Problem, kept: Int64Array) -> Problem:
    return replace(
        problem,
        items=problem.items[kept],
        numbers=problem.numbers[kept],
        weights=problem.weights[kept],
        places=problem.places[kept],
        groups=None if problem.groups is None else problem.groups[kept],
    )
