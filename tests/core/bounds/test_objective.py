"""Risks, objective and bound against finite differences, exact identities and simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sfmcore.bounds.objective import Objective, Risks, best_C, bound_slope, bound_value, upper_tail


def make_rows(n_rows, n_columns, seed=0):
    random = np.random.default_rng([seed, n_rows, n_columns])
    rows = random.normal(size=(n_rows, n_columns))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    signs = np.resize(np.array([1, -1, 0, 1, -1], dtype=np.int8), n_rows)
    return rows, signs, random


def test_upper_tail_equals_scipy():
    a = np.linspace(-35, 35, 141)
    np.testing.assert_allclose(upper_tail(a), stats.norm.sf(a), rtol=1e-12)


@pytest.mark.parametrize("unlabeled_weight", [1.0, 0.3, 0.0])
def test_objective_equals_the_formula_of_the_appendix(unlabeled_weight):
    rows, signs, random = make_rows(25, 4)
    u, u0, C = random.normal(size=4), random.normal(size=4), 3.0
    labelled, unlabelled = rows[signs != 0], rows[signs == 0]
    y = signs[signs != 0]
    wanted = C * np.mean(upper_tail(y * (labelled @ u)))
    disagreement = np.mean(upper_tail(unlabelled @ u) * upper_tail(-unlabelled @ u))
    wanted += C * unlabeled_weight * disagreement
    wanted += np.sum((u - u0) ** 2) / (2 * 25)
    objective = Objective(rows, signs, C, 25, prior_mean=u0, unlabeled_weight=unlabeled_weight)
    assert objective(u)[0] == pytest.approx(wanted, rel=1e-12)
    risks = objective.risks(u)
    assert C * risks.total + objective.divergence(u) / 25 == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("convex", [False, True])
@pytest.mark.parametrize("prior", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_gradient_equals_finite_differences(convex, prior, weighted):
    rows, signs, random = make_rows(30, 7)
    objective = Objective(
        rows,
        signs,
        2.5,
        12,
        prior_mean=random.normal(size=7) if prior else None,
        sample_weight=random.uniform(0.1, 3, 30) if weighted else None,
        unlabeled_weight=0.4 if weighted else 1.0,
    )
    u = 1.5 * random.normal(size=7)
    gradient = objective(u, convex=convex)[1]
    step = 1e-5

    def value(at):
        return objective(at, convex=convex)[0]

    differences = [
        (value(u + step * axis) - value(u - step * axis)) / (2 * step) for axis in np.eye(7)
    ]
    np.testing.assert_allclose(gradient, differences, rtol=1e-6, atol=1e-9)


def test_weight_of_two_equals_a_duplicate():
    rows, signs, random = make_rows(10, 3)
    twice = np.array([1, 2, 1, 1, 2, 1, 1, 2, 1, 1])
    u = random.normal(size=3)
    weighted = Objective(rows, signs, 1.0, 13, sample_weight=twice)
    repeated = Objective(np.repeat(rows, twice, axis=0), np.repeat(signs, twice), 1.0, 13)
    assert weighted(u)[0] == pytest.approx(repeated(u)[0], rel=1e-12)
    np.testing.assert_allclose(weighted(u)[1], repeated(u)[1], rtol=1e-10)
    # Only the proportions within a part count, and the caller's weights stay as they were.
    weights = 7.0 * twice
    assert Objective(rows, signs, 1.0, 13, sample_weight=weights)(u)[0] == pytest.approx(
        repeated(u)[0], rel=1e-12
    )
    assert np.array_equal(weights, 7.0 * twice)


@pytest.mark.parametrize("kind", [-1, 0, 1])
def test_risks_of_one_kind_of_rows_are_finite(kind):
    rows, signs, random = make_rows(6, 3)
    objective = Objective(rows, np.full_like(signs, kind), 1.0, 6)
    value, slope = objective(random.normal(size=3))
    assert np.isfinite(value)
    assert np.all(np.isfinite(slope))


@pytest.mark.parametrize("C", [0.0, -1.0])
def test_a_C_that_is_not_above_zero_is_refused(C):
    rows, signs, _ = make_rows(3, 2)
    with pytest.raises(ValueError, match="C must be above 0"):
        Objective(rows, signs, C, 3)


@given(st.integers(0, 10_000), st.sampled_from([0.3, 2.0, 20.0]))
@settings(max_examples=60, deadline=None)
def test_surrogate_is_a_convex_upper_bound(seed, scale):
    rows, signs, random = make_rows(12, 3, seed)
    signs = np.where(signs == 0, 1, signs).astype(np.int8)
    # The data term alone: no pull towards the prior, which is convex itself.
    objective = Objective(rows, signs, 1.0, 10**15)
    one, other = scale * random.normal(size=(2, 3))
    share = random.uniform()

    def surrogate(u):
        return objective(u, convex=True)[0]

    for u in (one, other):
        assert objective(u)[0] <= surrogate(u) + 1e-12
    between = share * one + (1 - share) * other
    assert surrogate(between) <= share * surrogate(one) + (1 - share) * surrogate(other) + 1e-12


def test_the_risk_itself_is_not_convex():
    # So that the test above says something about the surrogate.
    objective = Objective(np.ones((1, 1)), np.ones(1, np.int8), 1.0, 10**15)
    middle = objective(np.array([-2.0]))[0]
    ends = [objective(np.array([u]))[0] for u in (-4.0, 0.0)]
    assert middle > np.mean(ends) + 0.1


@given(st.integers(0, 10_000), st.sampled_from([0.3, 2.0, 20.0]))
@settings(max_examples=60, deadline=None)
def test_gibbs_risk_equals_tandem_and_half_the_disagreement(seed, scale):
    # The proof of Theorem 2, with the disagreement on the labelled items themselves.
    rows, signs, random = make_rows(12, 3, seed)
    signs = np.where(signs == 0, -1, signs).astype(np.int8)
    u = scale * random.normal(size=3)
    labelled = Objective(rows, signs, 1.0, 12).risks(u)
    blind = Objective(rows, np.zeros_like(signs), 1.0, 12).risks(u)
    assert labelled.gibbs == pytest.approx(
        labelled.tandem + 0.5 * blind.disagreement, rel=1e-10, abs=1e-15
    )
    assert labelled.disagreement == 0
    assert blind.gibbs == blind.tandem == 0


def test_risks_equal_those_of_drawn_classifiers():
    rows, signs, random = make_rows(10, 3)
    u = np.array([0.5, -1.0, 0.7])
    risks = Objective(rows, signs, 1.0, 10).risks(u)
    votes = np.sign((u + random.normal(size=(2, 200_000, 3))) @ rows.T)
    wrong = (votes != signs)[:, :, signs != 0]
    apart = (votes[0] != votes[1])[:, signs == 0]
    drawn = wrong.mean(), apart.mean(), (wrong[0] & wrong[1]).mean()
    # Means of 200,000 numbers in [0, 1]: 0.005 is more than four standard errors.
    np.testing.assert_allclose(risks, drawn, atol=5e-3)
    assert Risks(0.25, 0.1, 0.2).total == pytest.approx(0.3)


RISK, KL = st.floats(0, 1), st.floats(0, 50)
SIZE, DELTA = st.integers(10, 10_000), st.floats(1e-3, 0.999)


@given(RISK, KL, SIZE, DELTA, st.floats(0.1, 20))
@settings(max_examples=200, deadline=None)
def test_bound_slope_equals_finite_differences(risk, divergence, n_items, delta, C):
    def value(C):
        return bound_value(C * risk + divergence / n_items, C, n_items, delta)

    step = 1e-5 * C
    difference = (value(C + step) - value(C - step)) / (2 * step)
    J = C * risk + divergence / n_items
    slope = bound_slope(J, risk, C, n_items, delta)
    assert slope == pytest.approx(difference, rel=1e-5, abs=1e-7)


def printed_slope(J, risk, C, n_items, log_delta):
    """dB/dC as the paper prints it, where `log_delta` is subtracted and `risk` is R + d."""
    rest = np.exp(-J - log_delta / n_items)
    gap = 1 - np.exp(-C)
    return -np.exp(-C) / gap**2 * (1 - rest) + risk * rest / gap


def test_printed_slope_has_two_slips():
    gibbs, disagreement, divergence, n_items, delta, C = 0.15, 0.2, 5.0, 50, 0.05, 2.0
    risk = gibbs + disagreement / 2  # what J holds, as Theorem 2 and the Appendix have it
    J = C * risk + divergence / n_items

    def value(C):
        return bound_value(C * risk + divergence / n_items, C, n_items, delta)

    difference = (value(C + 1e-5) - value(C - 1e-5)) / 2e-5
    log_delta = np.log(delta)
    # Both slips put right give our slope; each of them alone is a slope of something else.
    right = printed_slope(J, risk, C, n_items, -log_delta)
    assert right == pytest.approx(difference, rel=1e-6)
    assert bound_slope(J, risk, C, n_items, delta) == pytest.approx(difference, rel=1e-6)
    as_printed = printed_slope(J, gibbs + disagreement, C, n_items, log_delta)
    wrong_sign = printed_slope(J, risk, C, n_items, log_delta)
    wrong_risk = printed_slope(J, gibbs + disagreement, C, n_items, -log_delta)
    for wrong in (as_printed, wrong_sign, wrong_risk):
        assert abs(wrong - difference) > 0.1 * abs(difference)


@given(RISK, KL, SIZE, DELTA)
@settings(max_examples=60, deadline=None)
def test_best_C_is_the_minimum(risk, divergence, n_items, delta):
    def value(C):
        return bound_value(C * risk + divergence / n_items, C, n_items, delta)

    C = best_C(risk, divergence, n_items, delta)
    assert 1e-3 <= C <= 1e3
    lowest = min(value(other) for other in np.geomspace(1e-3, 1e3, 200))
    assert value(C) <= lowest * (1 + 1e-6) + 1e-9


@given(RISK, KL, SIZE, DELTA, st.floats(0.01, 10))
@settings(max_examples=200, deadline=None)
def test_bound_lies_above_the_risk_and_says_nothing_above_C(risk, divergence, n_items, delta, C):
    J = C * risk + divergence / n_items
    bound = bound_value(J, C, n_items, delta)
    assert bound >= risk - 1e-12
    # It says something only where the exponent stays below C.
    exponent = J - np.log(delta) / n_items
    if abs(exponent - C) > 1e-9 * C:
        assert (bound < 1) == (exponent < C)
    # More risk, less confidence asked for, and more items move it as they should.
    assert bound_value(J + 0.1, C, n_items, delta) > bound
    assert bound_value(J, C, n_items, min(1.0, 2 * delta)) < bound
    assert bound_value(C * risk + divergence / (2 * n_items), C, 2 * n_items, delta) < bound


def test_bound_keeps_its_digits_for_small_C():
    # (1 - exp(-x)) / (1 - exp(-C)) is x / C for both tiny, where 1 - exp would lose them.
    assert bound_value(1e-13, 1e-12, 10**15, 1.0) == pytest.approx(0.1, rel=1e-9)


def simulate_violations(n_items, C, delta, n_repetitions=600, seed=0):
    """Shares of samples where the true risk lies above the bound, and above the sample's risk.

    Points on the circle, labelled by the sign of the first coordinate, one in five wrongly.
    The prior is N(0, I), the posterior N(u, I) with the u of lowest J among 181, so it is
    chosen on the sample. The true risk is an integral over the angle.
    """
    random = np.random.default_rng(seed)
    noise = 0.2
    angles = np.arange(36) * np.pi / 18
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    candidates = np.vstack([np.zeros((1, 2)), *(size * directions for size in (0.5, 1, 2, 4, 8))])

    def circle(angle):
        points = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        return points, np.where(points[..., 0] > 0, 1.0, -1.0)

    points, labels = circle((np.arange(3600) + 0.5) * 2 * np.pi / 3600)
    loss = upper_tail(labels[:, None] * (points @ candidates.T)).mean(0)
    true_risks = (1 - noise) * loss + noise * (1 - loss)

    points, labels = circle(random.uniform(0, 2 * np.pi, (n_repetitions, n_items)))
    labels *= np.where(random.uniform(size=labels.shape) < noise, -1, 1)
    risks = upper_tail(labels[..., None] * (points @ candidates.T)).mean(1)
    J = C * risks + 0.5 * np.sum(candidates**2, axis=1) / n_items
    chosen = J.argmin(1)
    J, risks = J.min(1), risks[np.arange(n_repetitions), chosen]
    bounds = np.array([bound_value(value, C, n_items, delta) for value in J])
    violated = np.mean(true_risks[chosen] > bounds)
    return violated, np.mean(true_risks[chosen] > risks), len(np.unique(chosen)), np.median(bounds)


@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize(("n_items", "C"), [(20, 1.0), (60, 3.0)])
def test_theorem_1_holds_in_simulation(n_items, C, delta):
    violated, optimistic, n_chosen, bound = simulate_violations(n_items, C, delta)
    # Three standard errors of a share of 600 repetitions.
    assert violated <= delta + 3 * np.sqrt(delta * (1 - delta) / 600)
    # The sample's own risk is no bound, the posterior follows the sample, and the bound is
    # not empty.
    assert optimistic > 0.5
    assert n_chosen > 5
    assert bound < 0.8


@pytest.mark.parametrize("delta", [0.05, 0.3])
def test_theorem_1_is_nearly_attained(delta):
    # One fixed classifier, Q = P, and a large C: the bound fails where the sample has no error,
    # if the true risk is just above it. That happens with probability delta, so a bound that
    # is too low anywhere (log delta with the other sign, or without it) fails far more often.
    n_items, C, n_repetitions = 50, 30.0, 20_000
    true_risk = bound_value(0.0, C, n_items, delta) + 1e-9
    errors = np.random.default_rng(0).binomial(n_items, true_risk, n_repetitions)
    bounds = np.array([bound_value(C * k / n_items, C, n_items, delta) for k in range(51)])
    violated = np.mean(true_risk > bounds[errors])
    assert violated == pytest.approx(delta, abs=3 * np.sqrt(delta * (1 - delta) / n_repetitions))
