"""Answers made here, of any size, for the tests of pages."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from sfmcore.evaluation.answers import MAX_CURVES, Answers, confusion_of, reliability_of
from sfmcore.evaluation.measures import Measures, measures_of
from sfmcore.reporting.outcome import Origin


@dataclass
class Made:
    """An outcome: what a report needs, and nothing else."""

    labels: list[Any]
    counts: list[int]
    answers: list[Answers]
    measures: list[Measures] = field(default_factory=list)

    def confusion(self):
        return confusion_of(self.answers, len(self.labels))

    def reliability(self):
        return reliability_of(self.answers)


@pytest.fixture
def outcome() -> Callable[..., Made]:
    """Make an outcome of some items, classes and partitions; `skill` 20 makes no mistake."""

    def call(n_items=300, n_classes=3, n_parts=1, skill=2.0, labels=None, sets=True):
        random = np.random.default_rng(n_items + n_classes)
        answers, measures = [], []
        every = np.arange(n_items)
        for _ in range(n_parts):
            truth = every % n_classes
            scores = random.normal(size=(n_items, n_classes)) + skill * np.eye(n_classes)[truth]
            shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
            predicted = scores.argmax(axis=1)
            kept = scores if n_classes <= MAX_CURVES else scores[:, :0]
            p_values = random.uniform(size=n_items) if sets else np.empty(0)
            sizes = np.ones((2, n_items), int) if sets else np.empty((0, 0), int)
            answers.append(
                Answers(
                    every,
                    truth,
                    predicted,
                    shares[every, predicted],
                    shares[every, truth],
                    p_values,
                    sizes,
                    kept.astype(np.float32),
                    shares.astype(np.float32) if n_classes <= MAX_CURVES else None,
                )
            )
            measures.append(measures_of(truth, predicted, scores))
        names = [f"class {k}" for k in range(n_classes)] if labels is None else labels
        counts = np.bincount(every % n_classes, minlength=n_classes).tolist()
        return Made(names, counts, answers, measures)

    return call


@pytest.fixture
def origin() -> Origin:
    return Origin(
        "sfmbio",
        "test",
        "sfmbio test a.sfm a.fasta",
        "sequence",
        inputs=["a.fasta"],
        preset="best",
        changed={"C": (3.0, 300.0)},
        parameters={"C": 3.0, "n_states": [10, 20]},
        versions={"sfm-pacbayes": "1"},
    )
