"""Draws from Q_i: by rejection and by enumeration, against exact probabilities."""

import itertools

import numpy as np
import pytest
from scipy.stats import chisquare

from sfmcore.bound import upper_tail
from sfmcore.coupling import CoupledSampler
from sfmcore.kernels import _objective, _random, _reference
from sfmcore.mapping import FeatureMap
from sfmcore.models.hmm import CategoricalHMM
from sfmcore.ragged import Ragged

N_SYMBOLS = 4


def raw_rows_of_all_paths(models, codes):
    """Raw rows of every pair of paths, and the paths' probabilities given the sequence."""
    halves, shares = [], []
    for model in models:
        start, transition, emission = model.get_arrays().values()
        expected = _reference.hmm_statistics(codes, start, transition, emission)[1]
        log_posterior = _reference.log_posterior(expected)
        rows, weights = [], []
        for path in itertools.product(range(2), repeat=len(codes)):
            first, steps, out = np.zeros(2), np.zeros((2, 2)), np.zeros((2, N_SYMBOLS))
            first[path[0]] = 1
            weight = start[path[0]]
            for a, b in itertools.pairwise(path):
                steps[a, b] += 1
                weight *= transition[a, b]
            for state, code in zip(path, codes, strict=True):
                out[state, code] += 1
                weight *= emission[state, code]
            terms = steps * log_posterior
            rows.append(np.concatenate([first, steps.ravel(), out.ravel(), terms.ravel()]))
            weights.append(weight)
        halves.append(rows)
        shares.append(np.array(weights) / np.sum(weights))
    rows = [np.concatenate(both) for both in itertools.product(*halves)]
    return np.array(rows, dtype=np.float32), np.outer(*shares).ravel()


def numbers_of(rows, table):
    """Which row of the table each row is."""
    gaps = np.abs(rows[:, None, :] - table[None, :, :]).max(2)
    assert np.all(gaps.min(1) < 1e-4)
    return gaps.argmin(1)


def chi_square_p(counts, shares):
    """p-value, with the rare cells taken together so that each expects at least ten."""
    expected = shares * counts.sum()
    rare = expected < 10
    if rare.any():
        counts = np.append(counts[~rare], counts[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
        if expected[-1] < 10:
            counts[-2], expected[-2] = counts[-2:].sum(), expected[-2:].sum()
            counts, expected = counts[:-1], expected[:-1]
    return chisquare(counts, expected).pvalue


@pytest.mark.parametrize("sign", [1, -1, 0])
def test_rejection_follows_Q_as_enumerated(sign):
    # Two states, three symbols: 8 paths under each model, 64 pairs of them.
    random = np.random.default_rng(11)
    models = [
        CategoricalHMM(2, N_SYMBOLS).set_arrays(
            {
                "start": random.dirichlet([4, 4]),
                "transition": random.dirichlet([4, 4], 2),
                "emission": random.dirichlet(np.full(N_SYMBOLS, 4), 2),
            }
        )
        for _ in range(2)
    ]
    codes = np.array([0, 2, 1], dtype=np.uint8)
    table, posterior = raw_rows_of_all_paths(models, codes)
    n_items, n_draws, kappa = 4000, 2, 1.6 if sign == 0 else 3.2
    data = Ragged.from_items([codes] * n_items)
    mapping = FeatureMap(*models, conditioned=True, clip=3.0)
    mapping.fit_conditioning(data[:64], table)
    u = 2.0 * random.normal(size=mapping.n_features)
    scores = _objective.scores(mapping.condition(data[:64], table), u, 1)
    # E_w of the loss; of an unlabelled item, of the disagreement.
    wrong = upper_tail(scores)
    loss = 2 * wrong * (1 - wrong) if sign == 0 else upper_tail(sign * scores)
    weights = posterior * np.exp(-kappa * loss)
    expected = weights / weights.sum()

    sampler = CoupledSampler(mapping, u, n_draws, max_proposals=40, seed=3, n_threads=1)
    raw, accepted, proposed = sampler.by_rejection(
        data, np.full(n_items, sign, dtype=np.int8), np.full(n_items, kappa), some_keys(n_items)
    )
    counts = np.bincount(numbers_of(raw, table), minlength=64)
    assert counts.sum() == n_items * n_draws
    # Chance of a p-value below 1e-3 is one in a thousand for each of the three fixed seeds.
    assert chi_square_p(counts, expected) > 1e-3
    # And the feedback shows: the same draws do not follow P(h | x).
    assert chi_square_p(counts, posterior) < 1e-6
    # Rejection accepts the mean of the weights: five standard errors of a share.
    share = float(weights.sum())
    assert abs(accepted / proposed - share) < 5 * np.sqrt(share * (1 - share) / proposed)


def some_keys(n_items):
    return _random.stream_keys(99, 0, np.arange(n_items, dtype=np.uint64))
