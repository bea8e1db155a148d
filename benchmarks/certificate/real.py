r"""Certificates on real data, by counting and by PAC-Bayes, beside the error on other items.

Half of each data set is drawn at random, without a look at the labels. A classifier learns on it,
and keeps half of that for its certificate: once nothing is learnt from what it keeps, and once u
is. The other half of the data tells the error.

    python -m benchmarks.certificate.real [--sets peptides cancer credit proteins] \
        [--partitions 20] [--seed 0] [--json FILE]

Means over the partitions, in per cent. "Counted" is the limit of a wrong label by counting the
items kept; "all of delta" is what the same errors would prove if nothing else were asked. "Before"
is the PAC-Bayes limit without margins and draws: twice the Gibbs risk or four times the tandem
loss, and of several classes the sum. "Above" counts partitions whose test error is above the limit.
"""

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data_folder
from benchmarks.tables.vectors.datasets import load
from sfmbio import ProteinClassifier
from sfmbio.reading.datasets import read_sequences
from sfmbio.reading.labels import parse_label_spec
from sfmbio.reading.report import ReadReport
from sfmcore import SFMClassifierCV
from sfmcore.bounds.certificate import certify_losses
from sfmcore.bounds.certificate_report import CertificateReport
from sfmcore.bounds.inequalities import binomial_bound
from sfmcore.bounds.objective import upper_tail
from sfmcore.learning.problem import make_problem
from sfmcore.parallel.progress import progress

SHARE = 0.5
DELTA = 0.05
WAYS = ("counting", "pac-bayes")
COLUMNS = ("counted error", "counted", "all of delta", "error", "limit", "before")


@dataclass(frozen=True)
class Problem:
    """A data set, and how its classifier is made from a way to certify and a seed."""

    items: Any
    labels: np.ndarray
    make: Callable[[str, int], Any]


def vectors(name: str) -> Problem:
    data = load(name)

    def make(way: str, seed: int) -> SFMClassifierCV:
        return SFMClassifierCV(
            certificate_fraction=SHARE, certify_by=way, random_state=seed, n_jobs=-1
        )

    return Problem(data.X, data.y, make)


def proteins(folder: Path) -> Problem:
    sequences = read_sequences([str(folder)], ReadReport(), parse_label_spec("file"))

    def make(way: str, seed: int) -> ProteinClassifier:
        return ProteinClassifier(
            certificate_fraction=SHARE, certify_by=way, random_state=seed, n_jobs=-1
        )

    return Problem(sequences.batch, np.array(sequences.labels), make)


SETS: dict[str, Callable[[], Problem]] = {
    "peptides": lambda: proteins(Path(__file__).parents[2] / "data" / "peptides"),
    "cancer": lambda: vectors("cancer"),
    "credit": lambda: vectors("credit"),
    "proteins": lambda: proteins(data_folder() / "proteins" / "four_class"),
}


def one_partition(problem: Problem, seed: int, partition: int) -> dict[str, float]:
    """Limits and errors of one random half, by the names of `COLUMNS`."""
    random = np.random.default_rng([seed, partition])
    order = random.permutation(len(problem.labels))
    train, test = np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])
    own_seed = int(random.integers(2**31))
    found = {}
    for way in WAYS:
        model = problem.make(way, own_seed)
        model.fit(problem.items[train], problem.labels[train])
        wrong = float(np.mean(model.predict(problem.items[test]) != problem.labels[test]))
        report: CertificateReport = model.certificate_
        n_kept = report.certificates[0].n_items
        if way == "counting":
            found |= {"counted error": wrong, "counted": report.label_bound}
            found["all of delta"] = binomial_bound(round(report.label_risk * n_kept), n_kept, DELTA)
        else:
            numbers = kept_of(len(train), own_seed)
            assert len(numbers) == n_kept
            found |= {"error": wrong, "limit": report.label_bound}
            items, labels = problem.items[train][numbers], problem.labels[train][numbers]
            found["before"] = before(model, items, labels, report)
    return found


def kept_of(n_items: int, seed: int) -> np.ndarray:
    """Places of the training items that were kept; all have a label."""
    every = np.arange(n_items)
    problem = make_problem(np.zeros((n_items, 1)), every % 2)
    known = problem.seen_by_models(SHARE, seed)
    assert known is not None
    return np.flatnonzero(~known)


def before(model: Any, items: Any, labels: np.ndarray, report: CertificateReport) -> float:
    """Limit of a wrong label from twice the Gibbs risk and four times the tandem loss alone."""
    margins, _ = model.votes(model.preparation.encode(items, model))
    total = 0.0
    for label, rows, part in zip(report.labels, margins, report.certificates, strict=True):
        signed = np.where(labels == label, 1.0, -1.0)[:, None] * rows
        own = certify_losses(
            upper_tail(signed).mean(1),
            divergence=part.divergence,
            delta=DELTA / len(report.labels),
        )
        total += own.vote_bound
    return min(1.0, total)


def summary(name: str, rows: list[dict[str, float]]) -> str:
    """Row of a Markdown table: means over the partitions, in per cent."""
    means = [f"{100 * np.mean([row[column] for row in rows]):.2f}" for column in COLUMNS]
    pairs = (("counted error", "counted"), ("error", "limit"))
    above = [str(sum(row[error] > row[limit] for row in rows)) for error, limit in pairs]
    ratios = [
        f"{np.mean([row[a] for row in rows]) / np.mean([row[b] for row in rows]):.3f}"
        for a, b in (("counted", "all of delta"), ("limit", "before"))
    ]
    cells = [*means[:3], ratios[0], above[0], *means[3:], ratios[1], above[1]]
    return f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    """Run the sets that are asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", nargs="+", choices=list(SETS), default=list(SETS))
    parser.add_argument("--partitions", type=int, default=20, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here")
    options = parser.parse_args()
    if not (data_folder() / "uci").is_dir():
        print(f"no data at {data_folder()}: set SFM_DATA to the folder of uci/", file=sys.stderr)
        raise SystemExit(2)
    results = {}
    print("| | counting: error | limit | all of delta | ratio | above | PAC-Bayes: error | limit "
          "| before | ratio | above |")  # fmt: skip
    print("| --- |" + " ---: |" * 10)
    for name in options.sets:
        problem = SETS[name]()
        numbers = progress(range(options.partitions), name, total=options.partitions)
        results[name] = [one_partition(problem, options.seed, number) for number in numbers]
        print(summary(name, results[name]), flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
