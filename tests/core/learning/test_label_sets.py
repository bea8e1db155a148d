"""Sets of labels hold the true one as often as they promise."""

import numpy as np
import pytest
from scipy.stats import binom

from sfmcore.learning.label_sets import LabelSets

N_CLASSES = 3


def drawn(n_items, seed):
    """Classes of unequal size, and probabilities that know something of them."""
    random = np.random.default_rng(seed)
    numbers = random.choice(N_CLASSES, n_items, p=[0.6, 0.3, 0.1])
    logits = random.normal(0, 1, (n_items, N_CLASSES))
    logits[np.arange(n_items), numbers] += 1.5
    shares = np.exp(logits)
    return shares / shares.sum(1, keepdims=True), numbers


@pytest.mark.parametrize("coverage", [0.8, 0.9, 0.95])
def test_coverage_over_two_hundred_splits_is_within_its_binomial_interval(coverage):
    shares, numbers = drawn(200 * 400, seed=0)
    hits = 0
    for start in range(0, len(numbers), 400):
        held, new = slice(start, start + 399), start + 399
        made = LabelSets.of(shares[held], numbers[held], np.ones(399))
        p_value = made.p_values(shares[[new]])[0, numbers[new]]
        hits += p_value > 1.0 - coverage
    # A p-value of exactly 1 - coverage is excluded: coverage may exceed its level by 1 / (n + 1)
    # of the smallest class, of 40 items.
    low, high = binom.ppf(0.0005, 200, coverage), binom.ppf(0.9995, 200, coverage + 1 / 40)
    assert low <= hits <= high


def test_every_class_is_covered_by_itself():
    shares, numbers = drawn(6000, seed=1)
    made = LabelSets.of(shares[:3000], numbers[:3000], np.ones(3000))
    inside = made.sets(shares[3000:], coverage=0.9)
    new = numbers[3000:]
    for number in range(N_CLASSES):
        own = new == number
        # Of 250 held-out and as many new items: both deviate by 0.019 at most.
        assert inside[own, number].mean() > 0.9 - 4 * np.sqrt(2 * 0.09 / own.sum())


def test_p_values_are_shares_of_held_out_items_of_the_class():
    shares, numbers = drawn(500, seed=2)
    made = LabelSets.of(shares, numbers, np.ones(500))
    new, _ = drawn(20, seed=3)
    for number in range(N_CLASSES):
        own = shares[numbers == number, number]
        plain = (1 + (own[None] <= new[:, [number]]).sum(1)) / (len(own) + 1)
        assert np.allclose(made.p_values(new)[:, number], plain)


def test_small_classes_are_measured_together():
    shares, numbers = drawn(500, seed=2)
    few = np.concatenate([np.flatnonzero(numbers == number)[10:] for number in (1, 2)])
    kept = np.setdiff1d(np.arange(500), few)
    made = LabelSets.of(shares[kept], numbers[kept], np.ones(len(kept)))
    own = shares[kept, numbers[kept]][numbers[kept] > 0]
    plain = (1 + (own <= 0.5).sum()) / (len(own) + 1)
    assert made.p_values(np.full((1, 3), 0.5))[0, 2] == pytest.approx(plain)


def test_a_set_is_never_empty_and_grows_with_the_coverage():
    shares, numbers = drawn(500, seed=4)
    made = LabelSets.of(shares, numbers, np.ones(500))
    new, _ = drawn(300, seed=5)
    small, large = made.sets(new, coverage=0.5), made.sets(new, coverage=0.99)
    assert small.any(axis=1).all()
    assert np.all(large >= small)


def test_a_weight_of_two_is_an_item_given_twice():
    shares, numbers = drawn(120, seed=6)
    weights = np.where(np.arange(120) < 20, 2.0, 1.0)
    twice = np.concatenate([np.arange(120), np.arange(20)])
    one = LabelSets.of(shares, numbers, weights)
    other = LabelSets.of(shares[twice], numbers[twice], np.ones(140))
    new, _ = drawn(50, seed=7)
    assert np.allclose(one.p_values(new), other.p_values(new))


def test_of_many_items_some_values_stand_for_the_others_and_exclude_no_more():
    shares, numbers = drawn(40_000, seed=8)
    made = LabelSets.of(shares, numbers, np.ones(40_000))
    assert len(made.probabilities) < 16_000
    new, _ = drawn(500, seed=9)
    own = np.sort(shares[numbers == 0, 0])
    plain = (1 + np.searchsorted(own, new[:, 0], side="right")) / (len(own) + 1)
    found = made.p_values(new)[:, 0]
    assert np.all(found >= plain - 1e-12)
    assert np.abs(found - plain).max() < 0.001


def test_assured_coverage_is_reached_as_often_as_said():
    """Vovk's beta distribution, by simulation: coverage of exact uniform scores."""
    random = np.random.default_rng(10)
    n_items, reached = 99, 0
    first = LabelSets.of(np.full((n_items, 1), 0.5), np.zeros(n_items, dtype=int), np.ones(n_items))
    promised = first.assured(0.9)
    for _ in range(2000):
        scores = np.sort(random.random(n_items))
        # The set holds a label whose p-value is above 0.1: more than 9 of 99 scores are not above.
        reached += 1.0 - scores[9] >= promised
    assert binom.ppf(0.0005, 2000, 0.95) <= reached <= binom.ppf(0.9995, 2000, 0.95)


def test_arrays_and_back():
    shares, numbers = drawn(90, seed=11)
    made = LabelSets.of(shares, numbers, np.ones(90))
    again = LabelSets.of_arrays(made.get_arrays(), N_CLASSES)
    assert np.array_equal(made.p_values(shares), again.p_values(shares))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("probabilities", np.array([0.5, 1.5]), "from 0 to 1"),
        ("probabilities", np.array([0.5, np.nan]), "from 0 to 1"),
        ("weights", np.array([1.0, 0.0]), "above 0"),
        ("weights", np.array([1.0, np.inf]), "above 0"),
        ("classes", np.array([1, 0]), "rise"),
        ("classes", np.array([0, 3]), "rise"),
        ("classes", np.array([0]), "one for each"),
        ("probabilities", np.zeros((2, 1)), "one for each"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(name, value, message):
    arrays = LabelSets(np.array([0.5, 0.6]), np.ones(2), np.array([0, 2]), 3).get_arrays()
    with pytest.raises(ValueError, match=message):
        LabelSets.of_arrays({**arrays, name: value}, 3)


@pytest.mark.parametrize("coverage", [0.0, 1.0, -1, float("nan")])
def test_a_coverage_that_is_none_is_refused(coverage):
    made = LabelSets(np.array([0.5]), np.ones(1), np.array([0]), 2)
    with pytest.raises(ValueError, match="coverage must be a number between 0 and 1"):
        made.sets(np.array([[0.5, 0.5]]), coverage)
