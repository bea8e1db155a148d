"""Accuracy against the number of training items, on the partitions of an evaluation."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.data.targets import numbered_labels
from sfmcore.evaluation.answers import score_columns
from sfmcore.evaluation.cross_validation import fold_numbers
from sfmcore.evaluation.fitting import learn_on
from sfmcore.evaluation.halves import Evaluation, split_of
from sfmcore.evaluation.learning_curve import stratified_order
from sfmcore.parallel.tasks import run_tasks
from sfmcore.parallel.threads import effective_threads

SHARES = (0.125, 0.25, 0.5)
"""Of the training part, beside the whole."""


@dataclass(frozen=True)
class SizeCurve:
    """Accuracies for several sizes of the training part.

    A column is one partition: the same test items for every size, and smaller training parts within
    the larger ones.

    Attributes
    ----------
    n_train : ndarray of shape (n_sizes,), int64
        Training items, rising.
    accuracy : ndarray of shape (n_sizes, n_partitions)
        Share of right labels on the test part.
    """

    n_train: Int64Array
    accuracy: Float64Array

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"n_train": self.n_train.tolist(), "accuracies": self.accuracy.tolist()}

    def summary(self) -> str:
        """Return a line of sizes and mean accuracies."""
        points = zip(self.n_train.tolist(), self.accuracy.mean(axis=1), strict=True)
        return "accuracy by training items: " + ", ".join(
            f"{size} {100 * mean:.2f} %" for size, mean in points
        )


def size_curve(
    classifier: Any,
    X: Any,
    y: npt.ArrayLike,
    result: Evaluation,
    *,
    groups: Sequence[Hashable] | None = None,
    n_jobs: int | None = None,
    show_progress: bool = False,
) -> SizeCurve:
    """Train on an eighth, a quarter and a half of every training part of an evaluation.

    Parameters
    ----------
    classifier : SFMClassifier
        Unfitted, as :func:`sfmcore.evaluation.halves.evaluate` got it.
    X, y, groups
        As it got them.
    result : Evaluation
        What it returned: the accuracies of whole training parts are taken from it.
    n_jobs : int or None, default=None
        Threads; each takes whole fits. The result does not depend on it.
    show_progress : bool, default=False

    Returns
    -------
    SizeCurve
        Sizes that would leave a class without an item are left out.
    """
    first = clone(classifier)
    items = first.preparation.encode(X, first, reset=True)
    classes, numbers = numbered_labels(y, len(items), classifier.unlabeled)
    labels = classes[numbers]
    n_parts = len(result.multiclass)
    shared: dict[str, Any] = {"labels": labels, "groups": groups, "seed": result.seed}
    shared["fold_of"] = (
        fold_numbers(labels, groups, n_parts, result.seed) if result.folded else None
    )
    lengths = [len(split_of(part, **shared)[0]) for part in range(n_parts)]
    sizes = sorted({round(share * min(lengths)) for share in SHARES})
    sizes = [size for size in sizes if size >= len(classes)]
    rows = run_tasks(
        _accuracy,
        {f"{size} items of part {part}": (part, size) for size in sizes for part in range(n_parts)},
        {**shared, "classifier": classifier, "items": items, "numbers": numbers},
        effective_threads(n_jobs),
        noun="smaller fits",
        show_progress=show_progress,
    )
    made = np.array(rows, dtype=np.float64).reshape(len(sizes), n_parts)
    return SizeCurve(
        np.array([*sizes, round(float(np.mean(lengths)))], dtype=np.int64),
        np.vstack([made, result.multiclass / 100.0]),
    )


def _accuracy(
    task: tuple[int, int],
    n_threads: int,
    *,
    classifier: Any,
    items: Any,
    labels: npt.NDArray[Any],
    numbers: Int64Array,
    groups: Sequence[Hashable] | None,
    seed: int,
    fold_of: Int64Array | None,
) -> float:
    partition, size = task
    train, test, own_seed = split_of(
        partition, labels=labels, groups=groups, seed=seed, fold_of=fold_of
    )
    random = np.random.default_rng([seed, partition, 1])
    train = np.sort(train[stratified_order(labels[train], random)[:size]])
    model, _ = learn_on(
        train, classifier, items, labels, groups, seed=own_seed, n_threads=n_threads
    )
    scores = score_columns(model.judge(items[test]).scores)
    return float(np.mean(scores.argmax(axis=1) == numbers[test]))
