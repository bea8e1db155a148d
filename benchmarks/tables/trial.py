"""One method on one partition of one set."""

import warnings
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from benchmarks.tables.dataset import Dataset
from benchmarks.tables.partitions import half
from benchmarks.tables.registry import TABLES


def run(table: str, dataset: Dataset, method: str, partition: int, seed: int) -> dict[str, Any]:
    """Train on one part, test on the other, each class against the rest and, if told, all at once.

    Parameters
    ----------
    table : str
        Name in the registry.
    dataset : Dataset
    method : str
        Name in the table.
    partition : int
    seed : int

    Returns
    -------
    dict
        A line of the file of results; ``accuracy`` is the mean over ``classes``, in per cent.
        ``multiclass`` has ``accuracy`` and ``balanced`` where the method gives labels, and
        ``training`` what it says of its training.
    """
    started = perf_counter()
    own = half(dataset, partition, seed)
    # Processes share the processors already, so the libraries below get one thread each.
    with threadpool_limits(limits=1), warnings.catch_warnings():
        # Inner folds meet settings that do not converge; what is chosen says so by its accuracy.
        warnings.simplefilter("ignore", ConvergenceWarning)
        outcome = TABLES[table].methods[method](own)
    answers = dataset.y[own.test]
    truth = answers[:, None] == np.array(dataset.targets)
    accuracies = 100.0 * np.mean(outcome.decisions == truth, axis=0)
    row = {
        "set": dataset.name,
        "method": method,
        "partition": partition,
        "accuracy": float(accuracies.mean()),
        "classes": dict(zip(dataset.targets, accuracies.tolist(), strict=True)),
        "chosen": outcome.chosen,
        "seconds": round(perf_counter() - started, 3),
    }
    if outcome.labels is not None:
        row["multiclass"] = _of_labels(outcome.labels, answers)
    if outcome.training:
        row["training"] = outcome.training
    return row


def _of_labels(found: npt.NDArray[np.str_], truth: npt.NDArray[np.str_]) -> dict[str, float]:
    """Share of right labels, and the mean of that share over the classes of the test part."""
    right = found == truth
    by_class = [float(np.mean(right[truth == label])) for label in np.unique(truth)]
    return {"accuracy": 100.0 * float(np.mean(right)), "balanced": 100.0 * float(np.mean(by_class))}
