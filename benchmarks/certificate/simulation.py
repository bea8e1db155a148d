"""How often does a certificate fail? Counted where all true risks are known.

    python -m benchmarks.certificate.simulation [--repetitions 500] [--sizes 50 200 1000]
        [--delta 0.05] [--json FILE]

Items come from a finite population of unit vectors with noisy labels, so that the true risks of any
u are sums over the population. In each repetition u is learnt by minimising J(u) on m items, from
the prior mean 0 or from one learnt on m other items, at the value of C with the lowest kl form.
Certificates are made

* seen: on the m items that chose u and C;
* fresh: of the same u, on m further items;
* by heart: on the m items that chose u, at a C so large that u learns their noise;
* misused: of that u on those items, as if they were fresh. Where m is small it has to fail, and so
  shows that the simulation can see a failure.

A certificate fails if any of its limits lies below the truth. The interval is Clopper and
Pearson's, 95 per cent.
"""

import argparse
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sfmcore.bounds.certificate import Certificate, certify_losses
from sfmcore.bounds.inequalities import binomial_bound, seeger_bound
from sfmcore.bounds.objective import Objective, upper_tail
from sfmcore.data.arrays import Float64Array
from sfmcore.learning.search import mean_direction, minimise, surrogate_minimum

N_POPULATION, N_FEATURES = 200, 40
LEARNING_C, HEART_C = (2.0, 8.0, 32.0), 1e4
KINDS = ("seen", "fresh", "by heart", "misused")


@dataclass(frozen=True)
class Population:
    """Equally likely items: their rows of unit length, and P(y = +1)."""

    rows: Float64Array
    """Of shape (n_population, n_rows, n_features); the rows of an item vote together."""
    likely: Float64Array

    def draw(self, m: int, random: np.random.Generator) -> tuple[Float64Array, Float64Array]:
        """Rows and labels of m independent items."""
        items = random.integers(0, len(self.rows), m)
        return self.rows[items], np.where(random.uniform(size=m) < self.likely[items], 1.0, -1.0)

    def true_risks(self, u: Float64Array) -> tuple[float, float, float]:
        """Gibbs risk, tandem loss and the vote's risk of N(u, I)."""
        loss = {sign: item_losses(self.rows, sign, u) for sign in (1, -1)}

        def mean(figure: Any) -> float:
            return float(
                np.mean(self.likely * figure(loss[1]) + (1 - self.likely) * figure(loss[-1]))
            )

        return mean(lambda x: x), mean(np.square), mean(lambda x: x >= 0.5)


def make_population(n_rows: int, random: np.random.Generator) -> Population:
    """Two classes along the first axis; nine labels in ten are those of the item's class."""
    classes = random.choice([-1.0, 1.0], N_POPULATION)
    centres = random.normal(size=(N_POPULATION, 1, N_FEATURES))
    centres[:, 0, 0] += 4.0 * classes
    rows = centres + 0.7 * random.normal(size=(N_POPULATION, n_rows, N_FEATURES))
    rows /= np.linalg.norm(rows, axis=2, keepdims=True)
    return Population(rows, np.where(classes > 0, 0.9, 0.1))


def item_losses(rows: Float64Array, signs: Float64Array | float, u: Float64Array) -> Float64Array:
    """Probability of error of the Gibbs classifier on every item."""
    return upper_tail(np.reshape(signs, (-1, 1)) * (rows @ u)).mean(1)


def learn(
    rows: Float64Array, signs: Float64Array, C: float, prior_mean: Float64Array
) -> Float64Array:
    """Return the u of the lowest J(u)."""
    m, n_rows, n_features = rows.shape
    repeated = np.repeat(signs, n_rows).astype(np.int8)
    objective = Objective(rows.reshape(-1, n_features), repeated, C, m, prior_mean=prior_mean)
    return minimise(objective, [surrogate_minimum(objective), mean_direction(objective)])


def divergence(u: Float64Array, prior_mean: Float64Array) -> float:
    return 0.5 * float(np.sum((u - prior_mean) ** 2))


def learn_at_best_C(
    rows: Float64Array, signs: Float64Array, prior_mean: Float64Array, delta: float
) -> Float64Array:
    """Return u at the value of C with the lowest kl form on the same items."""

    def limit(u: Float64Array) -> float:
        risk = float(item_losses(rows, signs, u).mean())
        return seeger_bound(risk, divergence(u, prior_mean), len(signs), delta)

    return min((learn(rows, signs, C, prior_mean) for C in LEARNING_C), key=limit)


