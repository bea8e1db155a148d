"""How often labels are wrong, and which: against draws whose truth is known."""

import numpy as np
import pytest
from hypothesis import given as given_values
from hypothesis import settings
from hypothesis import strategies as st

from sfmcore.suspects.noise import class_limits, label_noise, true_shares


def drawn(noise, n_items=4000, sharpness=6.0, seed=0):
    """True classes, labels, and the probabilities of labels that nothing could know better."""
    random = np.random.default_rng(seed)
    n_classes = len(noise)
    logits = sharpness * random.normal(size=(n_items, n_classes))
    true_probabilities = np.exp(logits - logits.max(axis=1, keepdims=True))
    true_probabilities /= true_probabilities.sum(axis=1, keepdims=True)
    truth = (true_probabilities.cumsum(axis=1) < random.random((n_items, 1))).sum(axis=1)
    labels = (noise[truth].cumsum(axis=1) < random.random((n_items, 1))).sum(axis=1)
    return truth, labels, true_probabilities @ noise


NOISE = np.array([[0.9, 0.1, 0.0], [0.02, 0.96, 0.02], [0.0, 0.15, 0.85]])


def test_the_noise_that_labels_were_drawn_with_comes_out():
    _, labels, shares = drawn(NOISE)
    found = label_noise(shares, labels)
    assert np.allclose(found.sum(axis=1), 1.0)
    assert np.abs(found - NOISE).max() < 0.04


def test_scores_are_the_probability_of_a_wrong_label():
    truth, labels, shares = drawn(NOISE)
    every = np.arange(len(truth))
    wrong = 1.0 - true_shares(shares, labels, label_noise(shares, labels))[every, labels]
    assert wrong.sum() == pytest.approx(np.sum(truth != labels), rel=0.15)
    for low, high in [(0.1, 0.4), (0.4, 0.7), (0.7, 1.01)]:
        some = (wrong >= low) & (wrong < high)
        assert some.sum() > 20
        assert np.mean(truth[some] != labels[some]) == pytest.approx(wrong[some].mean(), abs=0.15)


def test_a_rare_mistake_is_less_probable_than_a_common_one():
    noise = np.array([[0.9, 0.09, 0.01], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]])
    shares = np.array([[0.6, 0.4, 0.0], [0.6, 0.0, 0.4]])
    found = true_shares(shares, np.array([1, 2]), noise)
    assert found[0, 0] > found[1, 0]


def test_without_noise_votes_and_label_are_both_believed():
    shares = np.array([[0.7, 0.3], [0.2, 0.8]])
    exact = np.eye(2) * (1 - 2e-12) + 1e-12
    found = true_shares(shares, np.array([0, 0]), exact)
    assert found[:, 0] == pytest.approx([1.0, 1.0], abs=1e-6)


@given_values(st.integers(0, 2**32 - 1), st.integers(2, 6))
@settings(max_examples=30, deadline=None)
def test_shares_are_probabilities_whatever_votes_say(seed, n_classes):
    random = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(n_classes), random.integers(0, n_classes, 30)])
    shares = random.dirichlet(np.full(n_classes, 0.05), len(labels))
    shares[random.random(len(labels)) < 0.2] = np.eye(n_classes)[0]  # as sure as can be
    noise = label_noise(shares, labels)
    assert np.all(noise > 0)
    assert noise.sum(axis=1) == pytest.approx(np.ones(n_classes))
    found = true_shares(shares, labels, noise)
    assert np.all(np.isfinite(found))
    assert np.all(found >= 0)
    assert found.sum(axis=1) == pytest.approx(np.ones(len(labels)))
    order = random.permutation(len(labels))
    assert np.array_equal(true_shares(shares[order], labels[order], noise), found[order])


def test_limits_are_means_over_the_items_of_a_label():
    shares = np.array([[0.9, 0.1], [0.5, 0.5], [0.4, 0.6]])
    assert class_limits(shares, np.array([0, 0, 1])).tolist() == [0.7, 0.6]
