r"""Figure 1, left and right: unlabelled items where few are labelled.

One-versus-rest accuracy against the number of labelled items, with and without a quarter of the
test half as unlabelled items. Tissue: the mean over its six classes. Proteins: class #2
(information) of the four classes. The estimators are used as they come.

    python -m benchmarks.learning_curve [--sets tissue proteins] [--partitions 20] [--seed 0] \
        [--jobs 2] [--json FILE] [--figure FILE]
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import ttest_rel

from benchmarks import data_folder
from benchmarks.uci.datasets import load
from sfmbio.classifier import ProteinClassifier
from sfmbio.datasets import read_sequences
from sfmbio.labels import parse_label_spec
from sfmbio.report import ReadReport
from sfmcore.classifier import SFMClassifier
from sfmcore.learning_curve import SemiSupervisedCurve, semi_supervised_curve

TISSUE_SIZES = (8, 12, 20, 30, 40, 52)
PROTEIN_SIZES = (20, 50, 100, 200, 400, 800, 1600)
PROTEIN_CLASS = "information"


def tissue(options: argparse.Namespace) -> dict[str, Any]:
    """Mean over the classes, partition by partition."""
    data = load("tissue")
    curves = [
        _curve(SFMClassifier(), data.X, data.y == label, TISSUE_SIZES, options)
        for label in np.unique(data.y)
    ]
    return _values(curves)


def proteins(options: argparse.Namespace) -> dict[str, Any]:
    """Class #2 against the other three."""
    folder = data_folder() / "proteins" / "four_class"
    sequences = read_sequences([str(folder)], ReadReport(), parse_label_spec("file"))
    y = np.array(sequences.labels) == PROTEIN_CLASS
    if not y.any():
        raise SystemExit(f"no class {PROTEIN_CLASS} in {folder}")
    return _values([_curve(ProteinClassifier(), sequences.batch, y, PROTEIN_SIZES, options)])


SETS: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "tissue": tissue,
    "proteins": proteins,
}


def _curve(
    estimator: Any, X: Any, y: np.ndarray, sizes: tuple[int, ...], options: argparse.Namespace
) -> SemiSupervisedCurve:
    return semi_supervised_curve(
        estimator,
        X,
        y,
        n_labelled=sizes,
        n_partitions=options.partitions,
        random_state=options.seed,
        n_jobs=options.jobs,
        show_progress=True,
    )


def _values(curves: list[SemiSupervisedCurve]) -> dict[str, Any]:
    """Per cent, the mean over the curves for every partition."""
    return {
        "n_labelled": curves[0].n_labelled.tolist(),
        "supervised": (100 * np.mean([c.supervised for c in curves], axis=0)).tolist(),
        "semi_supervised": (100 * np.mean([c.semi_supervised for c in curves], axis=0)).tolist(),
    }


def table(name: str, values: dict[str, Any]) -> str:
    """Markdown: mean and deviation of both, and the paired difference with its p-value."""
    lines = [
        f"| {name}: labelled | supervised | semi-supervised | difference | p |",
        "| ---: | ---: | ---: | ---: | ---: |",
    ]
    rows = zip(
        values["n_labelled"],
        np.array(values["supervised"]),
        np.array(values["semi_supervised"]),
        strict=True,
    )
    for size, alone, more in rows:
        gap = more - alone
        p = ttest_rel(more, alone).pvalue if len(gap) > 1 and np.any(gap) else np.nan
        lines.append(
            f"| {size} | {alone.mean():.2f} ± {alone.std(ddof=1):.2f} "
            f"| {more.mean():.2f} ± {more.std(ddof=1):.2f} "
            f"| {gap.mean():+.2f} ± {gap.std(ddof=1):.2f} | {p:.3f} |"
        )
    return "\n".join(lines)


def draw(path: Path, results: dict[str, dict[str, Any]]) -> None:
    """One axis for each set."""
    import matplotlib.pyplot as plt

    from sfmcore.plots import LearningCurveDisplay

    figure, axes = plt.subplots(1, len(results), figsize=(5 * len(results), 4), squeeze=False)
    for ax, (name, values) in zip(axes[0], results.items(), strict=True):
        both = {
            "supervised": np.array(values["supervised"]),
            "semi-supervised": np.array(values["semi_supervised"]),
        }
        sizes = np.array(values["n_labelled"])
        LearningCurveDisplay(n_labelled=sizes, accuracies=both, score_name="accuracy (%)").plot(
            ax=ax
        )
        ax.set_title(name)
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    """Run the sets that are asked for."""
    parser = argparse.ArgumentParser(description="Supervised against semi-supervised.")
    parser.add_argument("--sets", nargs="+", choices=list(SETS), default=list(SETS))
    parser.add_argument("--partitions", type=int, default=20, metavar="N", help="at least 2")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="draw them (matplotlib)")
    options = parser.parse_args()
    if options.partitions < 2:
        parser.error("--partitions must be at least 2, or there is no spread")
    results = {}
    for name in options.sets:
        results[name] = SETS[name](options)
        print(table(name, results[name]), flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    if options.figure is not None:
        draw(options.figure, results)


if __name__ == "__main__":
    main()
