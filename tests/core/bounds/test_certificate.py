"""Certified limits against exact enumeration, closed forms, simulation and each other."""

import json
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.special import gammaln, xlogy
from scipy.stats import binom

from sfmcore.bounds.certificate import BINOMIAL, FOUR_TANDEM, TWICE_GIBBS, certify_losses
from sfmcore.bounds.inequalities import (
    C_GRID,
    binomial_bound,
    catoni_bound,
    chernoff_bound,
    kl_inverse,
    maurer_constant,
    seeger_bound,
)
from sfmcore.bounds.objective import upper_tail
from sfmcore.learning.vote import vote_shares

RISK, KL = st.floats(0, 1), st.floats(0, 50)
SIZE, DELTA = st.integers(1, 10_000), st.floats(1e-6, 0.999)


def exact_kl(q, p):
    """kl(q || p) of two floats, in 60 digits."""
    with localcontext(prec=60):
        q, p = Decimal(q), Decimal(p)
        first = q * (q / p).ln() if q else Decimal(0)
        second = (1 - q) * ((1 - q) / (1 - p)).ln() if q < 1 else Decimal(0)
        return first + second


# kl_inverse


@given(
    st.one_of(RISK, st.floats(0, 1e-6), st.floats(-40, 0).map(lambda power: 10**power)),
    st.floats(-18, 2).map(lambda power: 10**power),
)
@example(1 - 1e-12, 1e-9)
@example(1 - 2**-53, 1.0)
@example(0.5, 1e-18)
@example(1e-300, 1e-3)
@settings(max_examples=300, deadline=None)
def test_kl_inverse_is_never_low_and_hardly_high(q, budget):
    p = float(kl_inverse(q, budget))
    assert q <= p <= 1
    if p < 1:
        assert exact_kl(q, p) >= Decimal(budget)
    # A point a little lower keeps the budget: rounding moves p by a few units of its last place,
    # the margin in the budget moves p - q by a part in 1e12.
    lower = p - 2e-15 * p - 2e-12 * (p - q)
    if lower > q:
        assert exact_kl(q, lower) <= Decimal(budget)


def test_kl_inverse_equals_a_scan():
    points = np.linspace(0, 1, 200_001)[1:-1]
    for q in (0.0, 0.01, 0.3, 0.5, 0.9):
        spent = xlogy(q, q / points) + xlogy(1 - q, (1 - q) / (1 - points))
        for budget in (0.001, 0.05, 0.4, 2.0):
            scanned = points[(points >= q) & (spent <= budget)].max()
            assert float(kl_inverse(q, budget)) == pytest.approx(scanned, abs=6e-6)


@given(st.floats(-30, 3).map(lambda power: 10**power))
@settings(deadline=None)
def test_kl_inverse_of_the_ends(budget):
    assert float(kl_inverse(0.0, budget)) == pytest.approx(-math.expm1(-budget), rel=2e-15)
    assert kl_inverse(1.0, budget) == 1


@given(RISK)
@settings(deadline=None)
def test_kl_inverse_without_and_with_endless_budget(q):
    assert kl_inverse(q, 0.0) == q
    assert kl_inverse(q, np.inf) == 1


def test_kl_inverse_takes_arrays_of_any_shape():
    q, budget = np.array([[0.1], [0.0]]), np.array([0.0, 0.1, 5.0])
    found = kl_inverse(q, budget)
    assert found.shape == (2, 3)
    for row, column in np.ndindex(2, 3):
        assert found[row, column] == kl_inverse(q[row, 0], budget[column])
    assert kl_inverse([], 0.1).shape == (0,)


@pytest.mark.parametrize(("q", "budget"), [(-0.1, 1), (1.1, 1), (np.nan, 1), (0.1, -1)])
def test_kl_inverse_refuses_what_has_none(q, budget):
    with pytest.raises(ValueError, match="budget" if budget < 0 else "q must"):
        kl_inverse(q, budget)
    with pytest.raises(ValueError, match="budget"):
        kl_inverse(0.1, np.nan)


# xi(m)


