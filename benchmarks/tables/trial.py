"""One method on one partition of one set."""

import warnings
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from benchmarks.tables.dataset import Dataset
from benchmarks.tables.measures import accuracy, balanced
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
        ``multiclass`` has ``accuracy`` and ``balanced`` where the method gives labels,
        ``measures`` what the table measures beside, ``part`` the name of a given part, and
        ``training`` what the method says of its training.
    """
    started = perf_counter()
    own = half(dataset, partition, seed)
    # Processes share the processors already, so the libraries below get one thread each.
    with threadpool_limits(limits=1), warnings.catch_warnings():
        # Inner folds meet settings that do not converge; what is chosen says so by its accuracy.
        warnings.simplefilter("ignore", ConvergenceWarning)
        outcome = TABLES[table].methods[method](own)
        measures = TABLES[table].measure(own, outcome)
    answers, targets = own.y_test, own.dataset.targets
    truth = answers[:, None] == np.array(targets)
    accuracies = 100.0 * np.mean(outcome.decisions == truth, axis=0)
    row = {
        "set": dataset.name,
        "method": method,
        "partition": partition,
        "accuracy": float(accuracies.mean()),
        "classes": dict(zip(targets, accuracies.tolist(), strict=True)),
        "chosen": outcome.chosen,
        "seconds": round(perf_counter() - started, 3),
    }
    if own.name:
        row["part"] = own.name
    if measures:
        row["measures"] = measures
    if outcome.labels is not None:
        row["multiclass"] = {
            "accuracy": accuracy(outcome.labels, answers),
            "balanced": balanced(outcome.labels, answers),
        }
    if outcome.training:
        row["training"] = outcome.training
    return row
