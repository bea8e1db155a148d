"""What the probability of a label is worth: order, fixed points, and what is learnt."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from sfmcore.learning.sureness import Sureness
from sfmcore.learning.weighing import log_odds


def drawn(n_items, n_classes, seed, spread=3.0):
    random = np.random.default_rng(seed)
    return log_odds(spread * random.normal(size=(n_items, n_classes)))


numbers = st.tuples(st.floats(-2, 2), st.floats(0, 3), st.floats(0, 3)).map(np.array)


@settings(max_examples=60, deadline=None)
@given(numbers, st.integers(2, 30), st.integers(0, 1000), st.sampled_from([0.3, 3.0, 30.0]))
def test_probabilities_keep_their_order_and_add_up(made, n_classes, seed, spread):
    scores = drawn(40, n_classes, seed, spread)
    shares = Sureness(made).probabilities(scores)
    assert np.all(np.isfinite(shares))
    assert np.allclose(shares.sum(axis=1), 1.0)
    assert np.array_equal(shares.argmax(axis=1), scores.argmax(axis=1))
    ranked = np.take_along_axis(shares, np.argsort(scores, axis=1), axis=1)
    assert np.all(np.diff(ranked, axis=1) >= 0)


@settings(max_examples=40, deadline=None)
@given(numbers, st.integers(2, 12), st.integers(0, 1000))
def test_the_label_gets_the_mapped_probability(made, n_classes, seed):
    """Each item alone, in plain Python."""
    scores = drawn(20, n_classes, seed)
    for before, after in zip(expit(scores), Sureness(made).probabilities(scores), strict=True):
        label = int(before.argmax())
        p, others = before[label], np.delete(before, label)
        logit = made[0] + made[1] * np.log(p) - made[2] * np.log(others.sum())
        mapped, left = expit(logit), expit(-logit)
        scaled = others * left / others.sum()
        if scaled.max() < mapped * (1.0 - 1e-5):
            assert after[label] == pytest.approx(mapped, rel=1e-7)
            assert np.delete(after, label) == pytest.approx(scaled, rel=1e-7, abs=1e-300)
        else:
            assert after[label] == pytest.approx(np.delete(after, label).max(), rel=1e-4)


def test_without_numbers_of_its_own_nothing_changes():
    scores = drawn(30, 5, 1)
    assert np.array_equal(Sureness().probabilities(scores), expit(scores))


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_overconfidence_and_its_opposite_are_mended(power):
    """Labels drawn from known probabilities, which are then told too sharp or too flat."""
    random = np.random.default_rng(3)
    logits = 2.0 * random.normal(size=(6000, 6))
    truth = expit(log_odds(logits))
    classes = np.array([random.choice(6, p=row / row.sum()) for row in truth])
    told = log_odds(power * logits)
    made = Sureness.learn(told[:4000], classes[:4000], np.ones(4000))
    shares = made.probabilities(told[4000:])
    label = shares.argmax(axis=1)
    right = label == classes[4000:]
    for part in np.array_split(np.argsort(shares.max(axis=1)), 5):
        # 400 items each: three standard errors.
        assert abs(shares[part].max(axis=1).mean() - right[part].mean()) < 0.075
    assert np.abs(shares.max(axis=1) - truth[4000:].max(axis=1)).mean() < 0.05


def test_a_weight_is_so_many_items():
    scores, random = drawn(80, 4, 5), np.random.default_rng(0)
    classes = np.where(random.random(80) < 0.6, scores.argmax(axis=1), random.integers(4, size=80))
    weights = random.integers(1, 4, 80)
    once = Sureness.learn(scores, classes, weights.astype(float))
    each = Sureness.learn(
        np.repeat(scores, weights, axis=0), np.repeat(classes, weights), np.ones(weights.sum())
    )
    assert once.numbers == pytest.approx(each.numbers, rel=1e-9)


def test_few_items_that_are_all_right_promise_little():
    scores = log_odds(np.array([[2.0, 0.0, 0.0]] * 5))
    made = Sureness.learn(scores, np.zeros(5, dtype=np.int64), np.ones(5))
    assert 0.787 < made.probabilities(scores)[0, 0] < 0.95


@pytest.mark.parametrize(
    ("numbers", "message"),
    [(np.zeros(2), "three numbers"), (np.array([0.0, -1.0, 1.0]), "from 0"),
     (np.array([np.nan, 1.0, 1.0]), "at most")],
)  # fmt: skip
def test_numbers_of_a_file_are_checked(numbers, message):
    with pytest.raises(ValueError, match=message):
        Sureness.of_array(numbers)