@pytest.mark.parametrize("m", [1, 2, 3, 8, 20, 77])
def test_maurer_constant_equals_the_sum_in_fractions(m):
    terms = (
        math.comb(m, k) * Fraction(k, m) ** k * Fraction(m - k, m) ** (m - k) for k in range(m + 1)
    )
    assert maurer_constant(m) == pytest.approx(float(sum(terms)), rel=1e-14)


@pytest.mark.parametrize("m", [500, 10_000])
def test_maurer_constant_equals_the_sum_in_logarithms(m):
    k = np.arange(m + 1)
    logs = gammaln(m + 1) - gammaln(k + 1) - gammaln(m - k + 1)
    logs += xlogy(k, k / m) + xlogy(m - k, 1 - k / m)
    assert maurer_constant(m) == pytest.approx(np.exp(logs).sum(), rel=1e-9)


def test_maurer_constant_lies_between_one_and_two_roots():
    for m in [*range(1, 200), 1000, 9999, 10_000, 10_001, 10**9]:
        assert math.sqrt(m) <= maurer_constant(m) <= 2 * math.sqrt(m)


# The limits of one number


def miss(m, true_risk, limit):
    """Exact probability that a limit of the errors of one fixed classifier is too low."""
    return binom.pmf(np.arange(m + 1), m, true_risk)[limit < true_risk].sum()


@pytest.mark.parametrize("delta", [0.05, 0.5])
@pytest.mark.parametrize("m", [1, 7, 50])
def test_limits_of_one_classifier_hold_exactly(m, delta):
    shares = np.arange(m + 1) / m
    seeger = np.array([seeger_bound(share, 0.0, m, delta) for share in shares])
    catoni = np.array([catoni_bound(share, 0.0, m, delta)[0] for share in shares])
    tail = np.array([binomial_bound(k, m, delta) for k in range(m + 1)])
    # Limits fail most often just above one of their own values.
    true_risks = np.unique(np.concatenate([seeger, catoni, tail, np.linspace(0, 1, 301)]))
    true_risks = np.concatenate([true_risks, np.minimum(true_risks + 1e-12, 1)])
    for limit in (seeger, catoni, tail):
        assert max(miss(m, risk, limit) for risk in true_risks) <= delta + 1e-9
    # The binomial tail is exact: it fails with probability delta, no less.
    assert max(miss(m, risk, tail) for risk in true_risks) == pytest.approx(delta, rel=1e-6)
    # Without xi(m) and the union over C the other two would fail too often or nearly so.
    bare = kl_inverse(shares, math.log(1 / delta) / m)
    assert max(miss(m, risk, bare) for risk in (*true_risks, *(bare + 1e-12))) > 0.9 * delta


def test_kl_form_pays_for_the_choice_of_a_classifier():
    # 1,000 independent classifiers of the same true risk, a uniform prior, and the posterior on
    # the one with the fewest errors: KL = ln 1000. Everything is known in closed form.
    m, delta, true_risk, n_classifiers = 60, 0.05, 0.3, 1000
    shares = np.arange(m + 1) / m

    def chosen_misses(divergence):
        limit = np.array([seeger_bound(share, divergence, m, delta) for share in shares])
        return 1 - (1 - miss(m, true_risk, limit)) ** n_classifiers

    assert chosen_misses(math.log(n_classifiers)) <= delta
    assert chosen_misses(0.0) > 4 * delta


@pytest.mark.parametrize("errors", [0, 1, 17, 99, 100])
def test_binomial_bound_inverts_the_binomial_tail(errors):
    m, delta = 100, 0.05
    limit = binomial_bound(errors, m, delta)
    if errors == m:
        assert limit == 1
    else:
        assert binom.cdf(errors, m, limit) == pytest.approx(delta, rel=1e-10)
    assert binomial_bound(0, m, delta) == pytest.approx(1 - delta ** (1 / m), rel=1e-12)


