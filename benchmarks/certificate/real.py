r"""Certificates on real data, beside the error on items that nothing has seen.

A random half of each set trains. Half of that half is kept from models, conditioning, u_0 and the
choice of settings; u is learnt on it, and the risk is certified on it. The other half of the set
tests: its error is what the certificate limits, and it gives the certificate of a test set too.
Halves are drawn without a look at the labels, as a certificate asks.

    python -m benchmarks.certificate.real [--sets cancer credit proteins] [--partitions 20] \
        [--seed 0] [--json FILE]
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
from sfmbio.classifier import ProteinClassifier
from sfmbio.reading.datasets import read_sequences
from sfmbio.reading.labels import parse_label_spec
from sfmbio.reading.report import ReadReport
from sfmcore.estimators.classifier_cv import SFMClassifierCV
from sfmcore.parallel.progress import progress

SHARE = 0.5


@dataclass(frozen=True)
class Problem:
    """A data set, and how its classifier is made from a seed."""

    items: Any
    labels: np.ndarray
    make: Callable[[int], Any]


def vectors(name: str) -> Problem:
    data = load(name)

    def make(seed: int) -> SFMClassifierCV:
        return SFMClassifierCV(certificate_fraction=SHARE, random_state=seed, n_jobs=-1)

    return Problem(data.X, data.y, make)


def proteins(name: str) -> Problem:
    folder = data_folder() / "proteins" / "four_class"
    sequences = read_sequences([str(folder)], ReadReport(), parse_label_spec("file"))

    def make(seed: int) -> ProteinClassifier:
        return ProteinClassifier(certificate_fraction=SHARE, random_state=seed, n_jobs=-1)

    return Problem(sequences.batch, np.array(sequences.labels), make)


SETS: dict[str, Callable[[str], Problem]] = {
    "cancer": vectors,
    "credit": vectors,
    "proteins": proteins,
}


def one_partition(problem: Problem, seed: int, partition: int) -> dict[str, Any]:
    """Certificates and test errors of one random half."""
    random = np.random.default_rng([seed, partition])
    order = random.permutation(len(problem.labels))
    train, test = np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])
    model = problem.make(int(random.integers(2**31)))
    model.fit(problem.items[train], problem.labels[train])
    seen = model.certificate_
    fresh = model.certify(problem.items[test], problem.labels[test], fresh=True)
    rows = []
    for label, own, other in zip(seen.labels, seen.certificates, fresh.certificates, strict=True):
        rows.append(
            {
                "label": str(label),
                "n_certified": own.n_items,
                "divergence": own.divergence,
                "gibbs_test": other.gibbs_risk,
                "gibbs_bound": own.gibbs_bound,
                "vote_test": other.vote_risk,
                "vote_bound": own.vote_bound,
                "vote_form": own.vote_form,
                "fresh_vote_bound": other.vote_bound,
            }
        )
    return {"partition": partition, "classes": rows}


def summary(name: str, partitions: list[dict[str, Any]]) -> list[str]:
    """Rows of a Markdown table, one for each class; means over the partitions, in per cent."""
    lines = []
    for number, first in enumerate(partitions[0]["classes"]):
        rows = [partition["classes"][number] for partition in partitions]

        def mean(key: str, rows: list[dict[str, Any]] = rows) -> float:
            return 100.0 * float(np.mean([row[key] for row in rows]))

        above = sum(row["vote_test"] > row["vote_bound"] for row in rows)
        lines.append(
            f"| {name} {first['label']} | {first['n_certified']} | "
            f"{mean('divergence') / 100:.1f} | "
            f"{mean('gibbs_test'):.2f} | {mean('gibbs_bound'):.2f} | {mean('vote_test'):.2f} | "
            f"{mean('vote_bound'):.2f} | {mean('fresh_vote_bound'):.2f} | {above} of {len(rows)} |"
        )
    return lines


def main() -> None:
    """Run the sets that are asked for."""
    parser = argparse.ArgumentParser(description="Certificates beside test errors.")
    parser.add_argument("--sets", nargs="+", choices=list(SETS), default=list(SETS))
    parser.add_argument("--partitions", type=int, default=20, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here")
    options = parser.parse_args()
    if not (data_folder() / "uci").is_dir():
        print(f"no data at {data_folder()}: set SFM_DATA to the folder of uci/", file=sys.stderr)
        raise SystemExit(2)
    results = {}
    print("| class | items | KL | Gibbs test | at most | vote test | at most | test set | above |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in options.sets:
        problem = SETS[name](name)
        numbers = progress(range(options.partitions), name, total=options.partitions)
        results[name] = [one_partition(problem, options.seed, number) for number in numbers]
        print("\n".join(summary(name, results[name])), flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
