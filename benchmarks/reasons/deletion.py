r"""Deletion curves: how fast the score falls when the residues with the most evidence go.

Residues of proteins that are told right go tenth by tenth, those with the most evidence first, and
the score of the label against the first runner-up is computed anew. Evidence of :meth:`explain` is
compared with occlusion (the score that is lost when a residue goes alone, which takes a prediction
for each residue) and with a random order. What goes becomes an unknown residue, or is cut out.

    python -m benchmarks.reasons.deletion [--set four_class] [--train 400] [--test 60] \
        [--shortest 20] [--longest 300] [--way masked|cut] [--seed 0]
"""

import argparse
import time

import numpy as np

from benchmarks.reasons.data import Part, batch, halves, margins, masked, told_right, without
from sfmbio.classifier import ProteinClassifier

FRACTIONS = np.linspace(0.0, 0.5, 6)
_RANDOM_ORDERS = 5


def order_by(evidence: np.ndarray) -> np.ndarray:
    """Places from the largest evidence on."""
    return np.argsort(-evidence, kind="stable")


def falls(model, part, others, orders, change):
    """Mean score at every fraction, shape (n_items, n_fractions)."""
    out = np.empty((len(part.items), len(FRACTIONS)))
    for column, fraction in enumerate(FRACTIONS):
        changed = [
            change(codes, order[: round(fraction * len(codes))])
            for codes, order in zip(part.items, orders, strict=True)
        ]
        out[:, column] = margins(model, batch(changed), part.labels, others)
    return out


def occlusion(model, part, others, change):
    """Score that is lost when each residue goes alone."""
    lost = []
    whole = margins(model, part.items, part.labels, others)
    for place, codes in enumerate(part.items):
        changed = batch([change(codes, np.array([k])) for k in range(len(codes))])
        names = (np.repeat(names[place], len(codes)) for names in (part.labels, others))
        lost.append(whole[place] - margins(model, changed, *names))
    return lost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", default="four_class", dest="name")
    parser.add_argument("--train", type=int, default=400, help="sequences of a class, at most")
    parser.add_argument("--test", type=int, default=60, help="sequences told right")
    parser.add_argument(
        "--longest", type=int, default=300, help="residues: occlusion takes one each"
    )
    parser.add_argument("--shortest", type=int, default=20, help="residues")
    parser.add_argument("--way", choices=("masked", "cut"), default="masked")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--preset", default="best")
    options = parser.parse_args()
    trained, tested = halves(options.name, options.train, options.seed)
    model = ProteinClassifier.from_preset(options.preset, random_state=options.seed, n_jobs=1)
    model.fit(trained.items, trained.labels)
    lengths = tested.items.lengths
    tested = tested[np.flatnonzero((lengths >= options.shortest) & (lengths <= options.longest))]
    part = told_right(model, tested, options.test, options.seed)
    change = masked if options.way == "masked" else without
    report(model, part, change, options.seed)


def report(model: ProteinClassifier, part: Part, change, seed: int) -> None:
    """Print curves, areas and times."""
    began = time.perf_counter()
    model.decision_function(part.items)
    predicting = time.perf_counter() - began
    began = time.perf_counter()
    found = model.explain(part.items)
    explaining = time.perf_counter() - began
    began = time.perf_counter()
    lost = occlusion(model, part, found.runner_up, change)
    occluding = time.perf_counter() - began
    random = np.random.default_rng(seed)
    ours = [found[k] for k in range(len(found))]
    orders = {
        "explain": [order_by(own) for own in ours],
        "occlusion": [order_by(own) for own in lost],
        "random": None,
    }
    curves = {}
    for name, own in orders.items():
        if own is not None:
            curves[name] = falls(model, part, found.runner_up, own, change)
            continue
        drawn = [
            falls(
                model,
                part,
                found.runner_up,
                [random.permutation(len(codes)) for codes in part.items],
                change,
            )
            for _ in range(_RANDOM_ORDERS)
        ]
        curves[name] = np.mean(drawn, axis=0)
    print(f"{len(part.items)} sequences of {part.items.lengths.mean():.0f} residues in the mean")
    print("gone      " + "".join(f"{fraction:8.0%}" for fraction in FRACTIONS) + "    area lost")
    areas = {}
    for name, curve in curves.items():
        lost_area = np.trapezoid(curve[:, :1] - curve, FRACTIONS, axis=1) / FRACTIONS[-1]
        areas[name] = lost_area.mean()
        figures = "".join(f"{value:8.2f}" for value in curve.mean(axis=0))
        print(f"{name:10}{figures}{areas[name]:13.2f}")
    drop = {name: (curve[:, 0] - curve[:, 1]) for name, curve in curves.items()}
    faster = np.mean(drop["explain"] > drop["random"])
    print(f"first tenth: falls faster than at random for {faster:.0%} of the sequences")
    print(f"area of explain over occlusion: {areas['explain'] / areas['occlusion']:.3f}")
    print(f"area of explain over random:    {areas['explain'] / areas['random']:.2f}")
    print(
        f"seconds: prediction {predicting:.2f}, explain {explaining:.2f} "
        f"({explaining / predicting:.1f} predictions), occlusion {occluding:.1f} "
        f"({occluding / explaining:.0f} times explain)"
    )


if __name__ == "__main__":
    main()