@given(RISK, KL, SIZE, DELTA)
@settings(max_examples=100, deadline=None)
def test_limits_are_in_order(risk, divergence, m, delta):
    seeger = seeger_bound(risk, divergence, m, delta)
    catoni, C = catoni_bound(risk, divergence, m, delta)
    assert risk <= seeger <= 1
    assert risk - 1e-12 <= catoni <= 1
    assert C in C_GRID
    # No value of C does better than the kl form with Catoni's own logarithm in it.
    budget = (divergence + math.log(len(C_GRID) / delta)) / m
    assert catoni >= float(kl_inverse(risk, budget)) * (1 - 1e-11)
    for better in (
        seeger_bound(risk, divergence / 2, m, delta),
        seeger_bound(risk, divergence, m, min(2 * delta, 0.9999)),
        seeger_bound(risk, divergence, 2 * m, delta),
        seeger_bound(risk / 2, divergence, m, delta),
    ):
        assert better <= seeger + 1e-12
    for better in (
        catoni_bound(risk, divergence / 2, m, delta)[0],
        catoni_bound(risk, divergence, 2 * m, delta)[0],
        catoni_bound(risk / 2, divergence, m, delta)[0],
    ):
        assert better <= catoni + 1e-12


@given(st.floats(0, 0.9), st.floats(0.5, 50), st.integers(50, 10_000))
@settings(max_examples=50, deadline=None)
def test_catoni_at_the_best_C_is_the_kl_inverse(risk, divergence, m):
    # sup over C of -ln(1 - p (1 - e^-C)) - C q is kl(q || p), so a dense grid without its
    # logarithm meets the kl form without xi(m).
    grid, delta = np.geomspace(1e-3, 500, 3000), 0.9 / 3000
    budget = (divergence + math.log(len(grid) / delta)) / m
    limit = float(kl_inverse(risk, budget))
    assume(limit < 0.999)
    assert catoni_bound(risk, divergence, m, delta, grid)[0] == pytest.approx(limit, rel=1e-4)


@given(st.floats(0, 1), st.integers(20, 100_000), st.floats(0, 100))
@settings(max_examples=60, deadline=None)
def test_default_grid_is_nearly_as_good_as_any_C(risk, m, divergence):
    limit = catoni_bound(risk, divergence, m, 0.01)[0]
    dense = np.geomspace(1e-3, 1e3, 400)
    # The same logarithm for both grids, so that only the values of C differ.
    best = catoni_bound(risk, divergence, m, 0.01 * len(dense) / len(C_GRID), dense)[0]
    assert limit <= best + 0.08 * (best - risk) + 1e-9


# Certificates


def draw_losses(seed=0, n_items=400):
    return np.random.default_rng(seed).beta(0.5, 2.5, n_items)


def test_certificate_is_made_of_its_parts():
    losses = draw_losses()
    found = certify_losses(losses, divergence=3.0, delta=0.06)
    gibbs, tandem = losses.mean(), np.mean(losses**2)
    assert (found.n_items, found.delta, found.divergence, found.fresh) == (400, 0.06, 3.0, False)
    assert found.gibbs_risk == pytest.approx(gibbs, rel=1e-12)
    assert found.tandem_loss == pytest.approx(tandem, rel=1e-12)
    assert found.vote_risk == np.mean(losses > 0.5)
    # Three parts of delta, and twice the divergence for two classifiers.
    assert found.gibbs_bound == pytest.approx(seeger_bound(gibbs, 3.0, 400, 0.02), rel=1e-9)
    assert found.tandem_bound == pytest.approx(seeger_bound(tandem, 6.0, 400, 0.02), rel=1e-9)
    limit, C = catoni_bound(gibbs, 3.0, 400, 0.02)
    assert (found.catoni_bound, found.catoni_C) == (pytest.approx(limit, rel=1e-9), C)
    assert found.vote_bound == min(1, 2 * found.gibbs_bound, 4 * found.tandem_bound)


def test_fresh_certificate_has_most_of_delta_for_counting_and_a_thirtieth_for_each_other():
    losses = draw_losses()
    found = certify_losses(losses, divergence=0.0, delta=0.06, fresh=True)
    # Nothing was chosen, so no price for choosing: Chernoff's form, below Seeger's.
    assert found.gibbs_bound == pytest.approx(chernoff_bound(losses.mean(), 400, 0.002))
    assert found.tandem_bound == pytest.approx(chernoff_bound(np.mean(losses**2), 400, 0.002))
    assert found.gibbs_bound < seeger_bound(losses.mean(), 0.0, 400, 0.002)
    assert found.vote_bound == pytest.approx(binomial_bound(int(np.sum(losses > 0.5)), 400, 0.054))
    assert found.vote_form == BINOMIAL


