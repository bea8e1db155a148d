"""Rows of a table of predictions: one for each input, in input order."""

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import Any, TypeVar

import numpy as np

from sfmcore.commandline.output import UNCLASSIFIED, one_line
from sfmcore.estimators.classifier import SFMClassifier
from sfmcore.parallel.workers import workers

T = TypeVar("T")
Row = TypeVar("Row")


def best_two(classifier: SFMClassifier, batch: Any) -> list[tuple[str, float, str, float]]:
    """Label, confidence, second label and its confidence of every item.

    Parameters
    ----------
    classifier : SFMClassifier
        Fitted.
    batch : batch of items
    """
    scores, shares = classifier.judge(batch)
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


def in_order(
    rows_of: Callable[[T], list[Row]], chunks: Iterable[T], n_threads: int
) -> Iterator[list[Row]]:
    """Rows chunk by chunk: this thread reads on while the others compute."""
    if n_threads == 1:
        yield from map(rows_of, chunks)
        return
    waiting: deque[Future[list[Row]]] = deque()
    with workers(n_threads) as pool:
        for chunk in chunks:
            waiting.append(pool.submit(rows_of, chunk))
            if len(waiting) > n_threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
