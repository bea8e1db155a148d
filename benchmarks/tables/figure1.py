"""Figure 1: accuracy with few labelled items, with and without unlabelled ones.

One-versus-rest accuracy against the number of labelled items, with and without a quarter of the
test half as unlabelled items. Tissue: the mean over its six classes. Scenes: highway. Proteins:
class #2, information. The estimators have their defaults, and once more the weight of unlabelled
items in the paper.
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.tables.comparison import compare
from benchmarks.tables.dataset import Dataset
from benchmarks.tables.markdown import difference, grid, with_spread
from benchmarks.tables.proteins.datasets import load as load_proteins
from benchmarks.tables.results import Results
from benchmarks.tables.running import Trial
from benchmarks.tables.scenes.datasets import load as load_scenes
from benchmarks.tables.scenes.methods import kept
from benchmarks.tables.vectors.datasets import load as load_vectors
from sfmbio.classifier import ProteinClassifier
from sfmcore.estimators.classifier import SFMClassifier
from sfmcore.evaluation.halves import deviation
from sfmcore.evaluation.learning_curve import semi_supervised_split
from sfmvision.classifier import SceneClassifier

# Parameters of the estimator; None if it sees no unlabelled items.
METHODS: dict[str, dict[str, Any] | None] = {
    "supervised": None,
    "semi-supervised": {},
    "semi-supervised, w = 1": {"unlabeled_weight": 1.0},
}
ALONE, *TOGETHER = METHODS
UNLABELLED = 0.25


@dataclass(frozen=True)
class Curve:
    """One panel of the figure.

    Attributes
    ----------
    title : str
    dataset : str
    load : callable
    classes : tuple of str
        Classes told from the rest; empty for the mean over all classes.
    sizes : tuple of int
        Numbers of labelled items.
    make : callable
        Returns an unfitted estimator.
    """

    title: str
    dataset: str
    load: Callable[[str], Dataset]
    classes: tuple[str, ...]
    sizes: tuple[int, ...]
    make: Callable[..., Any]


def scenes(**parameters: Any) -> SceneClassifier:
    """SceneClassifier with its defaults; shares a cache of descriptors."""
    return SceneClassifier(cache=kept(), **parameters)


CURVES = {
    "tissue": Curve(
        "Tissue (UCI)", "tissue", load_vectors, (), (8, 12, 20, 30, 40, 52), SFMClassifier
    ),
    "highway": Curve(
        "Highway (scenes)",
        "scenes",
        load_scenes,
        ("highway",),
        (20, 50, 100, 200, 400, 800, 1344),
        scenes,
    ),
    "information": Curve(
        "Information (proteins)",
        "proteins",
        load_proteins,
        ("information",),
        (20, 50, 100, 200, 400, 800, 1600),
        ProteinClassifier,
    ),
}


def trials_of(options: argparse.Namespace, results: Results) -> list[Trial]:
    """Trials that the file does not hold yet, by data set and partition."""
    wanted = product(options.sets, range(options.partitions), options.methods)
    missing = [key for key in wanted if (key[0], key[2], key[1]) not in results.rows]
    data = {name: CURVES[name].load(CURVES[name].dataset) for name in {key[0] for key in missing}}
    return [
        (name, data[name], method, partition, options.seed) for name, partition, method in missing
    ]


def run(name: str, dataset: Dataset, method: str, partition: int, seed: int) -> dict[str, Any]:
    """Accuracy at every number of labelled items, on one random half.

    The splits are those of :func:`sfmcore.evaluation.learning_curve.semi_supervised_curve`, of the
    class against the rest.

    Parameters
    ----------
    name : str
        Of the curve.
    dataset : Dataset
    method : str
        One of `METHODS`.
    partition : int
    seed : int

    Returns
    -------
    dict
        A line of the file of results; ``sizes`` holds per cent by number of labelled items.
    """
    started = perf_counter()
    curve = CURVES[name]
    labels = curve.classes or tuple(np.unique(dataset.y).tolist())
    shares = np.array([_shares(curve, dataset, label, method, partition, seed) for label in labels])
    means = (100.0 * shares.mean(0)).tolist()
    return {
        "set": name,
        "method": method,
        "partition": partition,
        "sizes": dict(zip(map(str, curve.sizes), means, strict=True)),
        "seconds": round(perf_counter() - started, 3),
    }


def _shares(
    curve: Curve, dataset: Dataset, label: str, method: str, partition: int, seed: int
) -> list[float]:
    """Share of right answers at each size."""
    y = dataset.y == label
    random = np.random.default_rng([seed, partition])
    split = semi_supervised_split(y, UNLABELLED, random)
    own = int(random.integers(2**31))
    parameters = METHODS[method]
    more = {} if parameters is None else {"X_unlabeled": dataset.X[split.unlabelled]}
    shares = []
    with threadpool_limits(limits=1):
        for size in curve.sizes:
            known = split.labelled[:size]
            model = curve.make(random_state=own, **(parameters or {}))
            model.fit(dataset.X[known], y[known], **more)
            shares.append(float(np.mean(model.predict(dataset.X[split.test]) == y[split.test])))
    return shares


def write_report(what: str, results: Results, folder: Path) -> list[Path]:
    """Write a summary (JSON), tables (Markdown) and the figure.

    Parameters
    ----------
    what : str
        Stem of the files.
    results : Results
    folder : Path

    Returns
    -------
    list of Path
    """
    summary = {**results.header, "curves": _curves(results)}
    paths = [folder / f"{what}.{suffix}" for suffix in ("json", "md", "png")]
    paths[0].write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    paths[1].write_text(_text(summary), encoding="utf-8")
    _draw(summary, paths[2])
    return paths


def _curves(results: Results) -> dict[str, Any]:
    """By curve: sizes, partitions, and per cent of every method, a row for each size."""
    curves = {}
    for name, curve in CURVES.items():
        found = [
            {key[2]: row for key, row in results.rows.items() if key[:2] == (name, method)}
            for method in METHODS
        ]
        partitions = sorted(set.intersection(*(set(rows) for rows in found)))
        if not partitions:
            continue
        curves[name] = {
            "title": curve.title,
            "n_labelled": list(curve.sizes),
            "partitions": partitions,
            **{
                method: [[rows[p]["sizes"][str(size)] for p in partitions] for size in curve.sizes]
                for method, rows in zip(METHODS, found, strict=True)
            },
        }
    return curves


def _text(summary: dict[str, Any]) -> str:
    parts = [
        "# Figure 1: accuracy against the number of labelled items",
        "One-versus-rest accuracy in per cent, mean ± standard deviation over random halves, seed "
        f"{summary['seed']}. Differences are from supervised training, with p of the corrected "
        "resampled t-test. w is the weight of the unlabelled items (`unlabeled_weight`): 0.1 by "
        "default, 0.03 for proteins, 1 in the paper.",
    ]
    for curve in summary["curves"].values():
        rows = []
        for number, size in enumerate(curve["n_labelled"]):
            alone = curve[ALONE][number]
            texts = [str(size), _mean(alone)]
            for method in TOGETHER:
                values = curve[method][number]
                gap = compare(values, alone)
                texts += [_mean(values), difference(gap.mean, gap.p, gap.deviation)]
            rows.append(texts)
        head = [text for method in TOGETHER for text in (method, "difference")]
        parts += [
            f"## {curve['title']}, {len(curve['partitions'])} halves",
            grid(["labelled", ALONE, *head], rows),
        ]
    parts.append(
        f"```sh\npython -m benchmarks.tables figure1 --seed {summary['seed']} --out OUT\n```"
    )
    return "\n\n".join(parts) + "\n"


def _mean(values: list[float]) -> str:
    return with_spread(float(np.mean(values)), deviation(np.array(values)))


def _draw(summary: dict[str, Any], path: Path) -> None:
    """One axis for each curve."""
    import matplotlib
    from matplotlib.figure import Figure

    from sfmcore.plots import LearningCurveDisplay

    matplotlib.use("agg")
    curves = summary["curves"]
    figure = Figure(figsize=(4.6 * max(1, len(curves)), 3.8), layout="constrained")
    axes = figure.subplots(1, max(1, len(curves)), squeeze=False)[0]
    for ax, curve in zip(axes, curves.values(), strict=False):
        LearningCurveDisplay(
            n_labelled=np.array(curve["n_labelled"]),
            accuracies={method: np.array(curve[method]) for method in METHODS},
            score_name="accuracy (%)",
        ).plot(ax=ax)
        ax.set_title(curve["title"])
    figure.savefig(path, dpi=120)
