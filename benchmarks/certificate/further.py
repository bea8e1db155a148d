"""How often do the limits from margins, several draws and joint draws fail? Counted.

    python -m benchmarks.certificate.further [--repetitions 500] [--sizes 50 200 1000]
        [--classes 2 4] [--rows 1 2 3] [--delta 0.05] [--json FILE]

Items come from a finite population with noisy labels, so that the true risks of any u are sums over
it. Rows are of at most unit length, some much shorter. In each repetition every class learns u on m
items, from a prior mean that other items taught, by minimising J(u) at several values of C.
Certificates are made

* seen: at the C with the lowest limit of a wrong label, chosen on those items;
* by heart: at a C so large that u learns their noise;
* misused: of that u, as if it were its own prior mean. Where m is small this has to fail, and so
  shows that the simulation can see a failure.

A certificate fails if one of its new limits lies below the truth: that of a vote of one class
against the rest (from margins, or from draws), or that of a wrong label.
"""

import argparse
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.certificate.simulation import LEARNING_C, interval, learn
from sfmcore.bounds.certificate_report import Centres, CertificateReport, certify_votes
from sfmcore.bounds.margin_limit import Lengths
from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.learning.vote import decide

N_POPULATION, N_FEATURES = 150, 24
HEART_C = 1e4
KINDS = ("seen", "by heart", "misused")


@dataclass(frozen=True)
class Setting:
    """What is simulated: classes, rows of an item, how they vote, and certified items."""

    n_classes: int
    n_rows: int
    vote: str
    m: int


SETTINGS = [(2, 1, "majority"), (2, 2, "majority"), (2, 3, "majority"), (2, 3, "normalised"),
            (4, 1, "majority"), (4, 2, "majority"), (4, 3, "normalised")]  # fmt: skip


@dataclass(frozen=True)
class Population:
    """Equally likely items: rows of at most unit length, and probabilities of each class."""

    rows: Float64Array
    """Of shape (n_population, n_rows, n_features); the rows of an item vote together."""
    likely: Float64Array
    """Of shape (n_population, n_classes)."""

    def draw(self, m: int, random: np.random.Generator) -> tuple[Float64Array, Int64Array]:
        """Rows and classes of m independent items."""
        items = random.integers(0, len(self.rows), m)
        steps = self.likely[items].cumsum(1)
        numbers = (random.uniform(size=(m, 1)) > steps).sum(1)
        return self.rows[items], np.minimum(numbers, self.likely.shape[1] - 1)


def make_population(
    setting: Setting, random: np.random.Generator, *, right: float = 0.9, shift: float = 4.0
) -> Population:
    """Each class along an axis of its own; nine labels in ten are those of the item's class."""
    n_classes, n_rows = setting.n_classes, setting.n_rows
    classes = random.integers(0, n_classes, N_POPULATION)
    rows = random.normal(size=(N_POPULATION, 1, N_FEATURES)) + shift * np.eye(N_FEATURES)[
        classes
    ].reshape(N_POPULATION, 1, N_FEATURES)
    rows = rows + 0.7 * random.normal(size=(N_POPULATION, n_rows, N_FEATURES))
    lengths = random.uniform(0.3, 1.0, (N_POPULATION, n_rows, 1))
    lengths[::2] = 1.0
    rows *= lengths / np.linalg.norm(rows, axis=2, keepdims=True)
    likely = np.full((N_POPULATION, n_classes), (1.0 - right) / (n_classes - 1))
    likely[np.arange(N_POPULATION), classes] = right
    return Population(rows, likely)


def targets_of(n_classes: int) -> list[int]:
    """Classes that are told from the rest."""
    return [1] if n_classes == 2 else list(range(n_classes))


def learn_all(
    rows: Float64Array, numbers: Int64Array, C: float, prior_means: Float64Array
) -> Float64Array:
    """U of every class against the rest."""
    targets = targets_of(1 + len(prior_means) if len(prior_means) == 1 else len(prior_means))
    return np.array(
        [
            learn(rows, np.where(numbers == target, 1.0, -1.0), C, mean)
            for target, mean in zip(targets, prior_means, strict=True)
        ]
    )


def scores_of(rows: Float64Array, us: Float64Array, vote: str) -> Float64Array:
    """What decides the label, for each class against the rest."""
    return np.column_stack([decide(rows @ u, vote) for u in us])


def certify(
    setting: Setting,
    rows: Float64Array,
    numbers: Int64Array,
    us: Float64Array,
    prior_means: Float64Array,
    delta: float,
) -> CertificateReport:
    """Report of N(u, I) of every class, by a classifier whose classes share their rows."""
    votes = [Lengths.of(u, mean) for u, mean in zip(us, prior_means, strict=True)]
    apart, priors_apart = us - us.mean(0), prior_means - prior_means.mean(0)
    joint = Lengths.of(apart.ravel(), priors_apart.ravel())
    scores = scores_of(rows, us, setting.vote)
    return certify_votes(
        np.arange(setting.n_classes),
        numbers,
        [rows @ u for u in us],
        scores[:, 0] if setting.n_classes == 2 else scores,
        [float(one.divergence(1.0, 1.0)) for one in votes],
        delta=delta,
        fresh=False,
        is_majority=setting.vote == "majority",
        centres=Centres(votes, joint),
    )


