r"""What reasons cost, in predictions of the same sequences.

python -m benchmarks.reasons.speed [--set four_class] [--train 400] [--test 200]
"""

import argparse
import time
from collections.abc import Callable

import numpy as np

from benchmarks.reasons.data import halves
from sfmbio.classifier import ProteinClassifier


def fastest(run: Callable[[], object], repeats: int) -> float:
    """Seconds of the fastest of some runs."""
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", default="four_class", dest="name")
    parser.add_argument("--train", type=int, default=400, help="sequences of a class, at most")
    parser.add_argument("--test", type=int, default=200, help="sequences")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--presets", nargs="+", default=["best", "fast", "paper"])
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    trained, tested = halves(options.name, options.train, options.seed)
    every = np.random.default_rng(options.seed).permutation(len(tested.items))
    tested = tested[np.sort(every[: options.test])]
    print(f"{len(tested.items)} sequences, {len(tested.items.values)} residues, one thread")
    print("preset  classes  ms to predict  ms to explain   ratio  largest remainder   range")
    for preset in options.presets:
        for n_classes in (2, len(np.unique(trained.labels))):
            kept = np.unique(trained.labels)[:n_classes]
            some, asked = (
                part[np.flatnonzero(np.isin(part.labels, kept))] for part in (trained, tested)
            )
            model = ProteinClassifier.from_preset(preset, random_state=options.seed, n_jobs=1)
            model.fit(some.items, some.labels)
            model.explain(asked.items[:2])
            predicting = fastest(lambda m=model, a=asked: m.predict(a.items), options.repeats)
            explaining = fastest(lambda m=model, a=asked: m.explain(a.items), options.repeats)
            found = model.explain(asked.items)
            each = 1000.0 / len(asked.items)
            print(
                f"{preset:8}{n_classes:7d}{each * predicting:15.2f}{each * explaining:15.2f}"
                f"{explaining / predicting:8.1f}{np.abs(found.remainder).max():19.1e}"
                f"{np.ptp(found.score):8.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
