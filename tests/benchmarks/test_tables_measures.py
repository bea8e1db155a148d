"""What the tables measure of labels and of an order, beside scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from benchmarks.tables.comparison import compare_problems
from benchmarks.tables.measures import accuracy, balanced, matthews, roc


def area_up_to(scores, truth, most):
    """Count what is above each of the first false positives, ties half."""
    own = scores[truth]
    others = sorted(scores[~truth], reverse=True)[:most]
    above = [np.sum(own > other) + 0.5 * np.sum(own == other) for other in others]
    return 100 * np.sum(above) / (len(own) * len(others))


@pytest.mark.parametrize("ties", [False, True])
def test_roc_is_the_area_of_scikit_learn(ties):
    random = np.random.default_rng(0)
    truth = random.random(80) < 0.3
    scores = random.normal(size=80) + truth
    if ties:
        scores = np.round(scores)
    assert roc(scores, truth) == pytest.approx(100 * roc_auc_score(truth, scores))
    for most in (1, 5, 50, 1000):
        assert roc(scores, truth, most) == pytest.approx(area_up_to(scores, truth, most))


def test_roc50_of_a_perfect_and_of_a_turned_order():
    scores, truth = np.arange(200.0), np.arange(200) >= 190
    assert roc(scores, truth, 50) == 100.0
    assert roc(-scores, truth, 50) == 0.0


def test_labels_are_measured_as_scikit_learn_does():
    random = np.random.default_rng(1)
    truth, found = random.choice(["a", "b", "c"], (2, 50), p=[0.6, 0.3, 0.1])
    assert accuracy(found, truth) == pytest.approx(100 * np.mean(found == truth))
    assert balanced(found, truth) == pytest.approx(100 * balanced_accuracy_score(truth, found))


def test_matthews_is_the_correlation_of_two_labels():
    truth, found = np.random.default_rng(2).integers(0, 2, (2, 40))
    expected = 100 * np.corrcoef(truth, found)[0, 1]
    assert matthews(found.astype(str), truth.astype(str)) == pytest.approx(expected)


def test_problems_that_are_level_have_p_1_and_one_alone_none():
    assert compare_problems([1.0, 2.0], [1.0, 2.0]).p == 1.0
    assert np.isnan(compare_problems([1.0], [2.0]).p)
    assert compare_problems(np.arange(20.0) + 1, np.arange(20.0)).p < 0.001
