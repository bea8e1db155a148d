"""Limits from several draws at once, against enumeration and what their proofs rest on."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, norm

from sfmcore.bounds.draws_limit import (
    DRAWS,
    JOINT_DRAWS,
    draws_limit,
    joint_draws_limit,
    lead_probability,
    least_lead,
)
from sfmcore.bounds.inequalities import seeger_bound
from sfmcore.learning.vote import vote_shares

SHARE = st.floats(0, 1)


def enumerated(better, worse, n, r):
    """Probability that n steps of +1, 0 and -1 end at -r or above, step by step."""
    likely = {1: better, 0: 1 - better - worse, -1: worse}
    walks = itertools.product(likely, repeat=n)
    return sum(math.prod(likely[step] for step in walk) for walk in walks if sum(walk) >= -r)


@given(SHARE, SHARE, st.integers(1, 6), st.integers(0, 6))
@settings(max_examples=100, deadline=None)
def test_lead_equals_an_enumeration(first, second, n, r):
    better, worse = first * (1 - second), (1 - first) * second
    found = lead_probability(np.array([better]), np.array([worse]), n, min(r, n))[0]
    assert found == pytest.approx(enumerated(better, worse, n, min(r, n)), abs=1e-12)


@given(SHARE, SHARE, st.sampled_from(JOINT_DRAWS))
@settings(max_examples=200, deadline=None)
def test_where_a_wrong_class_has_the_larger_share_the_lead_is_likely(first, second, place):
    # p+ - p- is the difference of the shares.
    worse, better = sorted((first * (1 - second), (1 - first) * second))
    found = lead_probability(np.array([better]), np.array([worse]), *place)[0]
    assert found >= least_lead(*place) - 1e-12


@pytest.mark.parametrize(("n", "r"), [(3, 1), (4, 1), *JOINT_DRAWS])
def test_least_lead_is_nearly_reached(n, r):
    shares = np.linspace(0, 0.5, 501)
    reached = lead_probability(shares, shares, n, r).min()
    assert least_lead(n, r) - 1e-12 <= reached <= least_lead(n, r) + 0.1


@given(st.lists(SHARE, min_size=1, max_size=20), st.sampled_from(DRAWS))
@settings(max_examples=100, deadline=None)
def test_where_the_vote_errs_enough_draws_are_likely_to(losses, place):
    n, r = place
    losses = np.array(losses)
    mean = binom.sf(r - 1, n, losses).mean() / binom.sf(r - 1, n, 0.5)
    assert np.mean(losses >= 0.5) <= mean * (1 + 1e-12)


def test_limit_is_made_of_its_parts():
    losses = np.random.default_rng(0).beta(0.5, 4, 400)
    found = draws_limit(losses, divergence=0.4, delta=0.03)
    limits = {}
    for n, r in DRAWS:
        mean = sum(
            math.comb(n, k) * np.mean(losses**k * (1 - losses) ** (n - k)) for k in range(r, n + 1)
        )
        least = sum(math.comb(n, k) for k in range(r, n + 1)) / 2**n
        limits[n, r] = seeger_bound(mean, n * 0.4, 400, 0.03 / len(DRAWS)) / least
    assert found.value == pytest.approx(min(limits.values()), rel=1e-9)
    assert (found.n_draws, found.threshold) == min(limits, key=limits.get)
    # One draw, and two that are both wrong, are twice the Gibbs risk and four times the tandem.
    gibbs = 2 * seeger_bound(losses.mean(), 0.4, 400, 0.03)
    assert draws_limit(losses, divergence=0.4, delta=0.03, grid=((1, 1),)).value == gibbs
    tandem = 4 * seeger_bound(np.mean(losses**2), 0.8, 400, 0.03)
    both = draws_limit(losses, divergence=0.4, delta=0.03, grid=((2, 2),)).value
    assert both == pytest.approx(tandem, rel=1e-12)


@pytest.mark.parametrize("n_rows", [1, 3])
def test_loss_of_joint_draws_is_at_least_the_drawn_one(n_rows):
    random = np.random.default_rng(2)
    margins = [random.normal(size=(1, n_rows)) for _ in range(3)]
    numbers, (n, r) = np.array([1]), JOINT_DRAWS[0]
    found = joint_draws_limit(numbers, margins, divergence=0.0, grid=((n, r),))
    rows = random.integers(0, n_rows, (100_000, n))
    votes = [own[0][rows] + random.normal(size=rows.shape) > 0 for own in margins]
    counts = np.array([vote.sum(1) for vote in votes])
    wrong = np.mean(np.maximum(counts[0], counts[2]) >= counts[1] - r)
    assert wrong <= found.loss + 5e-3
    assert found.loss <= 2 * wrong + 5e-3


def test_limit_of_the_label_lies_above_the_share_of_wrong_labels():
    for seed in range(10):
        random = np.random.default_rng(seed)
        numbers = random.integers(0, 3, 200)
        margins = [
            random.normal(np.where(numbers == k, 2.0, -2.0)[:, None], 1.0, (200, 5))
            for k in range(3)
        ]
        found = joint_draws_limit(numbers, margins, divergence=0.2)
        labels = np.column_stack([vote_shares(own) for own in margins]).argmax(1)
        assert np.mean(labels != numbers) <= found.value < 1


def test_bad_numbers_are_refused_by_name():
    with pytest.raises(ValueError, match="divergence"):
        draws_limit([0.1], divergence=-1.0)
    with pytest.raises(ValueError, match="delta"):
        draws_limit([0.1], divergence=1.0, delta=1.0)
    with pytest.raises(ValueError, match="m must be"):
        draws_limit([], divergence=1.0)
    with pytest.raises(ValueError, match="delta"):
        joint_draws_limit(np.array([0]), [np.zeros((1, 1))] * 3, divergence=1.0, delta=0.0)


def test_draws_of_one_row_know_its_margin():
    margins = np.linspace(-3, 6, 200)
    found = draws_limit(norm.cdf(-margins), divergence=0.1)
    assert np.mean(margins <= 0) <= found.value <= 1
