"""What training sequences know of themselves must not leak into confidences."""

import numpy as np
import pytest

from sfmbio import ProteinClassifier

RESIDUES = np.array(list("ACDEFGHIKLMNPQRSTVWY"))
SETTINGS = {"n_states": 3, "n_init": 1, "n_landmarks": 200, "random_state": 0}


def family(random, ancestor, count, kept):
    """Descendants: each residue of the ancestor kept with a probability."""
    made = []
    for _ in range(count):
        other = random.choice(RESIDUES, len(ancestor))
        made.append("".join(np.where(random.random(len(ancestor)) < kept, ancestor, other)))
    return made


@pytest.fixture(scope="module", params=[2, 3])
def classes(request):
    """Sequences of two families in each class, near enough to be found, and fresh ones."""
    random = np.random.default_rng(request.param)
    train, fresh, labels, true = [], [], [], []
    for number in range(request.param):
        for _ in range(2):
            ancestor = random.choice(RESIDUES, 90)
            train += family(random, ancestor, 20, 0.45)
            fresh += family(random, ancestor, 20, 0.45)
            labels += [number] * 20
            true += [number] * 20
    return train, np.array(labels), fresh, np.array(true)


def shares(train, labels, fresh):
    return ProteinClassifier(**SETTINGS).fit(train, labels).predict_proba(fresh)


def test_a_class_that_is_given_twice_is_no_surer(classes):
    train, labels, fresh, true = classes
    once = shares(train, labels, fresh)
    own = [sequence for sequence, label in zip(train, labels, strict=True) if label == 0]
    twice = shares([*train, *own], np.concatenate([labels, np.zeros(len(own), int)]), fresh)
    # If a sequence were a relative of its copy, all weight would go to what only copies have.
    assert np.mean(once.argmax(1) == true) > 0.9
    assert np.abs(twice - once).max(axis=1).mean() < 0.03


def test_labels_at_random_give_chance(classes):
    train, labels, fresh, true = classes
    some = np.random.default_rng(5).permutation(labels)
    n_classes = labels.max() + 1
    found = shares(train, some, fresh)
    right = np.mean(found.argmax(1) == true)
    # Relatives of one family have one label more often than not, by chance.
    assert abs(right - 1 / n_classes) < 0.25
    if n_classes > 2:  # of two, shares of votes are no probabilities
        assert found.max(axis=1).mean() < 1 / n_classes + 0.2
