"""Rows of a table of predictions: one for each input, in input order."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sfmcore.commandline.output import UNCLASSIFIED, one_line
from sfmcore.estimators.classifier import SFMClassifier


def best_two(
    classifier: SFMClassifier, batch: Any, made: Sequence[Any] | None = None
) -> list[tuple[str, float, str, float]]:
    """Label, confidence, second label and its confidence of every item.

    Parameters
    ----------
    classifier : SFMClassifier
        Fitted.
    batch : batch of items
    made : sequence of batch of items, optional
        What the classifier's ``prepared`` made of the batch, where it was called before.
    """
    scores, shares = classifier.judge(batch, made)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    # By score, as `predict`: with draws the shares may rank two close classes otherwise.
    ranked = np.argsort(-scores, axis=1, kind="stable")[:, :2]
    top = np.take_along_axis(shares, ranked, axis=1).tolist()
    classes = np.array([one_line(str(label)) for label in classifier.classes_.tolist()])
    names = classes[ranked].tolist()
    return [
        (label, confidence, second, runner_up)
        for (label, second), (confidence, runner_up) in zip(names, top, strict=True)
    ]


def row(name: str, result: tuple[str, float, str, float], minimum: float, more: str) -> str:
    """One tab-separated row of a usable input; below the minimum it is unclassified."""
    label, confidence, second, runner_up = result
    if not math.isfinite(confidence):
        return unusable_row(name, "the model gives no number for it", more)
    status = "ok"
    if confidence < minimum:
        label, status = UNCLASSIFIED, f"confidence below {minimum:g}"
    return f"{name}\t{label}\t{confidence:.4f}\t{status}\t{second}\t{runner_up:.4f}\t{more}\n"


def unusable_row(name: str, status: str, more: str = "") -> str:
    """Row of an input that can't be used."""
    return f"{name}\t\t\t{status}\t\t\t{more}\n"


def has_header(shard: tuple[int, int] | None) -> bool:
    """Whether the table of a part begins with the header row: that of the first does."""
    return shard is None or shard[0] == 1
