r"""Inputs of no class that was learnt: p-values of typicality and other scores on the same halves.

    python -m benchmarks.strangers proteins|superfamilies|scenes|vectors \
        [--halves 1] [--seed 0] [--most N] [--no-search]

Prints the area under the ROC curve of every score, true test items against strangers, and the
shares that a p-value accepts, as means over the cases. The data are found by SFM_DATA. Proteins
take half a minute a half, and phmmer longer (--no-search leaves it out); scenes take a quarter of
an hour, or less with some of the images only (--most).
"""

import argparse
import sys
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.strangers import proteins, scenes, superfamilies, vectors
from benchmarks.strangers.case import Case, Cases
from benchmarks.strangers.report import Tally
from benchmarks.strangers.rivals import (
    FeatureDistances,
    best_e_value,
    confidence,
    largest_score,
)

SETS: dict[str, Cases] = {
    "proteins": proteins.cases,
    "superfamilies": superfamilies.cases,
    "scenes": scenes.cases,
    "vectors": vectors.cases,
}


def scores_of(
    case: Case, *, search: bool
) -> tuple[dict[str, np.ndarray], dict[str, dict[str, np.ndarray]]]:
    """Every score of the test items, and of every kind of strangers."""
    train = case.classifier.preparation.encode(case.train, case.classifier)
    model = case.classifier.fit(train, case.labels)
    distances = FeatureDistances(model, train, case.labels)

    def scores(inputs: Any) -> dict[str, np.ndarray]:
        # Once for all scores: to describe an image takes longer than to judge it.
        items = model.preparation.encode(inputs, model)
        found = {
            "typicality": model.typicality(items),
            "confidence": confidence(model, items),
            "largest score": largest_score(model, items),
            **distances.scores(items),
        }
        if search:
            found["best E-value of phmmer"] = best_e_value(train, items)
        return found

    return scores(case.test), {kind: scores(items) for kind, items in case.strangers.items()}


def part_of(case: Case, most: int, seed: int) -> Case:
    """Draw at most so many items of the training part, the test part and each kind of strangers."""
    random = np.random.default_rng(seed)

    def some(n_items: int) -> np.ndarray:
        return np.sort(random.permutation(n_items)[:most])

    train = some(len(case.train))
    return replace(
        case,
        train=_chosen(case.train, train),
        labels=case.labels[train],
        test=_chosen(case.test, some(len(case.test))),
        strangers={
            kind: _chosen(items, some(len(items))) for kind, items in case.strangers.items()
        },
    )


def _chosen(items: Any, places: np.ndarray) -> Any:
    return [items[place] for place in places] if isinstance(items, list) else items[places]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.strangers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=list(SETS))
    parser.add_argument("--halves", type=int, default=1, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the first half")
    parser.add_argument("--most", type=int, metavar="N", help="items of each part (all)")
    parser.add_argument("--no-search", action="store_true", help="leave phmmer out")
    options = parser.parse_args()
    search = options.what in ("proteins", "superfamilies") and not options.no_search
    tallies: dict[str, Tally] = {}
    for case in SETS[options.what](options.halves, options.seed):
        part = case if options.most is None else part_of(case, options.most, options.seed)
        true, strangers = scores_of(part, search=search)
        name = case.name.split(" without ")[0].split(", half ")[0]
        tallies.setdefault(name, Tally()).add(true, strangers)
        print(f"{case.name} is done", file=sys.stderr)
    for name, tally in tallies.items():
        print(f"### {name}\n")
        tally.write(sys.stdout)


if __name__ == "__main__":
    main()
