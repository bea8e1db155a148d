"""ProteinClassifier where all classes are told apart at once."""

from typing import Any

import numpy as np

from benchmarks.tables.answers import answers
from benchmarks.tables.dataset import Half, Method, Outcome
from benchmarks.tables.timing import timed
from sfmbio.classifier import ProteinClassifier


def sfm(preset: str, **changed: Any) -> Method:
    """ProteinClassifier of a preset, and the time that its training takes."""

    def method(half: Half) -> Outcome:
        model = ProteinClassifier.from_preset(preset, random_state=half.seed, **changed)
        items = half.X
        with timed() as training:
            model.fit(items, half.y)
        scores = np.asarray(model.decision_function(half.X_test))
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
        return answers(half, scores, model.classes_, training=training, decisions=scores > 0)

    return method
