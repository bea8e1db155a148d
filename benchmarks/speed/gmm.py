"""Mixture against scikit-learn: an iteration of EM, prediction, and the likelihood.

Both see the same numbers, drawn from a mixture, and the same parameters. scikit-learn's iteration
is ``_e_step`` and ``_m_step`` of ``GaussianMixture`` with ``covariance_type="diag"``, the loop of
its ``fit``; prediction is P(component | item).

    python -m benchmarks.speed.gmm [--json FILE]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import sklearn
from sklearn.mixture import GaussianMixture

from benchmarks.speed.case import Case, Prepared, agree
from benchmarks.speed.machine import Work
from benchmarks.speed.running import main
from sfmcore.kernels import _gmm
from sfmcore.models.gmm import DiagonalGMM

Parameters = tuple[np.ndarray, np.ndarray, np.ndarray]
_PASS = "s for one pass over all items"
_PEER = f"scikit-learn {sklearn.__version__}"


@dataclass(frozen=True)
class Size:
    """Items, columns and components."""

    n_items: int
    n_columns: int
    n_components: int

    def __str__(self) -> str:
        """As in the names of cases."""
        return f"{self.n_items} x {self.n_columns}, {self.n_components} components"


# Many items, and wide ones.
SIZES = (Size(20_000, 20, 10), Size(2_000, 200, 10))


def make_case(size: Size) -> tuple[np.ndarray, Parameters]:
    """Items of a mixture whose components overlap, and its parameters."""
    random = np.random.default_rng(0)
    K, D = size.n_components, size.n_columns
    weights = random.dirichlet(np.full(K, 5.0))
    means = random.normal(size=(K, D))
    variances = random.uniform(0.5, 2.0, (K, D))
    labels = random.choice(K, size.n_items, p=weights)
    noise = random.normal(size=(size.n_items, D))
    return means[labels] + np.sqrt(variances[labels]) * noise, (weights, means, variances)


class Pair:
    """Ours and the peer with the same parameters."""

    def __init__(self, size: Size) -> None:
        self.size = size
        self.items, self.parameters = make_case(size)
        self.ones = np.ones(size.n_items)
        # Without priors the two have the same M-step.
        self.model = DiagonalGMM(
            size.n_components, prior=0.0, variance_prior=0.0, variance_floor=1e-9
        )
        self.model.n_columns_ = size.n_columns
        self.model.column_variance_ = np.ones(size.n_columns)
        self.peer = GaussianMixture(size.n_components, covariance_type="diag", reg_covar=0.0)
        self.start()

    def start(self) -> None:
        """Set both to the parameters."""
        self.start_ours()
        self.start_peer()

    def start_ours(self) -> None:
        """Set ours to the parameters."""
        self.model.weights_, self.model.means_, self.model.variances_ = self.parameters

    def start_peer(self) -> None:
        """Set the peer to the parameters."""
        self.peer.weights_, self.peer.means_, self.peer.covariances_ = self.parameters
        self.peer.precisions_cholesky_ = 1.0 / np.sqrt(self.peer.covariances_)

    def iterate_ours(self) -> float:
        """One iteration; the mean log-likelihood before it."""
        self.start_ours()
        sums, scores = self.model._sums(self.items, self.ones)
        objective = (float(np.sum(scores)) + self.model._log_prior()) / len(self.items)
        self.model._maximise(*sums)
        return objective

    def iterate_peer(self) -> float:
        """The same of the peer."""
        self.start_peer()
        objective, log_shares = self.peer._e_step(self.items)
        self.peer._m_step(self.items, log_shares)
        return float(objective)

    def work(self, flops: float) -> Work:
        """So many operations an item, component and column, exponentials not counted."""
        size = self.size
        return Work(
            f"{flops:.0f} an item, component and column; every item read once",
            flops * size.n_items * size.n_components * size.n_columns,
            read_bytes=self.items.nbytes,
        )

    def details(self) -> dict[str, int]:
        """Sizes for the JSON file."""
        size = self.size
        return {
            "n_items": size.n_items,
            "n_columns": size.n_columns,
            "n_components": size.n_components,
        }


def iteration(size: Size) -> Prepared:
    """E-step and M-step: four operations for the density, five for the sums."""
    pair = Pair(size)

    def check() -> None:
        agree("objectives", pair.iterate_ours(), pair.iterate_peer(), rtol=1e-12)
        model, peer = pair.model, pair.peer
        agree("weights", model.weights_, peer.weights_, rtol=1e-9)
        agree("means", model.means_, peer.means_, rtol=1e-9, atol=1e-12)
        agree("variances", model.variances_, peer.covariances_, rtol=1e-9)

    return Prepared(
        pair.iterate_ours, _PASS, pair.iterate_peer, _PEER, check, pair.work(9), pair.details()
    )


def prediction(size: Size) -> Prepared:
    """P(component | item)."""
    pair = Pair(size)

    def ours() -> np.ndarray:
        return _gmm.posterior(pair.items, *pair.parameters, 1)

    def peer() -> np.ndarray:
        return pair.peer.predict_proba(pair.items)

    def check() -> None:
        agree("shares", ours(), peer(), rtol=1e-8, atol=1e-200)

    return Prepared(ours, _PASS, peer, _PEER, check, pair.work(4), pair.details())


def log_likelihood(size: Size) -> Prepared:
    """Log density of every item."""
    pair = Pair(size)

    def ours() -> np.ndarray:
        return pair.model.log_likelihood(pair.items)

    def peer() -> np.ndarray:
        return pair.peer.score_samples(pair.items)

    def check() -> None:
        agree("log-likelihoods", ours(), peer(), rtol=1e-11)

    return Prepared(ours, _PASS, peer, _PEER, check, pair.work(4), pair.details())


def cases(sizes: Sequence[Size] = SIZES) -> list[Case]:
    """All cases."""
    kinds = [
        ("GMM EM iteration", iteration),
        ("GMM prediction", prediction),
        ("GMM log-likelihood", log_likelihood),
    ]
    return [
        Case(f"{name}, {size}", partial(make, size), "scikit-learn")
        for size in sizes
        for name, make in kinds
    ]


if __name__ == "__main__":
    main(cases(), __doc__)
