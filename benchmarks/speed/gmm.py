"""Mixture kernel against scikit-learn: an iteration of EM, the posterior, and the likelihood.

Both see the same numbers, drawn from a mixture, and the same parameters, in one process and on
one thread. scikit-learn's iteration is ``_e_step`` and ``_m_step`` of ``GaussianMixture`` with
``covariance_type="diag"``, the loop of its ``fit``. That both give the same numbers is checked
first.

    python -m benchmarks.speed.gmm [--json FILE]
"""

import numpy as np
import sklearn
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

from benchmarks.speed.timing import Timing, measure, parse_arguments, report
from sfmcore.kernels import _gmm
from sfmcore.models.gmm import DiagonalGMM

Parameters = tuple[np.ndarray, np.ndarray, np.ndarray]

# Items, columns, components: many items, and wide ones.
SIZES = [(20_000, 20, 10), (2_000, 200, 10)]


def make_case(n_items: int, n_columns: int, n_components: int) -> tuple[np.ndarray, Parameters]:
    """Items of a mixture whose components overlap, and its parameters."""
    random = np.random.default_rng(0)
    weights = random.dirichlet(np.full(n_components, 5.0))
    means = random.normal(size=(n_components, n_columns))
    variances = random.uniform(0.5, 2.0, (n_components, n_columns))
    labels = random.choice(n_components, n_items, p=weights)
    noise = random.normal(size=(n_items, n_columns))
    return means[labels] + np.sqrt(variances[labels]) * noise, (weights, means, variances)


def time_size(n_items: int, n_columns: int, n_components: int, pairs: int) -> list[Timing]:
    """Check that ours and the peer agree, then time both."""
    items, parameters = make_case(n_items, n_columns, n_components)
    ones = np.ones(n_items)
    # Without priors the two have the same M-step.
    model = DiagonalGMM(n_components, prior=0.0, variance_prior=0.0, variance_floor=1e-9)
    peer = GaussianMixture(n_components, covariance_type="diag", reg_covar=0.0)
    model.n_columns_, model.column_variance_ = n_columns, np.ones(n_columns)

    def start_ours() -> None:
        model.weights_, model.means_, model.variances_ = parameters

    def start_peer() -> None:
        peer.weights_, peer.means_, peer.covariances_ = parameters
        peer.precisions_cholesky_ = 1.0 / np.sqrt(peer.covariances_)

    def iterate_ours() -> float:
        start_ours()
        sums, scores = model._sums(items, ones)
        objective = (float(np.sum(scores)) + model._log_prior()) / n_items
        model._maximise(*sums)
        return objective

    def iterate_peer() -> float:
        start_peer()
        objective, log_shares = peer._e_step(items)
        peer._m_step(items, log_shares)
        return float(objective)

    np.testing.assert_allclose(iterate_ours(), iterate_peer(), rtol=1e-12)
    np.testing.assert_allclose(model.weights_, peer.weights_, rtol=1e-9)
    np.testing.assert_allclose(model.means_, peer.means_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.variances_, peer.covariances_, rtol=1e-9)
    start_ours()
    start_peer()
    shares, scores = _gmm.posterior(items, *parameters, 1), model.log_likelihood(items)
    np.testing.assert_allclose(shares, peer.predict_proba(items), rtol=1e-8, atol=1e-200)
    np.testing.assert_allclose(scores, peer.score_samples(items), rtol=1e-11)

    name = f"{n_items} x {n_columns}, {n_components} components"
    sizes = {
        "n_items": n_items,
        "n_columns": n_columns,
        "n_components": n_components,
        "n_threads": 1,
    }
    cases = [
        ("EM iteration", iterate_ours, iterate_peer),
        (
            "posterior",
            lambda: _gmm.posterior(items, *parameters, 1),
            lambda: peer.predict_proba(items),
        ),
        (
            "log-likelihood",
            lambda: model.log_likelihood(items),
            lambda: peer.score_samples(items),
        ),
    ]
    return [
        measure(
            f"{case}, {name}",
            ours,
            theirs,
            peer_name=f"scikit-learn {sklearn.__version__}",
            unit="s for one pass over all items",
            pairs=pairs,
            details=sizes,
        )
        for case, ours, theirs in cases
    ]


def main() -> None:
    """Run all cases."""
    arguments = parse_arguments("Speed of the mixture kernel against scikit-learn.")
    with threadpool_limits(limits=1):
        timings = [timing for size in SIZES for timing in time_size(*size, arguments.pairs)]
    print(f"one thread, median of {arguments.pairs}")
    report(timings, arguments.json)


if __name__ == "__main__":
    main()
