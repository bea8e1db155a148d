"""The test of a fitted classifier: what it says of labelled items, and how far that is right.

Items are judged once, block by block, and only the answers are kept. Items that equal training
items are found by their digests: they prove nothing, and may be left out.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfmcore.bounds.certificate_report import certify_fresh, gibbs_losses
from sfmcore.data.arrays import Float64Array, Int64Array, UInt64Array
from sfmcore.data.known_items import KEPT, UNKNOWN
from sfmcore.data.storable import storable
from sfmcore.data.targets import known_numbers
from sfmcore.evaluation.answers import (
    Answers,
    answers_of,
    confusion_of,
    joined_answers,
    score_columns,
)
from sfmcore.evaluation.assessment import Assessment
from sfmcore.evaluation.class_measures import class_measures
from sfmcore.evaluation.measures import measures_of

_BLOCK = 2048


@storable
@dataclass(frozen=True)
class Block:
    """What was said of some of the items. Places are those in the block.

    Attributes
    ----------
    n_given : int
        Items of the block, those among them that can't be used.
    known : ndarray of shape (n_known,), int64
        Places of items that the classifier was made from.
    kept : ndarray of shape (n_kept,), int64
        Those of `known` that nothing was learnt from: they were kept for a certificate.
    numberless : ndarray of int64
        Places of items that got no number, which have no answer.
    digests : ndarray of shape (n_answers,), uint64
        Equal items have equal ones.
    answers : Answers
    scores : ndarray of shape (n_answers, n_classes)
    losses : ndarray of shape (n_targets, n_answers)
        See :func:`sfmcore.bounds.certificate_report.gibbs_losses`.
    """

    n_given: int
    known: Int64Array
    kept: Int64Array
    numberless: Int64Array
    digests: UInt64Array
    answers: Answers
    scores: Float64Array
    losses: Float64Array


def assess(
    classifier: Any,
    X: Any,
    y: npt.ArrayLike,
    *,
    drop_known: bool = False,
    delta: float = 0.05,
) -> Assessment:
    """Test a fitted classifier on labelled items.

    Parameters
    ----------
    classifier : CertifiedClassifier
    X : inputs
    y : array-like of shape (n_items,)
        Labels, all of them known to the classifier.
    drop_known : bool, default=False
        Leave out the items that the classifier was made from.
    delta : float, default=0.05
        All limits of the certificate hold together with probability at least 1 - delta.

    Returns
    -------
    Assessment

    Raises
    ------
    ValueError
        If an input can't be used, a label is unknown, or no item is left.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sfmcore import SFMClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> model = SFMClassifier(random_state=0).fit(X[::2], y[::2])
    >>> found = assess(model, X[1::2], y[1::2])
    >>> found.counts, found.confusion().shape, found.certificate.fresh
    ([29, 36, 24], (3, 3), True)
    """
    classifier.check_fitted()
    items = classifier.preparation.encode(X, classifier)
    numbers = known_numbers(y, len(items), classifier.classes_)
    starts = range(0, len(numbers), _BLOCK)
    blocks = []
    for start in starts:
        own = np.arange(start, min(start + _BLOCK, len(numbers)))
        blocks.append(block_of(classifier, items[own], numbers[own], drop_known=drop_known))
    return joined(classifier, blocks, drop_known=drop_known, delta=delta)


def block_of(
    classifier: Any,
    items: Any,
    numbers: Int64Array,
    *,
    drop_known: bool,
    places: Int64Array | None = None,
    n_given: int | None = None,
) -> Block:
    """Judge some items, each of them once.

    Parameters
    ----------
    classifier : CertifiedClassifier
    items : batch of items
        As the preparation encodes them.
    numbers : ndarray of shape (n_items,), int64
        True classes.
    drop_known : bool
        Whether items that the classifier was made from get no answer.
    places : ndarray of shape (n_items,), int64, optional
        Where the items stand among those given; one after another by default.
    n_given : int, optional
        How many were given, where some of them can't be used.
    """
    if places is None:
        places = np.arange(len(numbers))
    n_given = len(numbers) if n_given is None else n_given
    roles = np.full(len(numbers), UNKNOWN)
    digests = np.empty(0, dtype=np.uint64)
    if len(numbers):
        digests = classifier.keys_of(items)
        if classifier.known_items_ is not None:
            roles = classifier.known_items_.roles_of(digests)
    known, kept = places[roles != UNKNOWN], places[roles == KEPT]
    if drop_known and len(known):
        new = np.flatnonzero(roles == UNKNOWN)
        items, numbers, places, digests = items[new], numbers[new], places[new], digests[new]
    n_classes = len(classifier.classes_)
    scores = shares = np.empty((0, n_classes))
    margins = [scores] * (1 if n_classes == 2 else n_classes)
    if len(numbers):
        judged = classifier.judge(items)
        scores, shares, margins = score_columns(judged.scores), judged.shares, judged.margins
    sound = ~np.isnan(scores).any(1) & np.isfinite(shares).all(1)
    scores, shares = scores[sound], shares[sound]
    margins = [rows[sound] for rows in margins]
    answers = answers_of(classifier, places[sound], numbers[sound], scores, shares)
    losses = np.array(gibbs_losses(numbers[sound], margins))
    return Block(n_given, known, kept, places[~sound], digests[sound], answers, scores, losses)


def joined(
    classifier: Any, blocks: Iterable[Block], *, drop_known: bool, delta: float
) -> Assessment:
    """Put blocks together, which must be of all items in their order.

    Parameters
    ----------
    classifier : CertifiedClassifier
    blocks : iterable of Block
    drop_known : bool
        As they were made with.
    delta : float
        See :func:`assess`.

    Raises
    ------
    ValueError
        If no block holds an answer.
    """
    every = list(blocks)
    starts = np.cumsum([0, *(block.n_given for block in every)])
    known, kept, numberless = (
        np.concatenate(
            [getattr(block, name) + start for block, start in zip(every, starts, strict=False)]
            or [np.empty(0, dtype=np.int64)]
        )
        for name in ("known", "kept", "numberless")
    )
    if not any(len(block.scores) for block in every):
        raise ValueError(
            f"nothing is left to test: of {starts[-1]} items {len(known)} equal items of training, "
            f"and {len(numberless)} get no number"
        )
    answers = joined_answers([block.answers for block in every], starts[:-1].tolist())
    scores = np.concatenate([block.scores for block in every])
    losses = np.concatenate([block.losses for block in every], axis=1)
    n_classes = len(classifier.classes_)
    new = np.flatnonzero(~np.isin(answers.items, known))
    digests = np.concatenate([block.digests for block in every])
    certificate = None
    if len(new):
        certificate = certify_fresh(
            classifier.classes_,
            answers.truth[new],
            list(losses[:, new]),
            scores[new, 1] if n_classes == 2 else scores[new],
            delta=delta,
            is_majority=classifier.votes_by_majority and classifier.weighing_ is None,
        )
    return Assessment(
        labels=classifier.classes_.tolist(),
        counts=np.bincount(answers.truth, minlength=n_classes).tolist(),
        answers=[answers],
        measures=[measures_of(answers.truth, answers.predicted, scores)],
        by_class=class_measures(confusion_of([answers], n_classes)),
        certificate=certificate,
        knows_items=classifier.known_items_ is not None,
        known=known,
        kept=kept,
        n_copies=len(new) - len(np.unique(digests[new])),
        dropped=drop_known,
        numberless=numberless,
        calibrated=classifier.calibration_ is not None or classifier.weighing_ is not None,
        digests=digests,
    )
