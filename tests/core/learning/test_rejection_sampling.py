"""Draws chosen among proposals against the enumerated Q, in every regime of acceptance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy import stats

from sfmcore.learning.rejection_sampling import choose_proposals

PRIOR = np.array([0.35, 0.3, 0.2, 0.1, 0.05])


def choose(log_weights, n_proposals, n_draws, n_items, seed):
    """States of the chosen draws, shape (n_items, n_draws), and how many were accepted."""
    random = np.random.default_rng(seed)
    states = random.choice(len(PRIOR), p=PRIOR, size=(n_items, n_proposals))
    uniforms = random.uniform(size=(n_items, n_proposals + n_draws))
    chosen, accepted = choose_proposals(log_weights[states], uniforms, n_draws)
    return np.take_along_axis(states, chosen, axis=1), accepted


def posterior(log_weights):
    weights = PRIOR * np.exp(log_weights - log_weights.max())
    return weights / weights.sum()


def pvalue(states, log_weights):
    counts = np.bincount(states, minlength=len(PRIOR))
    return stats.chisquare(counts, posterior(log_weights) * len(states)).pvalue


def test_accepted_draws_follow_q():
    log_weights = np.log([0.2, 0.4, 0.6, 0.8, 1.0])
    states, accepted = choose(log_weights, 60, 3, 20_000, seed=1)
    assert accepted.min() >= 3
    # Fixed seeds here and below; the limit is a fair test's at 1e-3.
    for slot in range(3):
        assert pvalue(states[:, slot], log_weights) > 1e-3
    # The draws of an item are independent of each other.
    table = np.histogram2d(states[:, 0], states[:, 1], bins=len(PRIOR))[0]
    assert stats.chi2_contingency(table).pvalue > 1e-3
    # The test has the power to tell P from Q.
    assert pvalue(states[:, 0], np.zeros(5)) < 1e-12


def test_resampled_draws_follow_q():
    # Nothing is accepted: exp(-30) in a million proposals. The error of resampling is of the
    # order of 1 / 500 proposals, far below what 6000 items show.
    log_weights = np.log([0.2, 0.4, 0.6, 0.8, 1.0]) - 30
    states, accepted = choose(log_weights, 500, 3, 6000, seed=2)
    assert not accepted.any()
    for slot in range(3):
        assert pvalue(states[:, slot], log_weights) > 1e-3
    assert pvalue(states[:, 0], np.zeros(5)) < 1e-12


def test_partly_resampled_draws_are_close_to_q():
    # Half the items fall short. Resampling is then not exact; the paper's 50 proposals for
    # 5 draws leave a distance of about 0.01.
    log_weights = np.log([0.02, 0.05, 0.1, 0.15, 0.2])
    states, accepted = choose(log_weights, 50, 5, 20_000, seed=3)
    assert 0.3 < np.mean(accepted < 5) < 0.9
    for slot in range(5):
        shares = np.bincount(states[:, slot], minlength=5) / len(states)
        assert 0.5 * np.abs(shares - posterior(log_weights)).sum() < 0.03


def test_first_draw_alone_follows_q_when_few_are_accepted():
    # Given that one is accepted, the first accepted proposal follows Q at any rate.
    log_weights = np.log([0.2, 0.4, 0.6, 0.8, 1.0]) - 5
    states, accepted = choose(log_weights, 60, 5, 60_000, seed=4)
    some = accepted > 0
    assert 0.05 < some.mean() < 0.5
    assert pvalue(states[some, 0], log_weights) > 1e-3


@pytest.mark.parametrize("lowest", [-800.0, -1e6, -1e300])
@pytest.mark.parametrize(("n_proposals", "n_draws"), [(50, 5), (3, 5), (1, 4), (1, 1)])
def test_it_ends_when_every_weight_underflows(lowest, n_proposals, n_draws):
    random = np.random.default_rng(0)
    log_weights = lowest * random.uniform(1, 2, (7, n_proposals))
    uniforms = random.uniform(size=(7, n_proposals + n_draws))
    chosen, accepted = choose_proposals(log_weights, uniforms, n_draws)
    assert chosen.shape == (7, n_draws)
    assert not accepted.any()
    # Such weights lie so far apart that the best proposal has all the mass.
    if lowest < -1e5:
        assert np.array_equal(chosen, np.repeat(log_weights.argmax(1)[:, None], n_draws, axis=1))


def test_fewer_proposals_than_draws_repeat_the_accepted():
    chosen, accepted = choose_proposals(np.zeros((2, 2)), np.full((2, 5), 0.6), 3)
    assert accepted.tolist() == [2, 2]
    assert chosen.tolist() == [[0, 1, 1], [0, 1, 1]]


def test_no_items():
    chosen, accepted = choose_proposals(np.zeros((0, 4)), np.zeros((0, 7)), 3)
    assert chosen.shape == (0, 3)
    assert accepted.shape == (0,)


@given(st.data(), st.integers(1, 6), st.integers(1, 8), st.integers(1, 6))
@settings(max_examples=150, deadline=None)
def test_chosen_are_the_accepted_first_then_possible_proposals(data, n_items, n_proposals, n_draws):
    log_weights = data.draw(npst.arrays(float, (n_items, n_proposals), elements=st.floats(-1e4, 0)))
    uniforms = data.draw(
        npst.arrays(
            float, (n_items, n_proposals + n_draws), elements=st.floats(0, 1, exclude_max=True)
        )
    )
    chosen, accepted = choose_proposals(log_weights, uniforms, n_draws)
    assert chosen.shape == (n_items, n_draws)
    assert chosen.dtype == np.int64
    assert np.all((chosen >= 0) & (chosen < n_proposals))
    for item in range(n_items):
        passed = np.flatnonzero(uniforms[item, :n_proposals] < np.exp(log_weights[item]))
        assert accepted[item] == len(passed)
        kept = passed[:n_draws]
        assert np.array_equal(chosen[item, : len(kept)], kept)
        # A resampled one is never a proposal of weight 0 beside the best.
        weights = np.exp(log_weights[item] - log_weights[item].max())
        assert np.all(weights[chosen[item, len(kept) :]] > 0)
        # Other items don't matter.
        alone = choose_proposals(log_weights[[item]], uniforms[[item]], n_draws)[0]
        assert np.array_equal(alone[0], chosen[item])
