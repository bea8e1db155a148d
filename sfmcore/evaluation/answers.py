"""Answers of a classifier about items with known labels, and their calibration."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.data.storable import storable
from sfmcore.evaluation.reliability import N_BINS, calibration_error, log_loss

COVERAGES = (0.9, 0.95)
"""Coverages at which sets of labels are evaluated."""
MAX_CURVES = 100
"""Largest number of classes with stored scores and probabilities: of more, curves are unreadable,
and arrays are large."""


@storable
@dataclass(frozen=True)
class Answers:
    """Answers about the test items of one partition.

    Attributes
    ----------
    items : ndarray of shape (n_test,)
        Places of the items in X.
    truth : ndarray of shape (n_test,)
        Number of the true class.
    predicted : ndarray of shape (n_test,)
        Number of the class of the largest score.
    confidence : ndarray of shape (n_test,)
        Probability of that class.
    true_confidence : ndarray of shape (n_test,)
        Probability of the true class.
    p_values : ndarray of shape (n_test,)
        Of the true class; empty where nothing was held out for sets of labels.
    set_sizes : ndarray of shape (n_coverages, n_test), int64
        Labels in the sets at each of `COVERAGES`; empty there, too.
    scores : ndarray of shape (n_test, n_classes), float32
        A column for each class; without columns for more than `MAX_CURVES` classes.
    shares : ndarray of shape (n_test, n_classes), float32, optional
        Probability of each class; None for more than `MAX_CURVES` classes.
    """

    items: Int64Array
    truth: Int64Array
    predicted: Int64Array
    confidence: Float64Array
    true_confidence: Float64Array
    p_values: Float64Array
    set_sizes: Int64Array
    scores: npt.NDArray[np.float32]
    shares: npt.NDArray[np.float32] | None = None


def answers_of(
    model: Any, items: Int64Array, truth: Int64Array, scores: Float64Array, shares: Float64Array
) -> Answers:
    """Answers of a fitted classifier, whose scores and probabilities are known.

    Parameters
    ----------
    model : FittedClassifier
    items, truth : ndarray of shape (n_test,)
        As of :class:`Answers`.
    scores, shares : ndarray of shape (n_test, n_classes)
        See :func:`score_columns`, and ``Judged.shares``.

    Returns
    -------
    Answers
    """
    every = np.arange(len(items))
    predicted = scores.argmax(1)
    p_values, sizes = np.empty(0), np.empty((0, 0), dtype=np.int64)
    if model.label_sets_ is not None:
        p_values = model.label_sets_.p_values(shares)[every, truth]
        sizes = np.array([model.sets_of(shares, own).sum(axis=1) for own in COVERAGES])
    n_kept = scores.shape[1] if scores.shape[1] <= MAX_CURVES else 0
    return Answers(
        items,
        truth,
        predicted,
        shares[every, predicted],
        shares[every, truth],
        p_values,
        sizes,
        scores[:, :n_kept].astype(np.float32),
        shares.astype(np.float32) if n_kept else None,
    )


def joined_answers(parts: Sequence[Answers], starts: Sequence[int]) -> Answers:
    """Answers of several parts as those of one.

    Parameters
    ----------
    parts : sequence of Answers
        Of one classifier.
    starts : sequence of int
        What the places of each part's items are counted from.
    """
    shares = [part.shares for part in parts if part.shares is not None]
    return Answers(
        np.concatenate([part.items + start for part, start in zip(parts, starts, strict=True)]),
        np.concatenate([part.truth for part in parts]),
        np.concatenate([part.predicted for part in parts]),
        np.concatenate([part.confidence for part in parts]),
        np.concatenate([part.true_confidence for part in parts]),
        np.concatenate([part.p_values for part in parts]),
        np.concatenate([part.set_sizes for part in parts], axis=1),
        np.concatenate([part.scores for part in parts]),
        np.concatenate(shares) if len(shares) == len(parts) else None,
    )


def score_columns(scores: Float64Array) -> Float64Array:
    """Scores with a column for each class, also of two.

    Examples
    --------
    >>> score_columns(np.array([0.5, -1.0])).tolist()
    [[-0.5, 0.5], [1.0, -1.0]]
    """
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores


def confusion_of(answers: Sequence[Answers], n_classes: int) -> Int64Array:
    """Items of each true class (row) by predicted class, over all partitions."""
    counts = np.zeros((n_classes, n_classes), dtype=np.int64)
    for part in answers:
        np.add.at(counts, (part.truth, part.predicted), 1)
    return counts


def most_frequent_confusions(counts: Int64Array, most: int) -> list[tuple[int, int, int, float]]:
    """Rows of true class, label given, tests and per cent of the true class; the most tests first.

    Parameters
    ----------
    counts : ndarray of shape (n_classes, n_classes)
    most : int

    Examples
    --------
    >>> most_frequent_confusions(np.array([[8, 2], [5, 5]]), 5)
    [(1, 0, 5, 50.0), (0, 1, 2, 20.0)]
    """
    wrong = counts.copy()
    np.fill_diagonal(wrong, 0)
    order = np.argsort(-wrong, axis=None, kind="stable")[:most]
    rows, columns = np.unravel_index(order, wrong.shape)
    tests = counts.sum(axis=1)
    return [
        (
            int(true),
            int(given),
            int(wrong[true, given]),
            float(100.0 * wrong[true, given] / tests[true]),
        )
        for true, given in zip(rows, columns, strict=True)
        if wrong[true, given]
    ]


def reliability_of(answers: Sequence[Answers]) -> dict[str, Any]:
    """Calibration of probabilities and sets of labels, over all partitions."""
    confidence = np.concatenate([part.confidence for part in answers])
    right = np.concatenate([part.predicted == part.truth for part in answers])
    true = np.concatenate([part.true_confidence for part in answers])
    p_values = np.concatenate([part.p_values for part in answers])
    sets = {}
    for number, coverage in enumerate(COVERAGES if len(p_values) else ()):
        sizes = np.concatenate([part.set_sizes[number] for part in answers])
        # The most probable label is always in.
        inside = right | (p_values > (1.0 - coverage) * (1.0 + 1e-12))
        sets[str(coverage)] = {
            "covered": float(inside.mean()),
            "mean_size": float(sizes.mean()),
            "singles": float((sizes == 1).mean()),
        }
    return {
        "calibration_error": calibration_error(confidence, right),
        "n_bins": N_BINS,
        "mean_confidence": float(confidence.mean()),
        "log_loss": log_loss(true),
        "sets": sets,
    }
