"""Suspects by answers: what folds found anyway, means of several tests, what is left out."""

from dataclasses import replace

import numpy as np
import pytest

from sfmcore import SFMClassifier
from sfmcore.evaluation.answers import Answers
from sfmcore.evaluation.halves import evaluate
from sfmcore.suspects import find_suspects
from sfmcore.suspects.answered import suspects_among

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def clouds(n_each=30):
    random = np.random.default_rng(0)
    centres = np.repeat([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0]], n_each, axis=0)
    X, y = centres + random.normal(size=centres.shape), np.repeat(["a", "b", "c"], n_each)
    y[[3, 40, 77]] = "b", "c", "a"
    return X, y


def answers_of(shares, truth, items=None):
    """Answers that have these probabilities, and nothing else that matters here."""
    shares, none = np.asarray(shares, dtype=np.float32), np.empty(0)
    items = np.arange(len(truth)) if items is None else np.asarray(items)
    return Answers(
        items, np.asarray(truth), shares.argmax(axis=1), none, none, none, none, none, shares
    )


def votes(truth, n_classes, share=0.9):
    """Probabilities of `share` for the true class, and the rest evenly for the others."""
    shares = np.full((len(truth), n_classes), (1 - share) / (n_classes - 1))
    shares[np.arange(len(truth)), truth] = share
    return shares


def test_folds_of_an_evaluation_name_what_a_search_names():
    X, y = clouds()
    model = SFMClassifier(n_components=1)
    searched = find_suspects(model, X, y, folds=3, stranger_below=0.0)
    found = suspects_among(evaluate(model, X, y, folds=3).answers)
    assert found.items.tolist() == list(range(90))
    assert found.found.ranked().tolist() == searched.ranked().tolist()
    assert found.found.score == pytest.approx(searched.score, abs=1e-5)
    assert found.found.suggested.tolist() == searched.suggested.tolist()
    assert found.n_tests.tolist() == [1] * 90


def test_probabilities_of_several_tests_are_averaged():
    truth = np.repeat([0, 1], 10)
    sure, unsure = votes(truth, 2), votes(truth, 2)
    sure[4], unsure[4] = (0.0, 1.0), (0.2, 0.8)
    only = slice(2, None)
    parts = [answers_of(sure, truth), answers_of(unsure[only], truth[only], np.arange(20)[only])]
    found = suspects_among(parts)
    assert found.n_tests.tolist() == [1, 1, *[2] * 18]
    assert found.found.probability[4] == pytest.approx(0.1)
    assert found.ranked_items().tolist() == [4]


def test_equal_items_of_two_labels_are_in_conflict():
    truth = np.repeat([0, 1], 6)
    digests = np.arange(12, dtype=np.uint64)
    digests[10] = digests[2]
    found = suspects_among([answers_of(votes(truth, 2), truth)], digests=digests)
    assert found.ranked_items().tolist() == [2, 10]
    assert found.found.reasons(2) == ["conflict"]
    assert found.found.other[[2, 10]].tolist() == [10, 2]


def test_what_training_has_seen_is_left_out():
    truth = np.repeat([0, 1], 8)
    shares = votes(truth, 2)
    shares[[1, 2]] = 0.05, 0.95
    part = answers_of(shares, truth, np.arange(16) + 100)
    assert suspects_among([part]).ranked_items().tolist() == [101, 102]
    found = suspects_among([part], learnt=[101])
    assert found.ranked_items().tolist() == [102]
    assert 101 not in found.items


def test_small_classes_are_left_out():
    truth = np.array([0] * 6 + [1] * 4 + [3] * 5)  # and no item of class 2
    shares = votes(truth, 4)
    shares[0] = 0.05, 0.9, 0.0, 0.05
    shares[1] = 0.02, 0.0, 0.0, 0.98
    shares[2] = 0.0, 0.0, 1.0, 0.0
    found = suspects_among([answers_of(shares, truth)])
    assert found.classes.tolist() == [0, 3]
    assert found.items.tolist() == [0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14]
    assert found.ranked_items().tolist() == [1]
    assert np.isfinite(found.found.score).all()


def test_one_class_has_no_suspects():
    truth = np.array([0] * 9 + [1] * 4)
    assert suspects_among([answers_of(votes(truth, 2), truth)]) is None


def test_answers_without_probabilities_are_refused():
    truth = np.repeat([0, 1], 5)
    part = replace(answers_of(votes(truth, 2), truth), shares=None)
    with pytest.raises(ValueError, match="the probabilities of all classes"):
        suspects_among([part])