def test_smallest_limit_of_the_vote_is_named():
    # Sure and wrong on a few: e = R, and twice R is less than four times e.
    sure = certify_losses(np.resize([1.0] + 19 * [0.0], 2000), divergence=5.0)
    assert sure.vote_form == TWICE_GIBBS
    assert sure.vote_bound == 2 * sure.gibbs_bound
    # Unsure and never wrong: e = R^2.
    unsure = certify_losses(np.full(2000, 0.1), divergence=5.0)
    assert unsure.vote_form == FOUR_TANDEM
    assert unsure.vote_bound == 4 * unsure.tandem_bound


def test_tie_is_an_error_unless_the_vote_says_otherwise():
    losses = np.array([0.5, 0.2, 0.9])
    assert certify_losses(losses, divergence=0.0).vote_risk == pytest.approx(2 / 3)
    given_errors = np.array([False, False, True])
    found = certify_losses(losses, divergence=0.0, vote_errors=given_errors)
    assert found.vote_risk == pytest.approx(1 / 3)


def test_limits_never_exceed_one():
    found = certify_losses([0.7, 0.9], divergence=40.0)
    assert found.gibbs_bound <= 1
    assert found.catoni_bound == found.vote_bound == 1
    assert found.tandem_bound <= 1


def test_dict_is_json_and_summary_says_all():
    found = certify_losses(draw_losses(), divergence=3.0, delta=0.1)
    record = json.loads(json.dumps(found.to_dict()))
    assert record["C_grid"] == list(C_GRID)
    assert record["gibbs_bound"] == found.gibbs_bound
    assert record["fresh"] is False
    assert set(record) == set(found.__dataclass_fields__)
    text = str(found)
    assert text == found.summary()
    for part in ("400 items", "at least 0.9.", "KL(Q || P) = 3", found.vote_form, "not have been"):
        assert part in text
    columns = {line.index("at most") for line in text.splitlines() if "at most" in line}
    assert len(columns) == 1
    fresh = certify_losses([0.1], divergence=0.0, fresh=True).summary()
    assert "1 item," in fresh
    assert "Nothing may have seen" in fresh


def test_summary_rounds_limits_up():
    found = certify_losses(draw_losses(), divergence=3.0)
    shown = [float(line.split("at most")[1].split()[0]) for line in found.summary().splitlines()
             if "at most" in line]  # fmt: skip
    limits = [found.gibbs_bound, found.catoni_bound, found.tandem_bound, found.vote_bound]
    for printed, limit in zip(shown, limits, strict=True):
        assert limit <= printed < limit + 1e-4 + 1e-12


@pytest.mark.parametrize(
    ("match", "changes"),
    [
        ("losses must hold", {"losses": []}),
        ("losses must hold", {"losses": [[0.1, 0.2]]}),
        ("losses must lie", {"losses": [0.1, 1.01]}),
        ("losses must lie", {"losses": [0.1, -0.01]}),
        ("losses must lie", {"losses": [0.1, np.nan]}),
        ("divergence", {"divergence": -1e-9}),
        ("divergence", {"divergence": np.nan}),
        ("divergence", {"divergence": np.inf}),
        ("divergence must be 0", {"divergence": 0.1, "fresh": True}),
        ("delta", {"delta": 0.0}),
        ("delta", {"delta": 1.0}),
        ("delta", {"delta": np.nan}),
        ("C_grid", {"C_grid": []}),
        ("C_grid", {"C_grid": [1.0, -2.0]}),
        ("C_grid", {"C_grid": [1.0, np.nan]}),
        ("booleans", {"vote_errors": [True]}),
        ("booleans", {"vote_errors": [0, 1]}),
        ("item 1 has loss 0.2 and error True", {"vote_errors": [False, True]}),
    ],
)
def test_bad_numbers_are_refused_by_name(match, changes):
    options = {"losses": [0.1, 0.2], "divergence": 0.0, **changes}
    with pytest.raises(ValueError, match=match):
        certify_losses(options.pop("losses"), **options)


