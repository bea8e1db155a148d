"""Suspects among items that an evaluation, or a test, has answers about.

The classifiers behind the answers did not learn from the items, so their probabilities serve as
out-of-fold votes, and nothing is trained again.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfmcore.data.arrays import Float64Array, Int64Array, UInt64Array
from sfmcore.data.near_pairs import NearPairs
from sfmcore.evaluation.answers import Answers
from sfmcore.suspects.conflicts import Copies, content_numbers
from sfmcore.suspects.finding import MIN_SCORE, Suspects, suspects_of
from sfmcore.suspects.out_of_fold import OutOfFold

LEAST_OF_CLASS = 5
"""Items of a class from which it is known how probable its labels usually are."""


@dataclass(frozen=True)
class AnsweredSuspects:
    """What is suspect about the items that have answers.

    Attributes
    ----------
    found : Suspects
        Of `items`, one after another; `other` is a place among them. Strangers are not looked for.
    items : ndarray of shape (n_judged,), int64
        Places in X, ascending.
    classes : ndarray of shape (n_kept,), int64
        Numbers of the classes with :data:`LEAST_OF_CLASS` items; those of `found` are places here.
    n_tests : ndarray of shape (n_judged,), int64
        Tests whose mean each probability is.
    """

    found: Suspects
    items: Int64Array
    classes: Int64Array
    n_tests: Int64Array

    def ranked_items(self) -> Int64Array:
        """Places in X of the suspects, the highest score first."""
        return self.items[self.found.ranked()]


def suspects_among(
    answers: Sequence[Answers],
    *,
    digests: UInt64Array | None = None,
    learnt: npt.ArrayLike = (),
) -> AnsweredSuspects | None:
    """Find items whose label is probably wrong by the answers about them.

    An item that was tested several times has the mean of its probabilities. Items and
    probabilities of classes with fewer than :data:`LEAST_OF_CLASS` items are left out.

    Parameters
    ----------
    answers : sequence of Answers
        One for each partition, all with `shares`.
    digests : ndarray of shape (n_items,), uint64, optional
        Of all of X; items with equal ones are equal, and in conflict if their labels differ.
    learnt : array-like of int
        Places in X of items that the classifiers learnt from, which are left out.

    Returns
    -------
    AnsweredSuspects or None
        None if fewer than two classes are left.

    Raises
    ------
    ValueError
        If there are answers without probabilities.

    Examples
    --------
    >>> truth = np.repeat([0, 1], 6)
    >>> shares = np.where(truth[:, None] == [0, 1], 0.9, 0.1).astype(np.float32)
    >>> shares[3] = 0.05, 0.95
    >>> no = np.empty(0)
    >>> part = Answers(np.arange(12), truth, shares.argmax(axis=1), no, no, no, no, no, shares)
    >>> suspects_among([part]).ranked_items().tolist()
    [3]
    """
    if any(part.shares is None for part in answers):
        raise ValueError("suspects need answers with the probabilities of all classes")
    items, given, shares, n_tests = _pooled(answers)
    used = ~np.isin(items, np.asarray(learnt, dtype=np.int64))
    counts = np.bincount(given[used], minlength=shares.shape[1])
    classes = np.flatnonzero(counts >= LEAST_OF_CLASS)
    if len(classes) < 2:
        return None
    used &= counts[given] >= LEAST_OF_CLASS
    items, given, n_tests = items[used], given[used], n_tests[used]
    kept = shares[used][:, classes]
    # What gives the kept classes nothing says nothing about them.
    kept[kept.sum(axis=1) == 0] = 1.0 / len(classes)
    content = np.arange(len(items))
    if digests is not None:
        content, _ = content_numbers(digests[items])
    found = suspects_of(
        OutOfFold(kept, np.full(len(items), np.nan)),
        classes,
        np.searchsorted(classes, given),
        Copies(content, NearPairs()),
        min_score=MIN_SCORE,
        stranger_below=0.0,
        folds=len(answers),
    )
    return AnsweredSuspects(found, items, classes, n_tests)


def _pooled(
    answers: Sequence[Answers],
) -> tuple[Int64Array, Int64Array, Float64Array, Int64Array]:
    """Items tested, their labels, mean probabilities, and number of tests."""
    tested = np.concatenate([part.items for part in answers])
    items, own = np.unique(tested, return_inverse=True)
    n_tests = np.bincount(own, minlength=len(items))
    rows = np.concatenate([part.shares for part in answers if part.shares is not None])
    sums = np.zeros((len(items), rows.shape[1]))
    np.add.at(sums, own, rows)
    given = np.empty(len(items), dtype=np.int64)
    given[own] = np.concatenate([part.truth for part in answers])
    return items, given, sums / n_tests[:, None], n_tests