def true_risks(population: Population, setting: Setting, us: Float64Array) -> list[float]:
    """Risk of every vote, and of the label."""
    scores, likely = scores_of(population.rows, us, setting.vote), population.likely
    risks = []
    for column, target in enumerate(targets_of(setting.n_classes)):
        said = scores[:, column] > 0
        risks.append(float(np.mean(np.where(said, 1.0 - likely[:, target], likely[:, target]))))
    labels = scores.argmax(1) if setting.n_classes > 2 else (scores[:, 0] > 0).astype(np.int64)
    return [*risks, float(np.mean(1.0 - likely[np.arange(len(labels)), labels]))]


def missed(report: CertificateReport, risks: list[float]) -> list[str]:
    """Names of the new limits that lie below the truth."""
    low = [
        part.further_form or ""
        for part, risk in zip(report.certificates, risks[:-1], strict=True)
        if part.further_bound is not None and risk > part.further_bound
    ]
    if report.label_bound is not None and risks[-1] > report.label_bound:
        low.append(f"label: {report.label_form}")
    return low


def simulate(
    setting: Setting, delta: float, n_repetitions: int, **population_of: float
) -> list[dict[str, Any]]:
    """One row of the table for each kind of certificate."""
    seed = [setting.n_classes, setting.n_rows]
    population = make_population(setting, np.random.default_rng(seed), **population_of)
    random = np.random.default_rng([*seed, setting.m, setting.vote == "majority"])
    zero = np.zeros((len(targets_of(setting.n_classes)), N_FEATURES))
    failures = dict.fromkeys(KINDS, 0)
    by_limit = {kind: Counter[str]() for kind in KINDS}
    figures: dict[str, list[tuple[float, ...]]] = {kind: [] for kind in KINDS}
    for _ in range(n_repetitions):
        prior_means = learn_all(*population.draw(setting.m, random), LEARNING_C[1], zero)
        rows, numbers = population.draw(setting.m, random)
        tried = [learn_all(rows, numbers, C, prior_means) for C in (*LEARNING_C, HEART_C)]
        heart = tried.pop()
        made = {
            "by heart": (heart, certify(setting, rows, numbers, heart, prior_means, delta)),
            "misused": (heart, certify(setting, rows, numbers, heart, heart, delta)),
        }
        reports = [(us, certify(setting, rows, numbers, us, prior_means, delta)) for us in tried]
        made["seen"] = min(reports, key=lambda one: one[1].label_bound or 1.0)
        for kind, (us, report) in made.items():
            risks = true_risks(population, setting, us)
            low = missed(report, risks)
            failures[kind] += bool(low)
            by_limit[kind].update(low)
            first = report.certificates[0]
            figures[kind].append(
                (risks[0], 2.0 * first.gibbs_bound, first.further_bound or 1.0,
                 risks[-1], report.label_bound or 1.0)
            )  # fmt: skip
    names = ("vote_true", "twice_gibbs", "further", "label_true", "label_bound")
    return [
        {
            "classes": setting.n_classes,
            "rows": setting.n_rows,
            "vote": setting.vote,
            "items": setting.m,
            "kind": kind,
            "repetitions": n_repetitions,
            "failures": failures[kind],
            "failures_by_limit": dict(by_limit[kind]),
            "interval": interval(failures[kind], n_repetitions),
            **dict(zip(names, np.mean(figures[kind], axis=0).tolist(), strict=True)),
        }
        for kind in KINDS
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repetitions", type=int, default=500)
    parser.add_argument("--sizes", type=int, nargs="+", default=[50, 200, 1000])
    parser.add_argument("--classes", type=int, nargs="+", default=[2, 4], choices=[2, 4])
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 2, 3], choices=[1, 2, 3])
    parser.add_argument("--delta", type=float, default=0.05)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    print("| classes | rows | vote | items | kind | failed | interval | vote: true | 2 R | further "
          "| label: true | at most |")  # fmt: skip
    print("| ---: | ---: | --- | ---: | --- | ---: | --- |" + " ---: |" * 5)
    results = []
    for n_classes, n_rows, vote in SETTINGS:
        if n_classes not in options.classes or n_rows not in options.rows:
            continue
        for m in options.sizes:
            setting = Setting(n_classes, n_rows, vote, m)
            found = simulate(setting, options.delta, options.repetitions)
            results += found
            for row in found:
                low, high = row["interval"]
                print(
                    f"| {n_classes} | {n_rows} | {vote} | {m} | {row['kind']} "
                    f"| {row['failures']} of {row['repetitions']} | {low:.3f} to {high:.3f} "
                    f"| {row['vote_true']:.3f} | {row['twice_gibbs']:.3f} | {row['further']:.3f} "
                    f"| {row['label_true']:.3f} | {row['label_bound']:.3f} |",
                    flush=True,
                )
    if options.json:
        record = {"delta": options.delta, "results": results}
        options.json.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
