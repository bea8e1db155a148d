"""Rows of a table of predictions: one for each input, in input order."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sfmcore.commandline.output import UNCLASSIFIED, one_line
from sfmcore.estimators.classifier import SFMClassifier

UNLIKE = "unlike anything learnt from"
"""Status of an input that is not typical enough."""
SET_SEPARATOR = "|"
"""Separator between the labels of a set."""


class Answer(NamedTuple):
    """Answer of a classifier for an item.

    Attributes
    ----------
    label, second : str
        The class of the largest score, and that of the next.
    confidence, runner_up : float
        Their probabilities.
    typicality : float or None
        P-value of being like the training items, where the model knows it.
    labels : str or None
        Every label that can't be excluded, where that was asked for.
    """

    label: str
    confidence: float
    second: str
    runner_up: float
    typicality: float | None = None
    labels: str | None = None


@dataclass(frozen=True)
class Limits:
    """Conditions for giving an answer.

    Attributes
    ----------
    confidence : float
        At least.
    typicality : float
        Above.
    """

    confidence: float = 0.0
    typicality: float = 0.0


def answers(
    classifier: SFMClassifier,
    batch: Any,
    made: Sequence[Any] | None = None,
    *,
    coverage: float | None = None,
) -> list[Answer]:
    """Answers of a classifier for all items.

    Parameters
    ----------
    classifier : SFMClassifier
        Fitted.
    batch : batch of items
    made : sequence of batch of items, optional
        What the classifier's ``prepared`` made of the batch, where it was called before.
    coverage : float, optional
        That of the sets of labels.
    """
    if made is None:
        made = classifier.prepared(batch)
    judged = classifier.judge(batch, made)
    scores, shares = judged.scores, judged.shares
    typical: list[float | None] = [None] * len(shares)
    if classifier.typicality_ is not None:
        typical = classifier.typicality_of(made, judged).tolist()
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    # By score, as `predict`: with draws the shares may rank two close classes otherwise.
    ranked = np.argsort(-scores, axis=1, kind="stable")[:, :2]
    top = np.take_along_axis(shares, ranked, axis=1).tolist()
    classes = np.array([one_line(str(label)) for label in classifier.classes_.tolist()])
    names = classes[ranked].tolist()
    sets: list[str | None] = [None] * len(names)
    if coverage is not None:
        order = np.argsort(-shares, axis=1, kind="stable")
        inside = np.take_along_axis(classifier.sets_of(shares, coverage), order, axis=1)
        sets = [
            SET_SEPARATOR.join(classes[own[some]]) for own, some in zip(order, inside, strict=True)
        ]
    return [
        Answer(label, confidence, second, runner_up, typicality, labels)
        for (label, second), (confidence, runner_up), typicality, labels in zip(
            names, top, typical, sets, strict=True
        )
    ]


def row(name: str, answer: Answer, limits: Limits, more: str) -> str:
    """One tab-separated row of a usable input; beyond a limit it is unclassified."""
    label, confidence, second, runner_up, typicality, labels = answer
    more += "\t" if typicality is None else f"\t{typicality:.4f}"
    if labels is not None:
        more += f"\t{labels}"
    if not math.isfinite(confidence):
        return f"{name}\t\t\tthe model gives no number for it\t\t\t{more}\n"
    status = "ok"
    if confidence < limits.confidence:
        label, status = UNCLASSIFIED, f"confidence below {limits.confidence:g}"
    if typicality is not None and typicality <= limits.typicality:
        label, status = UNCLASSIFIED, UNLIKE
    return f"{name}\t{label}\t{confidence:.4f}\t{status}\t{second}\t{runner_up:.4f}\t{more}\n"


def unusable_row(name: str, status: str, more: str = "", *, sets: bool = False) -> str:
    """Row of an input that can't be used; `sets` says whether there is a column of sets."""
    return f"{name}\t\t\t{status}\t\t\t{more}\t" + ("\t\n" if sets else "\n")


def columns(own: Sequence[str], coverage: float | None) -> list[str]:
    """Names of the columns of a table.

    Parameters
    ----------
    own : sequence of str
        Those that every table of the program has.
    coverage : float or None
        Coverage of the sets of labels, which come last.
    """
    return [*own, *([] if coverage is None else ["labels"])]


def has_header(shard: tuple[int, int] | None) -> bool:
    """Whether the table of a part begins with the header row: that of the first does."""
    return shard is None or shard[0] == 1
