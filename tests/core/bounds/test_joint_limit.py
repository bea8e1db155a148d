"""The limit of a wrong label from a joint draw of all classes, against quadrature and draws."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from sfmcore.bounds.inequalities import kl_inverse, maurer_constant
from sfmcore.bounds.joint_limit import JOINT_THETAS, behind, joint_margin_limit, leads_of
from sfmcore.bounds.margin_limit import STRETCHES, Lengths


def make(n_items=300, n_classes=4, seed=0):
    random = np.random.default_rng(seed)
    numbers = random.integers(0, n_classes, n_items)
    scores = random.normal(size=(n_items, n_classes))
    scores[np.arange(n_items), numbers] += 4.0
    return scores, numbers


@given(st.lists(st.floats(-8, 8), min_size=1, max_size=6), st.floats(-3, 5))
@settings(max_examples=60, deadline=None)
def test_probability_of_a_wrong_label_equals_an_adaptive_integral(leads, theta):
    def density(z):
        return norm.pdf(z) * np.prod(norm.cdf(z + np.array(leads) - theta))

    expected = 1 - quad(density, -9, 9, epsabs=1e-12, limit=200)[0]
    assert behind(np.array([leads]), theta)[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("n_others", [1, 3, 117, 1000])
def test_quadrature_keeps_its_digits_with_many_classes(n_others):
    nodes = np.linspace(-9, 9, 20_001)
    weights = norm.pdf(nodes) * (nodes[1] - nodes[0])
    for lead in (-2.0, 0.0, 3.0, 6.0):
        expected = 1 - np.sum(weights * norm.cdf(nodes + lead) ** n_others)
        found = behind(np.full((1, n_others), lead), 0.0)[0]
        assert found == pytest.approx(expected, abs=1e-10)


def test_probability_of_a_wrong_label_is_that_of_draws():
    random = np.random.default_rng(1)
    scores, theta = np.array([1.5, 1.0, -1.0]), 0.5
    drawn = scores + random.normal(size=(400_000, 3))
    wrong = drawn[:, 0] - drawn[:, 1:].max(1) <= theta
    found = behind(leads_of(scores[None], np.array([0])), theta)[0]
    assert wrong.mean() == pytest.approx(found, abs=4e-3)


@given(
    st.lists(st.floats(-20, 20), min_size=2, max_size=6),
    st.sampled_from(JOINT_THETAS),
    st.floats(0.01, 20),
)
@settings(max_examples=200, deadline=None)
def test_where_the_label_is_wrong_the_loss_is_at_least_what_is_divided_by(scores, theta, scale):
    row = np.array([scores])
    for number in range(len(scores)):
        leads = leads_of(row, np.array([number]))
        if leads.min() <= 0:
            assert behind(scale * leads, theta)[0] >= norm.cdf(theta / math.sqrt(2)) - 1e-9


def test_limit_is_made_of_its_parts():
    scores, numbers = make()
    lengths = Lengths(40.0, 39.0, 39.0)
    found = joint_margin_limit(scores, numbers, lengths, delta=0.02)
    loss = behind(found.scale * leads_of(scores, numbers), found.theta).mean()
    places = len(JOINT_THETAS) * len(STRETCHES)
    price = math.log(maurer_constant(300) * places / 0.02)
    paid = float(lengths.divergence(found.scale, found.stretch))
    expected = kl_inverse(loss, (paid + price) / 300) / norm.cdf(found.theta / math.sqrt(2))
    assert found.value == pytest.approx(float(expected), rel=1e-6)
    assert found.value >= float(expected)
    assert found.value < 0.5


def test_two_classes_are_one_vote_of_the_difference():
    leads = np.array([[2.0], [-0.5]])
    np.testing.assert_allclose(
        behind(leads, 1.0), norm.cdf((1.0 - leads[:, 0]) / math.sqrt(2)), atol=1e-10
    )


def test_a_common_shift_of_all_classes_changes_nothing():
    scores, numbers = make()
    lengths = Lengths(40.0, 39.0, 39.0)
    one = joint_margin_limit(scores, numbers, lengths)
    shifted = scores + np.random.default_rng(5).normal(size=(len(scores), 1))
    other = joint_margin_limit(shifted, numbers, lengths)
    assert other.value == pytest.approx(one.value, rel=1e-9)


def test_limit_is_a_probability_above_the_share_of_wrong_labels():
    for seed in range(10):
        scores, numbers = make(60, 3, seed)
        found = joint_margin_limit(scores, numbers, Lengths(4.0, 3.0, 3.0))
        assert np.mean(scores.argmax(1) != numbers) <= found.value <= 1


@pytest.mark.parametrize(
    ("match", "changes"),
    [
        ("number of items", {"numbers": np.empty(0, dtype=int)}),
        ("scores must hold", {"scores": np.zeros(300)}),
        ("scores must hold", {"scores": np.full((300, 4), np.nan)}),
        ("scores must hold", {"scores": np.zeros((2, 4))}),
        ("delta", {"delta": 1.0}),
        ("thetas", {"thetas": ()}),
        ("stretches", {"stretches": (0.0,)}),
    ],
)
def test_bad_numbers_are_refused_by_name(match, changes):
    scores, numbers = make()
    options = {"scores": scores, "numbers": numbers, **changes}
    parts = options.pop("scores"), options.pop("numbers")
    with pytest.raises(ValueError, match=match):
        joint_margin_limit(*parts, Lengths(1.0, 1.0, 1.0), **options)
