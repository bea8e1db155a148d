"""Which records of a training set are suspect, why, and how much."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from sfmcore.data.arrays import BoolArray, Float64Array, Int64Array
from sfmcore.data.checks import check_number
from sfmcore.data.targets import UNLABELED, numbered_labels, require_two_classes
from sfmcore.parallel.threads import effective_threads
from sfmcore.suspects.conflicts import Copies, find_conflicts, find_copies
from sfmcore.suspects.noise import label_noise, true_shares
from sfmcore.suspects.one_fit import held_out_of_one_fit
from sfmcore.suspects.out_of_fold import OutOfFold, out_of_fold

FOLDS = 5
MIN_SCORE = 0.5
STRANGER_BELOW = 0.01
REASONS = ("label", "conflict", "stranger")
"""In the order in which they are named."""


@dataclass(frozen=True)
class Suspects:
    """What is suspect about every item of a training set.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Sorted.
    given : ndarray of shape (n_items,), int64
        Number of the class that each item has in y.
    suggested : ndarray of shape (n_items,), int64
        The most probable other class. For an item that only its copies speak against, theirs.
    probability, suggested_probability : ndarray of shape (n_items,)
        Out-of-fold probabilities of both, as labels are given in this set.
    score : ndarray of shape (n_items,)
        The larger of the probability that the label is wrong (by the votes, and by how often
        labels are: :mod:`sfmcore.suspects.noise`), and of the share of its equal and nearly equal
        items, itself among them, that have another label, where it is in conflict with them.
    typicality : ndarray of shape (n_items,)
        Out-of-fold p-value of being like the items of all classes; NaN where it is not known.
    by_reason : dict of str to ndarray of shape (n_items,), bool
        Items of each of `REASONS`. "label": the label is probably wrong. "conflict": equal or
        nearly equal items have another label. "stranger": the item is like nothing else.
    other : ndarray of shape (n_items,), int64
        The item that it is in conflict with; -1 for none.
    noise : ndarray of shape (n_classes, n_classes)
        Estimated probability of each label (column) given the true class (row).
    n_wrong : float
        How many labels are wrong, as the votes have it: the sum of the probabilities.
    folds : int
        0 for held-out votes of one fit.
    """

    classes: npt.NDArray[Any]
    given: Int64Array
    suggested: Int64Array
    probability: Float64Array
    suggested_probability: Float64Array
    score: Float64Array
    typicality: Float64Array
    by_reason: dict[str, BoolArray]
    other: Int64Array
    noise: Float64Array
    n_wrong: float
    folds: int

    def __len__(self) -> int:
        return len(self.given)

    @property
    def found(self) -> BoolArray:
        """Which items are suspect, for any reason."""
        return np.any(list(self.by_reason.values()), axis=0)

    @property
    def knows_strangers(self) -> bool:
        """Whether typicality was learnt, which takes some items and codes or rows of numbers."""
        return not bool(np.all(np.isnan(self.typicality)))

    def ranked(self, *, every: bool = False) -> Int64Array:
        """Places of the suspects, the highest score first, equal scores in input order.

        Parameters
        ----------
        every : bool, default=False
            Whether items that are not suspect are ranked too.
        """
        order = np.argsort(-self.score, kind="stable")
        return order if every else order[self.found[order]]

    def reasons(self, item: int) -> list[str]:
        """Why an item is suspect, in the order of `REASONS`; empty if it is not."""
        return [name for name in REASONS if self.by_reason[name][item]]


def find_suspects(
    classifier: Any,
    X: Any,
    y: npt.ArrayLike,
    *,
    groups: Sequence[Hashable] | None = None,
    folds: int = FOLDS,
    min_score: float = MIN_SCORE,
    stranger_below: float = STRANGER_BELOW,
    quick: bool = False,
    seed: int = 0,
    n_jobs: int | None = None,
    show_progress: bool = False,
) -> Suspects:
    """Find items whose label is likely wrong, by classifiers that did not learn from them.

    Parameters
    ----------
    classifier : SFMClassifier
        Unfitted; cloned for each fold. `ProteinClassifier` and `SceneClassifier` are such.
    X : inputs
    y : array-like of shape (n_items,)
        Labels, none missing.
    groups : sequence of shape (n_items,), optional
        Items of one group are in one fold: what was labelled together, and may be wrong together,
        must not vouch for itself.
    folds : int, default=5
        Of the cross-validation: so many complete fits, each of them of all other folds.
    min_score : float, default=0.5
        Probability of being wrong that makes a label suspect.
    stranger_below : float, default=0.01
        P-value of typicality up to which an item is a stranger; 0 for none.
    quick : bool, default=False
        Use held-out votes of one fit instead of the folds
        (:func:`sfmcore.suspects.one_fit.held_out_of_one_fit`): a quarter of the time, somewhat less
        reliable, and no strangers.
    seed : int, default=0
        Of the folds and of the classifiers.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    show_progress : bool, default=False

    Returns
    -------
    Suspects

    Raises
    ------
    TypeError
        If the classifier is no SFMClassifier.
    ValueError
        If an input can't be used, a label is missing, there is one class only, a class has fewer
        items than there are folds (than four if `quick`), or a parameter is out of range.

    Examples
    --------
    Two clouds of points; one label is wrong.

    >>> from sfmcore import SFMClassifier
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0], [6]], 30, axis=0)
    >>> y = np.repeat(["a", "b"], 30)
    >>> y[7] = "b"
    >>> found = find_suspects(SFMClassifier(n_components=1), X, y, stranger_below=0.0)
    >>> found.ranked().tolist(), found.reasons(7), str(found.classes[found.suggested[7]])
    ([7], ['label'], 'a')
    """
    check_number("min_score", min_score, "above 0, of at most 1", lambda p: 0 < p <= 1)
    check_number("stranger_below", stranger_below, "from 0 to below 1", lambda p: 0 <= p < 1)
    if not hasattr(classifier, "learn"):
        raise TypeError(f"classifier must be an SFMClassifier, got {type(classifier).__name__}")
    # As when fitting: the columns of a frame are new to it.
    first = clone(classifier)
    first.check_parameters()
    items = first.preparation.encode(X, first, reset=True)
    classes, given = numbered_labels(y, len(items), classifier.unlabeled)
    require_two_classes(classes, given, classifier.unlabeled)
    if n_missing := int(np.sum(given == UNLABELED)):
        raise ValueError(f"y must hold a label for every item, and {n_missing} have none")
    n_threads = effective_threads(n_jobs)
    rest: dict[str, Any] = {
        "seed": seed,
        "groups": groups,
        "n_threads": n_threads,
        "show_progress": show_progress,
    }
    if quick:
        judged = held_out_of_one_fit(classifier, items, classes[given], **rest)
    else:
        judged = out_of_fold(classifier, items, classes[given], folds=folds, **rest)
    copies = find_copies(first.preparation, items, n_threads=n_threads, show_progress=show_progress)
    return suspects_of(
        judged,
        classes,
        given,
        copies,
        min_score=min_score,
        stranger_below=stranger_below,
        folds=0 if quick else folds,
    )


def suspects_of(
    judged: OutOfFold,
    classes: npt.NDArray[Any],
    given: Int64Array,
    copies: Copies,
    *,
    min_score: float,
    stranger_below: float,
    folds: int,
) -> Suspects:
    """What is suspect about items, once it is known what others say of them.

    Parameters
    ----------
    judged : OutOfFold
    classes : ndarray of shape (n_classes,)
    given : ndarray of shape (n_items,), int64
        Number of each item's class; every class has an item.
    copies : Copies
    min_score, stranger_below, folds
        As of :func:`find_suspects`.
    """
    conflicts = find_conflicts(copies, given, len(classes))
    every = np.arange(len(given))
    noise = label_noise(judged.shares, given)
    true = true_shares(judged.shares, given, noise)
    wrong = 1.0 - true[every, given]
    true[every, given] = -1.0
    suggested = true.argmax(axis=1)
    by_votes = wrong >= min_score
    suggested = np.where(conflicts.found & ~by_votes, conflicts.label, suggested)
    with np.errstate(invalid="ignore"):
        strange = judged.typicality <= stranger_below
    return Suspects(
        classes=classes,
        given=given,
        suggested=suggested,
        probability=judged.shares[every, given],
        suggested_probability=judged.shares[every, suggested],
        score=np.maximum(wrong, conflicts.share),
        typicality=judged.typicality,
        by_reason={
            "label": by_votes,
            "conflict": conflicts.found,
            "stranger": strange & (stranger_below > 0),
        },
        other=conflicts.other,
        noise=noise,
        n_wrong=float(wrong.sum()),
        folds=folds,
    )
