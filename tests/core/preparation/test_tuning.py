"""Weights of parts of a kernel, chosen by items that are held out."""

import numpy as np
import pytest

from sfmcore.preparation.tuning import N_FOLDS, Products, choose_weight, sample_of_classes

WEIGHTS = (0.0, 0.25, 1.0)


def problem(n_items=200, seed=0):
    random = np.random.default_rng(seed)
    classes = random.integers(0, 3, n_items)
    told = np.eye(3)[classes] + 0.5 * random.normal(size=(n_items, 3))
    noise = random.normal(size=(n_items, 8))
    rest = {"targets": np.eye(3)[classes], "folds": np.arange(n_items) % N_FOLDS, "gamma": 0.7}
    return Products.of(told).of_unit_length(), Products.of(noise).of_unit_length(), rest


@pytest.mark.parametrize("seed", range(5))
def test_a_part_that_says_something_counts_and_noise_does_not(seed):
    told, noise, rest = problem(seed=seed)
    assert choose_weight(noise, told, WEIGHTS, **rest) > 0
    assert choose_weight(told, noise, WEIGHTS, **rest) == 0


def test_what_only_a_training_row_has_does_not_count():
    # A row that names its own item: held-out items have no such row.
    told, _, rest = problem()
    n_items = len(rest["targets"])
    none = np.zeros((n_items, n_items))
    own = Products(np.eye(n_items), none, np.zeros(n_items))
    assert choose_weight(told, own, WEIGHTS, **rest) == 0


def test_rows_of_unit_length():
    rows = np.array([[3.0, 4.0], [0.0, 0.0], [0.0, 2.0]])
    made = Products.of(rows).of_unit_length()
    np.testing.assert_allclose(made.held_out, [[1, 0, 0.8], [0, 0, 0], [0.8, 0, 1]])
    np.testing.assert_allclose(made.lengths, [1, 0, 1])


def test_the_sample_follows_what_items_hold_and_not_their_order():
    random = np.random.default_rng(1)
    keys = random.integers(0, 2**63, 60).astype(np.uint64)
    classes = random.integers(-1, 4, 60)
    places, targets, folds = sample_of_classes(classes, keys, 25)
    assert len(places) == 25
    assert np.all(classes[places] >= 0)
    assert np.array_equal(targets.argmax(1), classes[places])
    order = np.tile(random.permutation(60), 2)
    again, same_targets, same_folds = sample_of_classes(classes[order], keys[order], 25)
    assert np.array_equal(keys[order][again], keys[places])
    assert np.array_equal(same_targets, targets)
    assert np.array_equal(same_folds, folds)


def test_every_class_is_dealt_to_all_parts():
    classes = np.repeat([0, 1], [40, 8])
    keys = np.random.default_rng(2).permutation(48).astype(np.uint64)
    places, _, folds = sample_of_classes(classes, keys, 100)
    for number in (0, 1):
        counts = np.bincount(folds[classes[places] == number], minlength=N_FOLDS)
        assert counts.max() - counts.min() <= 1
