r"""Is the confidence a probability? Measured on random halves, or on published parts.

    python -m benchmarks.calibration proteins|enzymes|scenes|vectors [--partitions 20] [--seed 0] \
        [--group-by superfamily] [--bands]

For every set and method: accuracy, mean confidence, expected calibration error over 15 bins with
all partitions together, log loss, and how often sets of labels at 90 and 95 % hold the true one,
with their mean size. ``--bands`` lists, for every band of confidence, how many test items fell into
it, their mean confidence, and the share of right labels. The data are found by SFM_DATA.
"""

import argparse

import numpy as np

from benchmarks.calibration.trials import COVERAGES, Said, said, tasks_of
from sfmcore.evaluation.reliability import calibration_error, log_loss

EDGES = np.array([0.0, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("domain", choices=["proteins", "enzymes", "scenes", "vectors"])
    parser.add_argument("--partitions", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--group-by", help="of proteins: sequence, superfamily")
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="default: all")
    parser.add_argument("--bands", action="store_true")
    options = parser.parse_args()
    print("| set | method | accuracy | confidence | calibration error | log loss | sets |")
    print("| --- | --- | ---: | ---: | ---: | ---: | --- |")
    for task in tasks_of(options.domain, options.group_by):
        if options.sets and task.name not in options.sets:
            continue
        for method, own in said(task, options.partitions, options.seed).items():
            print(row(task.name, method, own), flush=True)
            if options.bands:
                print("\n".join(bands(own)), flush=True)


def row(name: str, method: str, own: Said) -> str:
    """One row of the table."""
    confidence, right, true = figures(own)
    sets = []
    for number, coverage in enumerate(COVERAGES if own.sets else ()):
        inside = np.concatenate(
            [s[number][np.arange(len(t)), t] for s, t in zip(own.sets, own.truth, strict=True)]
        )
        sizes = np.concatenate([s[number].sum(axis=1) for s in own.sets])
        sets.append(f"{100 * coverage:g} %: {100 * inside.mean():.2f} %, {sizes.mean():.2f} labels")
    return (
        f"| {name} | {method} | {100 * right.mean():.2f} | {100 * confidence.mean():.2f} | "
        f"{calibration_error(confidence, right):.4f} | {log_loss(true):.4f} | {'; '.join(sets)} |"
    )


def figures(own: Said) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Confidence, whether the label is right, and the true class's probability, of all items."""
    confidence = np.concatenate([shares.max(axis=1) for shares in own.shares])
    pairs = list(zip(own.shares, own.truth, strict=True))
    right = np.concatenate([shares.argmax(axis=1) == truth for shares, truth in pairs])
    true = np.concatenate([shares[np.arange(len(truth)), truth] for shares, truth in pairs])
    return confidence, right, true


def bands(own: Said) -> list[str]:
    """Rows of the bands of confidence."""
    confidence, right, _ = figures(own)
    places = np.clip(np.digitize(confidence, EDGES) - 1, 0, len(EDGES) - 2)
    lines = ["", "| confidence | items | mean confidence | right |", "| --- | ---: | ---: | ---: |"]
    for band in np.unique(places):
        inside = places == band
        lines.append(
            f"| {EDGES[band]:.2f} to {EDGES[band + 1]:.2f} | {inside.sum()} "
            f"| {confidence[inside].mean():.3f} | {right[inside].mean():.3f} |"
        )
    return [*lines, ""]


if __name__ == "__main__":
    main()
