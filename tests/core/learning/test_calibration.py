"""Probabilities from votes: one increasing function of the scores, learnt on held-out items."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_softmax
from scipy.stats import norm

from sfmcore.learning.calibration import Calibration, learn_calibration


def calibration(slope, share, n_classes, factors=None):
    return Calibration(slope, share, np.ones(n_classes) if factors is None else factors, 17)


def drawn(n_items, n_classes, *, slope, share, seed=0):
    """Scores, and classes drawn from the probabilities that a calibration gives them."""
    random = np.random.default_rng(seed)
    scores = random.normal(-1.0, 1.5, (n_items, n_classes))
    shares = calibration(slope, share, n_classes).probabilities(scores)
    numbers = (random.random((n_items, 1)) > shares.cumsum(1)).sum(1)
    return scores, numbers, shares


@pytest.mark.parametrize(("slope", "share"), [(0.8, 0.0), (0.0, 0.6), (0.5, 0.7)])
def test_what_classes_were_drawn_with_is_found(slope, share):
    scores, numbers, shares = drawn(40_000, 3, slope=slope, share=share)
    found = learn_calibration(scores, numbers, np.ones(len(numbers)))
    # Of 40,000 items the standard error of a probability's mean is below 0.0025.
    assert np.abs(found.probabilities(scores) - shares).mean() < 0.01


def test_two_classes_have_opposite_scores():
    scores = np.array([-1.5, 0.0, 2.0])
    made = calibration(0.7, 0.4, 2)
    assert np.allclose(
        made.probabilities(scores), made.probabilities(np.column_stack([-scores, scores]))
    )
    assert made.probabilities(scores)[1].tolist() == [0.5, 0.5]


@given(
    st.lists(st.floats(-60, 60), min_size=3, max_size=3),
    st.floats(0, 3),
    st.floats(0, 3),
)
def test_probabilities_are_those_of_the_plain_formula(scores, slope, share):
    row = np.array([scores])
    plain = log_softmax(slope * row + share * norm.logcdf(row), axis=1)
    made = calibration(slope, share, 3)
    assert np.allclose(made.log_probabilities(row), plain)
    # One increasing function for all classes: no order is turned round.
    order = np.argsort(row[0])
    assert np.all(np.diff(made.log_probabilities(row)[0][order]) >= -1e-12)


def test_the_minimum_is_one():
    scores, numbers, _ = drawn(500, 4, slope=0.5, share=0.5, seed=1)
    weights = np.random.default_rng(2).uniform(0.5, 2.0, 500)
    found = learn_calibration(scores, numbers, weights)

    def loss(slope, share):
        little = 1.0 / (weights.sum() + 4)
        targets = np.full(scores.shape, little)
        targets[np.arange(500), numbers] = 1.0 - 3 * little
        logs = calibration(slope, share, 4).log_probabilities(scores)
        return -np.sum(weights[:, None] * targets * logs) / weights.sum()

    lowest = loss(found.slope, found.share)
    for slope, share in ((0.01, 0), (-0.01, 0), (0, 0.01), (0, -0.01), (0.02, -0.02)):
        changed = max(found.slope + slope, 0.0), max(found.share + share, 0.0)
        assert loss(*changed) >= lowest - 1e-9


def test_an_item_of_weight_two_is_an_item_given_twice():
    scores, numbers, _ = drawn(60, 3, slope=0.5, share=0.5)
    twice = np.append(np.arange(60), 7)
    weights = np.ones(60)
    weights[7] = 2.0
    one = learn_calibration(scores, numbers, weights)
    other = learn_calibration(scores[twice], numbers[twice], np.ones(61))
    assert one.slope == pytest.approx(other.slope, abs=1e-5)
    assert one.share == pytest.approx(other.share, abs=1e-5)


def test_votes_without_a_mistake_do_not_promise_never_to_make_one():
    numbers = np.arange(40) % 2
    found = learn_calibration(np.where(numbers == 1, 2.0, -2.0), numbers, np.ones(40))
    most = found.probabilities(np.array([2.0]))[0, 1]
    # Platt's targets: 1 - 1 / (n + 2).
    assert most == pytest.approx(1.0 - 1.0 / 42, abs=1e-3)


def test_votes_that_say_nothing_give_the_same_probability_to_all():
    random = np.random.default_rng(0)
    scores, numbers = random.normal(0, 3, (5000, 4)), random.integers(0, 4, 5000)
    found = learn_calibration(scores, numbers, np.ones(5000))
    assert np.abs(found.probabilities(scores) - 0.25).max() < 0.1


def test_a_label_that_is_right_more_often_has_a_factor_of_its_own():
    random = np.random.default_rng(3)
    scores = random.normal(0, 2, 4000)
    # Where the first class is said it is right twice as surely as where the second is.
    shares = 1 / (1 + np.exp(-np.where(scores > 0, 0.5, 2.0) * scores))
    numbers = (random.random(4000) < shares).astype(int)
    found = learn_calibration(scores, numbers, np.ones(4000))
    assert found.factors[0] > 2 * found.factors[1]
    assert np.abs(found.probabilities(scores)[:, 1] - shares).mean() < 0.02
    assert np.array_equal(found.probabilities(scores).argmax(1), scores > 0)


def test_without_a_reason_no_label_has_a_factor():
    scores, numbers, _ = drawn(2000, 3, slope=0.8, share=0.0, seed=5)
    found = learn_calibration(scores, numbers, np.ones(2000))
    assert found.factors.tolist() == [1.0, 1.0, 1.0]


def test_arrays_and_back():
    made = calibration(0.25, 0.5, 2, np.array([0.5, 2.0]))
    again = Calibration.of_arrays(made.get_arrays(), 2)
    assert (again.slope, again.share, again.n_items) == (0.25, 0.5, 17)
    assert again.factors.tolist() == [0.5, 2.0]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"weights": np.array([0.5])}, "two numbers"),
        ({"weights": np.array([-0.5, 1.0])}, "from 0"),
        ({"weights": np.array([np.nan, 1.0])}, "from 0"),
        ({"weights": np.array([1, 1])}, "two numbers"),
        ({"factors": np.ones(3)}, "factor for every class"),
        ({"factors": np.array([1.0, 17.0])}, "from 1/16 to 16"),
        ({"factors": np.array([1.0, np.nan])}, "from 1/16 to 16"),
        ({"n_items": np.array([0])}, "number of items"),
        ({"n_items": np.array([1.0])}, "number of items"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(changed, message):
    arrays = {**calibration(0.25, 0.5, 2).get_arrays(), **changed}
    with pytest.raises(ValueError, match=message):
        Calibration.of_arrays(arrays, 2)
