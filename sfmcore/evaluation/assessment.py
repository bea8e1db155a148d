"""What the test of a fitted classifier showed."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfmcore.bounds.certificate_report import CertificateReport
from sfmcore.data.arrays import Float64Array, Int64Array, UInt64Array
from sfmcore.evaluation.answers import Answers, confusion_of, reliability_of
from sfmcore.evaluation.class_measures import CLASS_MEASURES
from sfmcore.evaluation.measures import MEASURES, RANK_MEASURES, Measures


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
    digests : ndarray of shape (n_answers,), uint64
        Of the items that have an answer; equal items have equal ones.
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
    digests: UInt64Array

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


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
