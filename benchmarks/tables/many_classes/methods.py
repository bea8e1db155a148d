"""The methods of Table 5 by name."""

from time import perf_counter, process_time
from typing import Any

from benchmarks.tables.dataset import Half, Method, Outcome
from sfmbio.classifier import ProteinClassifier


def sfm(preset: str, **changed: Any) -> Method:
    """ProteinClassifier of a preset, and the time that its training takes."""

    def method(half: Half) -> Outcome:
        model = ProteinClassifier.from_preset(preset, random_state=half.seed, **changed)
        items = half.X
        wall, processor = perf_counter(), process_time()
        model.fit(items, half.y)
        training = {
            "seconds": round(perf_counter() - wall, 3),
            "processor_seconds": round(process_time() - processor, 3),
        }
        scores = model.decision_function(half.X_test)
        labels = model.classes_[scores.argmax(1)]
        return Outcome(scores > 0, labels=labels, training=training)

    return method


METHODS: dict[str, Method] = {
    "sfm": sfm("best"),
    "fast": sfm("fast"),
    # A pair of models of its own for each class, as before classes shared them.
    "pairs": sfm("best", n_shared_models=0, kernel_rank=0),
}