def test_parts_refuse_bad_numbers_too():
    for call in (
        lambda: maurer_constant(0),
        lambda: seeger_bound(0.1, 1.0, 0, 0.05),
        lambda: catoni_bound(0.1, 1.0, 0, 0.05),
        lambda: binomial_bound(0, 0, 0.05),
    ):
        with pytest.raises(ValueError, match="m must be"):
            call()
    with pytest.raises(ValueError, match="risk"):
        seeger_bound(1.1, 1.0, 10, 0.05)
    with pytest.raises(ValueError, match="errors"):
        binomial_bound(11, 10, 0.05)
    with pytest.raises(ValueError, match="delta"):
        binomial_bound(1, 10, 1.0)


# The whole certificate, with known true risks


def simulate(n_items, delta, n_repetitions, *, shift=5.0, right=0.8, charged=True, seed=0):
    """Share of samples on which any certified figure lies below the truth.

    100 items in 80 dimensions, two rows for each. Labels are right with probability `right`.
    The posterior N(u, I) is chosen on the sample: of 30 multiples of its mean direction, the one
    with the lowest kl form; the prior is N(0, I). Only if `charged` the divergence counts.
    """
    random = np.random.default_rng(seed)
    classes = random.choice([-1, 1], 100)
    points = random.normal(size=(100, 2, 80)) + shift * classes[:, None, None] * np.eye(80)[0]
    points /= np.linalg.norm(points, axis=2, keepdims=True)
    likely = np.where(classes > 0, right, 1 - right)
    sizes = np.geomspace(0.1, 30, 30)
    failures, limits = 0, []
    for _ in range(n_repetitions):
        drawn = random.integers(0, 100, n_items)
        signs = np.where(random.uniform(size=n_items) < likely[drawn], 1.0, -1.0)
        mean = (signs[:, None] * points[drawn].mean(1)).mean(0)
        candidates = sizes[:, None] * mean / np.linalg.norm(mean)
        margins = np.moveaxis(points @ candidates.T, 2, 0)
        wrong = {sign: upper_tail(sign * margins).mean(2) for sign in (1, -1)}
        losses = np.where(signs > 0, wrong[1][:, drawn], wrong[-1][:, drawn])
        charge = 0.5 * sizes**2 * charged
        budget = (charge + math.log(3 * maurer_constant(n_items) / delta)) / n_items
        best = int(np.argmin(kl_inverse(losses.mean(1), budget)))
        found = certify_losses(losses[best], divergence=float(charge[best]), delta=delta)

        def truth(figure, best=best, wrong=wrong):
            return np.mean(likely * figure(wrong[1][best]) + (1 - likely) * figure(wrong[-1][best]))

        failures += (
            truth(lambda loss: loss) > min(found.gibbs_bound, found.catoni_bound)
            or truth(np.square) > found.tandem_bound
            or truth(lambda loss: loss >= 0.5) > found.vote_bound
        )
        limits.append(found.gibbs_bound)
    return failures / n_repetitions, np.median(limits)


def test_certificates_hold_in_simulation():
    share, limit = simulate(60, delta=0.2, n_repetitions=100)
    # Three standard errors of a share of 100 repetitions; and the limits are not empty.
    assert share <= 0.2 + 3 * math.sqrt(0.2 * 0.8 / 100)
    assert limit < 0.75


def test_certificates_fail_without_the_divergence():
    # So the simulation can see a wrong certificate: labels are noise, u learns them by heart.
    noise = {"shift": 0.0, "right": 0.5}
    share, limit = simulate(60, delta=0.2, n_repetitions=25, **noise, charged=False)
    assert share > 0.9
    assert limit < 0.5
    share, limit = simulate(60, delta=0.2, n_repetitions=25, **noise)
    assert share <= 0.2
    assert limit > 0.5


def test_losses_of_the_simulation_are_those_of_the_vote():
    margins = np.random.default_rng(0).normal(size=(30, 4))
    np.testing.assert_allclose(upper_tail(margins).mean(1), 1 - vote_shares(margins), atol=1e-12)
