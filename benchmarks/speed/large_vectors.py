"""`SFMClassifierCV().fit` on many vectors: seconds, peak memory, and what a random forest gets.

Each of ten classes is a mixture of four Gaussians with covariances of their own, in 50 columns.

    python -m benchmarks.speed.large_vectors [--rows 50000] [--threads 2]

It prints one line of JSON. The peak is that of the process, after `fit` of ours alone.
"""

import argparse
import json
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.speed.environment import processor_name, start_fairly
from benchmarks.speed.processes import peak_mib
from benchmarks.speed.timing import give_up
from sfmcore.data.arrays import Float64Array, Int64Array

N_CLASSES, N_COLUMNS, N_PARTS = 10, 50, 4
N_NEW = 5_000


def mixtures(n_rows: int, seed: int) -> tuple[Float64Array, Int64Array]:
    """Rows of all classes in random order, and their classes.

    Examples
    --------
    >>> X, y = mixtures(100, 0)
    >>> X.shape, np.bincount(y).tolist()
    ((100, 50), [10, 10, 10, 10, 10, 10, 10, 10, 10, 10])
    """
    fixed = np.random.default_rng(0)
    shape = (N_CLASSES, N_PARTS)
    centres = 0.6 * fixed.normal(size=(*shape, N_COLUMNS))
    spreads = fixed.normal(size=(*shape, N_COLUMNS, N_COLUMNS)) / np.sqrt(N_COLUMNS)
    random = np.random.default_rng([1, seed])
    y = random.permutation(np.arange(n_rows, dtype=np.int64) % N_CLASSES)
    part = random.integers(N_PARTS, size=n_rows)
    X = random.normal(size=(n_rows, N_COLUMNS))
    for number in range(N_CLASSES):
        for place in range(N_PARTS):
            own = (y == number) & (part == place)
            X[own] = X[own] @ spreads[number, place] + centres[number, place]
    return X, y


def fit(n_rows: int, n_threads: int) -> dict[str, Any]:
    """Fit ours, then the forest."""
    # Neither is there on every system, and nothing else needs them.
    from resource import RUSAGE_SELF, getrusage

    from sklearn.ensemble import RandomForestClassifier

    from sfmcore import SFMClassifierCV

    X, y = mixtures(n_rows, 0)
    new: tuple[npt.NDArray[Any], npt.NDArray[Any]] = mixtures(N_NEW, 1)
    before, started = getrusage(RUSAGE_SELF), perf_counter()
    model = SFMClassifierCV(random_state=0, n_jobs=n_threads).fit(X, y)
    seconds, after = perf_counter() - started, getrusage(RUSAGE_SELF)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    forest = RandomForestClassifier(500, random_state=0, n_jobs=n_threads).fit(X, y)
    return {
        "n_rows": n_rows,
        "n_threads": n_threads,
        "processor": processor_name(),
        "seconds": round(seconds, 1),
        "processor_seconds": round(processor, 1),
        "peak_mib": round(peak_mib(after.ru_maxrss), 1),
        "new_right": float(model.score(*new)),
        "forest_new_right": float(forest.score(*new)),
    }


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.large_vectors",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rows", type=int, default=50_000, metavar="N")
    parser.add_argument("--threads", type=int, default=2, metavar="N")
    options = parser.parse_args()
    if options.rows < 100 or options.threads < 1:
        give_up("--rows must be at least 100 and --threads at least 1")
    start_fairly()
    print(json.dumps(fit(options.rows, options.threads)))


if __name__ == "__main__":
    main()
