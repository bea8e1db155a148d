"""The limit from margins against a plain twin, drawn classifiers, and what its proof rests on."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from sfmcore.bounds.inequalities import maurer_constant, seeger_bound
from sfmcore.bounds.margin_limit import STRETCHES, THETAS, Lengths, margin_limit
from sfmcore.learning.vote import decide

MARGIN = st.floats(-30, 30)


def make(seed=0, n_items=300, n_features=20):
    """Margins of a u near its u_0, both of some length."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(n_items, n_features)) + 3.0 * np.eye(n_features)[0]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    prior_mean = 4.0 * np.eye(n_features)[0]
    u = prior_mean + 0.2 * random.normal(size=n_features)
    return rows @ u, u, prior_mean


def twin(margins, u, prior_mean, delta, theta, stretch, scale):
    """One place of the grid in plain Python: kl inverted by bisection."""
    loss = sum(0.5 * math.erfc((scale * a - theta) / math.sqrt(2)) for a in margins) / len(margins)
    divergence = 0.5 * sum(
        (scale * x - stretch * y) ** 2 for x, y in zip(u, prior_mean, strict=True)
    )
    places = len(THETAS) * (len(STRETCHES) if any(prior_mean) else 1)
    price = math.log(maurer_constant(len(margins)) * places / delta)
    budget = (divergence + price) / len(margins)
    low, high = loss, 1.0
    for _ in range(100):
        middle = 0.5 * (low + high)
        kl = loss * math.log(loss / middle) + (1 - loss) * math.log((1 - loss) / (1 - middle))
        low, high = (middle, high) if kl <= budget else (low, middle)
    return low / (0.5 * math.erfc(-theta / math.sqrt(2)))


@pytest.mark.parametrize("prior", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_limit_equals_a_plain_twin_and_is_the_lowest(seed, prior):
    margins, u, prior_mean = make(seed)
    prior_mean = prior_mean * prior
    lengths = Lengths.of(u, prior_mean)
    found = margin_limit(margins, lengths, delta=0.03)
    expected = twin(margins, u, prior_mean, 0.03, found.theta, found.stretch, found.scale)
    assert found.value == pytest.approx(min(1.0, expected), rel=1e-9)
    assert found.value < 0.6
    for theta in THETAS:
        for stretch in lengths.stretches(STRETCHES):
            for scale in lengths.scales(stretch):
                other = twin(margins, u, prior_mean, 0.03, theta, stretch, scale)
                assert other >= found.value * (1 - 1e-9)


@given(st.lists(MARGIN, min_size=1, max_size=20), st.sampled_from(THETAS), st.floats(1e-3, 50))
@settings(max_examples=200, deadline=None)
def test_where_the_vote_errs_the_loss_is_at_least_what_is_divided_by(margins, theta, scale):
    a = np.array(margins)
    losses = norm.cdf(theta - scale * a)
    assert np.mean(a <= 0) <= losses.mean() / norm.cdf(theta) * (1 + 1e-12)


@given(st.lists(st.tuples(MARGIN, MARGIN), min_size=1, max_size=20))
@settings(max_examples=200, deadline=None)
def test_shares_of_two_rows_decide_as_the_sum_of_their_margins(rows):
    rows = np.array(rows)
    clear = np.abs(rows.sum(1)) > 1e-9
    share, total = decide(rows, "majority"), rows.sum(1)
    assert np.all((share > 0)[clear] == (total > 0)[clear])


def test_shares_of_three_rows_do_not():
    # So no limit from the sum is one of their vote.
    rows = np.array([[20.0, -1.0, -1.0]])
    assert rows.sum() > 0
    assert decide(rows, "majority")[0] < 0


@pytest.mark.parametrize("length", [1.0, 0.6, 0.0])
@pytest.mark.parametrize("theta", THETAS)
def test_loss_of_a_drawn_classifier_is_that_of_its_margin(length, theta):
    # A row that is shorter than 1 is lengthened by a coordinate of its own, of prior N(0, 1).
    random = np.random.default_rng(3)
    row = random.normal(size=6)
    row *= length / np.linalg.norm(row)
    u = random.normal(size=6)
    w = u + random.normal(size=(400_000, 6))
    drawn = w @ row + math.sqrt(1 - length**2) * random.normal(size=len(w))
    assert np.mean(drawn <= theta) == pytest.approx(norm.cdf(theta - u @ row), abs=4e-3)


def test_divergence_is_that_of_the_multiples():
    random = np.random.default_rng(0)
    u, prior_mean = random.normal(size=(2, 9))
    lengths = Lengths.of(u, prior_mean)
    for scale, stretch in ((1.0, 1.0), (0.3, 4.0), (7.0, 0.5), (0.0, 2.0)):
        expected = 0.5 * np.sum((scale * u - stretch * prior_mean) ** 2)
        assert lengths.divergence(scale, stretch) == pytest.approx(expected, rel=1e-12)
    same = Lengths.of(u, u)
    assert same.divergence(3.0, 3.0) == pytest.approx(0.0, abs=1e-12)
    assert np.all(same.divergence(np.linspace(1, 2, 50), 1.5) >= 0)


@given(st.lists(st.floats(-5, 8), min_size=5, max_size=60), st.floats(0.01, 100), st.floats(0, 1))
@settings(max_examples=60, deadline=None)
def test_limit_is_a_probability_above_the_vote_s_risk(margins, length, share):
    a = np.array(margins)
    found = margin_limit(a, Lengths(length, share * length, length), delta=0.05)
    assert np.mean(a <= 0) <= found.value <= 1
    assert margin_limit(a, Lengths(length, share * length, length), delta=0.005).value >= (
        found.value * (1 - 1e-12)
    )


def test_a_vote_that_says_nothing_is_limited_by_one():
    assert margin_limit(np.zeros(50), Lengths(0.0, 0.0, 0.0)).value == 1.0
    assert margin_limit(np.zeros(50), Lengths(0.0, 0.0, 3.0)).value == 1.0


def test_limit_is_below_twice_the_gibbs_risk_where_u_is_near_its_prior():
    margins, u, prior_mean = make()
    lengths = Lengths.of(u, prior_mean)
    twice = 2 * seeger_bound(
        norm.cdf(-margins).mean(), float(lengths.divergence(1.0, 1.0)), len(margins), 0.05
    )
    assert margin_limit(margins, lengths).value < 0.75 * twice


@pytest.mark.parametrize(
    ("match", "changes"),
    [
        ("margins must hold", {"margins": [[1.0]]}),
        ("margins must hold", {"margins": [np.nan]}),
        ("number of items", {"margins": []}),
        ("delta", {"delta": 0.0}),
        ("delta", {"delta": 1.0}),
        ("thetas", {"thetas": []}),
        ("thetas", {"thetas": [0.0]}),
        ("stretches", {"stretches": [-1.0]}),
        ("stretches", {"stretches": [math.inf]}),
    ],
)
def test_bad_numbers_are_refused_by_name(match, changes):
    options = {"margins": [1.0, 2.0], **changes}
    with pytest.raises(ValueError, match=match):
        margin_limit(options.pop("margins"), Lengths(1.0, 1.0, 1.0), **options)
