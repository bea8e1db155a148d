"""One method on one partition of one set."""

from time import perf_counter
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.uci.datasets import Dataset
from benchmarks.uci.methods import METHODS
from benchmarks.uci.partitions import half


def run(dataset: Dataset, method: str, partition: int, seed: int) -> dict[str, Any]:
    """Train on one half, test on the other, each class against the rest.

    Of two classes only the second is taken: the other's problem is the same.

    Parameters
    ----------
    dataset : Dataset
    method : str
        Name in the registry.
    partition : int
    seed : int

    Returns
    -------
    dict
        A line of the file of results; ``accuracy`` is the mean over ``classes``, in per cent.
    """
    started = perf_counter()
    train, test, model_seed = half(dataset.y, partition, seed)
    labels = np.unique(dataset.y).tolist()
    accuracies, choices = {}, {}
    # Processes share the processors already, so the libraries below get one thread each.
    with threadpool_limits(limits=1):
        for label in labels[1:] if len(labels) == 2 else labels:
            truth = dataset.y == label
            predicted, choices[label] = METHODS[method](
                dataset.X[train], truth[train], dataset.X[test], model_seed, dataset
            )
            accuracies[label] = 100.0 * float(np.mean(predicted == truth[test]))
    return {
        "set": dataset.name,
        "method": method,
        "partition": partition,
        "accuracy": float(np.mean(list(accuracies.values()))),
        "classes": accuracies,
        "chosen": choices,
        "seconds": round(perf_counter() - started, 3),
    }
