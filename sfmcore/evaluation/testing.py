"""The test of a fitted classifier: what it says of labelled items, and how far that is right.

Items are judged once, block by block, and only the answers are kept. Items that equal training
items are found by their digests: they prove nothing, and may be left out.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfmcore.bounds.certificate_report import CertificateReport, certify_fresh, gibbs_losses
from sfmcore.data.arrays import Float64Array, Int64Array, UInt64Array
from sfmcore.data.storable import storable
from sfmcore.estimators.certifying import known_numbers
from sfmcore.estimators.fitted import Judged
from sfmcore.estimators.known_items import KEPT, UNKNOWN
from sfmcore.evaluation.answers import (
    Answers,
    answers_of,
    confusion_of,
    joined_answers,
    reliability_of,
    score_columns,
)
from sfmcore.evaluation.class_measures import CLASS_MEASURES, class_measures
from sfmcore.evaluation.measures import MEASURES, RANK_MEASURES, Measures, measures_of

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


@dataclass(frozen=True)
class Assessment:
    """What the test of a classifier showed. Places are those among the items given.

    Attributes
    ----------
    labels : list
        Classes, sorted.
    counts : list of int
        Items tested of each class.
    answers : list of Answers
        One, of all items tested.
    measures : list of Measures
        One.
    by_class : dict of str to ndarray of shape (n_classes,)
        See :func:`sfmcore.evaluation.class_measures.class_measures`.
    certificate : CertificateReport or None
        What the items prove that are not known to be training items; None if there are none.
    knows_items : bool
        Whether the classifier knows what it was made from. If not, the certificate takes for
        granted that all items are new.
    known : ndarray of shape (n_known,), int64
        Places of items that the classifier was made from.
    kept : ndarray of shape (n_kept,), int64
        Those of `known` that nothing was learnt from, but for the certificate of training.
    n_copies : int
        Items behind the certificate that equal an earlier one of these.
    dropped : bool
        Whether the items of `known` have no part in anything here.
    numberless : ndarray of int64
        Places of items that got no number, which have no part in anything either.
    calibrated : bool
        Whether confidence is a probability that held-out items taught, and no share of votes.
    """

    labels: list[Any]
    counts: list[int]
    answers: list[Answers]
    measures: list[Measures]
    by_class: dict[str, Float64Array]
    certificate: CertificateReport | None
    knows_items: bool
    known: Int64Array
    kept: Int64Array
    n_copies: int
    dropped: bool
    numberless: Int64Array
    calibrated: bool

    def confusion(self) -> Int64Array:
        """Items of each true class (row) by predicted class."""
        return confusion_of(self.answers, len(self.labels))

    def reliability(self) -> dict[str, Any]:
        """How far probabilities, and sets of labels, are what comes true."""
        return reliability_of(self.answers)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; null is what is not defined."""
        confusion = self.confusion()
        (measures,) = self.measures
        columns = {**self.by_class, **measures.by_class}
        names = (*CLASS_MEASURES, *RANK_MEASURES)
        rows = [
            {
                "label": label,
                "n_items": count,
                "n_predicted": int(confusion[:, place].sum()),
                **{name: _number(columns[name][place]) for name in names},
            }
            for place, (label, count) in enumerate(zip(self.labels, self.counts, strict=True))
        ]
        return {
            "n_items": sum(self.counts),
            "classes": rows,
            "measures": {name: _number(measures.overall[name]) for name in MEASURES},
            "confusion": confusion.tolist(),
            "calibrated": self.calibrated,
            "reliability": self.reliability(),
            "n_copies": self.n_copies,
            "certificate": None if self.certificate is None else self.certificate.to_dict(),
        }


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
    classifier : FittedClassifier
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
    classifier : FittedClassifier
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
    judged = classifier.judge(items) if len(numbers) else _nothing(len(classifier.classes_))
    scores = score_columns(judged.scores)
    sound = ~np.isnan(scores).any(1) & np.isfinite(judged.shares).all(1)
    scores, shares = scores[sound], judged.shares[sound]
    margins = [rows[sound] for rows in judged.margins]
    answers = answers_of(classifier, places[sound], numbers[sound], scores, shares)
    losses = np.array(gibbs_losses(numbers[sound], margins))
    return Block(n_given, known, kept, places[~sound], digests[sound], answers, scores, losses)


def _nothing(n_classes: int) -> Judged:
    """What is said of no item."""
    none = np.empty((0, n_classes))
    return Judged(none, none, none, [none] * (1 if n_classes == 2 else n_classes))


def joined(
    classifier: Any, blocks: Iterable[Block], *, drop_known: bool, delta: float
) -> Assessment:
    """Put blocks together, which must be of all items in their order.

    Parameters
    ----------
    classifier : FittedClassifier
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
    digests = np.concatenate([block.digests for block in every])[new]
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
        n_copies=len(new) - len(np.unique(digests)),
        dropped=drop_known,
        numberless=numberless,
        calibrated=classifier.calibration_ is not None or classifier.weighing_ is not None,
    )


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