def certify(
    u: Float64Array,
    rows: Float64Array,
    signs: Float64Array,
    prior_mean: Float64Array | None,
    delta: float,
) -> Certificate:
    """Certificate of N(u, I); without a prior mean the items pass for fresh ones."""
    fresh = prior_mean is None
    paid = 0.0 if prior_mean is None else divergence(u, prior_mean)
    losses = item_losses(rows, signs, u)
    return certify_losses(losses, divergence=paid, delta=delta, fresh=fresh)


def missed(certificate: Certificate, truth: tuple[float, float, float]) -> list[str]:
    """Names of the limits that lie below the truth."""
    gibbs, tandem, vote = truth
    facts = {
        "gibbs_bound": gibbs,
        "catoni_bound": gibbs,
        "tandem_bound": tandem,
        "vote_bound": vote,
    }
    return [name for name, fact in facts.items() if fact > getattr(certificate, name)]


def simulate(
    m: int, n_rows: int, prior: str, delta: float, n_repetitions: int
) -> list[dict[str, Any]]:
    """One row of the table for each kind of certificate."""
    # One population for all sizes and priors; samples differ.
    population = make_population(n_rows, np.random.default_rng([0, n_rows]))
    random = np.random.default_rng([1, n_rows, m, prior == "learnt"])
    failures = dict.fromkeys(KINDS, 0)
    by_limit = {kind: Counter[str]() for kind in KINDS}
    figures: dict[str, list[tuple[float, ...]]] = {kind: [] for kind in KINDS}
    for _ in range(n_repetitions):
        prior_mean = np.zeros(N_FEATURES)
        if prior == "learnt":
            prior_mean = learn(*population.draw(m, random), LEARNING_C[1], prior_mean)
        rows, signs = population.draw(m, random)
        u = learn_at_best_C(rows, signs, prior_mean, delta)
        heart = learn(rows, signs, HEART_C, prior_mean)
        further = population.draw(m, random)
        truth_of_u, truth_of_heart = population.true_risks(u), population.true_risks(heart)

        certificates = {
            "seen": (certify(u, rows, signs, prior_mean, delta), truth_of_u),
            "fresh": (certify(u, *further, None, delta), truth_of_u),
            "by heart": (certify(heart, rows, signs, prior_mean, delta), truth_of_heart),
            "misused": (certify(heart, rows, signs, None, delta), truth_of_heart),
        }
        for kind, (made, truth) in certificates.items():
            low = missed(made, truth)
            failures[kind] += bool(low)
            by_limit[kind].update(low)
            figures[kind].append(
                (made.divergence, made.gibbs_risk, truth[0], made.gibbs_bound, made.catoni_bound,
                 truth[1], made.tandem_bound, truth[2], made.vote_bound)
            )  # fmt: skip
    names = ("divergence", "gibbs_on_items", "gibbs_true", "gibbs_bound", "catoni_bound",
             "tandem_true", "tandem_bound", "vote_true", "vote_bound")  # fmt: skip
    return [
        {
            "items": m,
            "rows": n_rows,
            "prior": prior,
            "kind": kind,
            "repetitions": n_repetitions,
            "failures": failures[kind],
            "failures_by_limit": dict(by_limit[kind]),
            "interval": interval(failures[kind], n_repetitions),
            **dict(zip(names, np.mean(figures[kind], axis=0).tolist(), strict=True)),
        }
        for kind in KINDS
    ]


def interval(count: int, n: int) -> list[float]:
    """Clopper and Pearson's interval of a share, 95 per cent."""
    return [1.0 - binomial_bound(n - count, n, 0.025), binomial_bound(count, n, 0.025)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repetitions", type=int, default=500)
    parser.add_argument("--sizes", type=int, nargs="+", default=[50, 200, 1000])
    parser.add_argument("--delta", type=float, default=0.05)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    print("| items | rows | u_0 | kind | failed | interval | KL | Gibbs: on items | true | kl form "
          "| Catoni | vote: true | certified |")  # fmt: skip
    print("| ---: | ---: | --- | --- | ---: | --- |" + " ---: |" * 7)
    results = []
    for n_rows in (1, 3):
        for prior in ("zero", "learnt"):
            for m in options.sizes:
                found = simulate(m, n_rows, prior, options.delta, options.repetitions)
                results += found
                for row in found:
                    low, high = row["interval"]
                    print(
                        f"| {m} | {n_rows} | {prior} | {row['kind']} "
                        f"| {row['failures'] / row['repetitions']:.3f} | {low:.3f} to {high:.3f} "
                        f"| {row['divergence']:.1f} | {row['gibbs_on_items']:.3f} "
                        f"| {row['gibbs_true']:.3f} | {row['gibbs_bound']:.3f} "
                        f"| {row['catoni_bound']:.3f} | {row['vote_true']:.3f} "
                        f"| {row['vote_bound']:.3f} |",
                        flush=True,
                    )
    if options.json:
        record = {"delta": options.delta, "results": results}
        options.json.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
