r"""Whether sets of labels hold the true one as often as they promise, split after split.

    python -m benchmarks.calibration.splits proteins|scenes|vectors [--splits 200] [--seed 0] \
        [--sets NAME ...]

One half of the data trains a classifier. The other half is parted at random, again and again, into
items that sets of labels are made from, as those that ``certificate_fraction`` withholds, and items
to be tested on. For coverages of 90 and 95 % each row has the mean coverage over all splits, the
range of 95 % of them, the class with the lowest mean, how many splits of a class lie below the
2.5 % quantile that exactly so much coverage would give it (a beta-binomial distribution; at most
2.5 % of them should), and the mean size. The data are found by SFM_DATA.
"""

import argparse
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import betabinom

from benchmarks.calibration.trials import COVERAGES, said, tasks_of
from sfmcore.learning.label_sets import LabelSets

# Items of a class that its own p-values need, and tested ones that say something.
_LEAST = 20
_QUANTILE = 0.025


@dataclass(frozen=True)
class Coverage:
    """What sets of one coverage held over all splits.

    Attributes
    ----------
    overall : ndarray of shape (n_splits,)
        Share of the tested items whose set has the true label.
    by_class : ndarray of shape (n_splits, n_classes)
        The same of each class; NaN where it has too few items.
    low : ndarray of shape (n_splits, n_classes), bool
        Whether that is below the quantile.
    size : float
        Mean number of labels.
    """

    overall: np.ndarray
    by_class: np.ndarray
    low: np.ndarray
    size: float


def covered(
    shares: np.ndarray, truth: np.ndarray, coverage: float, n_splits: int, seed: int
) -> Coverage:
    """Split items again and again, and see what sets hold.

    Parameters
    ----------
    shares : ndarray of shape (n_items, n_classes)
        Probabilities by a classifier that has seen none of the items.
    truth : ndarray of shape (n_items,), int64
        Places of the true classes.
    coverage : float
    n_splits, seed : int
    """
    n_classes = shares.shape[1]
    overall, by_class, low, sizes = [], [], [], []
    for split in range(n_splits):
        order = np.random.default_rng([seed, split]).permutation(len(truth))
        kept, tested = order[: len(order) // 2], order[len(order) // 2 :]
        sets = LabelSets.of(shares[kept], truth[kept], np.ones(len(kept)))
        inside = sets.sets(shares[tested], coverage)
        right = inside[np.arange(len(tested)), truth[tested]]
        overall.append(right.mean())
        sizes.append(inside.sum(axis=1).mean())
        shown, below = np.full(n_classes, np.nan), np.zeros(n_classes, dtype=bool)
        for number in range(n_classes):
            own = right[truth[tested] == number]
            n_kept = int(np.sum(truth[kept] == number))
            if min(n_kept, len(own)) < _LEAST:
                continue
            out = int((n_kept + 1) * (1.0 - coverage) * (1.0 + 1e-12))
            shown[number] = own.mean()
            if out:
                least = betabinom.ppf(_QUANTILE, len(own), n_kept + 1 - out, out)
                below[number] = own.sum() < least
        by_class.append(shown)
        low.append(below)
    return Coverage(np.array(overall), np.array(by_class), np.array(low), float(np.mean(sizes)))


def row(name: str, asked: float, found: Coverage) -> str:
    """One row of the table."""
    first, last = 100 * np.quantile(found.overall, [_QUANTILE, 1 - _QUANTILE])
    seen = ~np.isnan(found.by_class)
    some = seen.any(axis=0)
    lowest = 100 * np.nanmean(found.by_class[:, some], axis=0).min() if some.any() else np.nan
    share = 100 * found.low.sum() / seen.sum() if seen.any() else np.nan
    return (
        f"| {name} | {100 * asked:g} % | {100 * found.overall.mean():.2f} | "
        f"{first:.1f} to {last:.1f} | {lowest:.2f} | {share:.1f} % | {found.size:.2f} |"
    )


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("domain", choices=["proteins", "scenes", "vectors"])
    parser.add_argument("--splits", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="default: all")
    options = parser.parse_args()
    print("| set | asked | mean | 95 % of the splits | lowest class | below 2.5 % | labels |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for task in tasks_of(options.domain, None):
        if options.sets and task.name not in options.sets:
            continue
        # Of one half, and by ours alone.
        methods = {"sfm": task.methods["sfm"]}
        own = said(replace(task, methods=methods), 1, options.seed)["sfm"]
        for coverage in COVERAGES:
            found = covered(own.shares[0], own.truth[0], coverage, options.splits, options.seed)
            print(row(task.name, coverage, found), flush=True)


if __name__ == "__main__":
    main()
