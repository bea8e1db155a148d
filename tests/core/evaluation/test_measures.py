"""Measures of a partition: by hand, against scikit-learn and a twin, and where undefined."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    f1_score,
    matthews_corrcoef,
    roc_auc_score,
)

from sfmcore.evaluation.measures import MEASURES, RANK_MEASURES, measures_of, roc50
from sfmcore.files.objects import put_together, taken_apart
from tests.twins.core import roc_area

pytestmark = pytest.mark.filterwarnings("error")


# ROC50


@st.composite
def ranked(draw, most):
    """Few items of few different scores, of both kinds."""
    size = draw(st.integers(2, most))
    positive = draw(
        st.lists(st.booleans(), min_size=size, max_size=size).filter(lambda x: len(set(x)) == 2)
    )
    scores = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    return positive, scores


@given(ranked(6), st.integers(1, 7))
@settings(deadline=None)
def test_equal_scores_are_in_the_mean_of_all_their_orders(items, n_false):
    positive, scores = items
    assert roc50(positive, scores, n_false) == pytest.approx(roc_area(positive, scores, n_false))


@given(ranked(50))
def test_with_few_negatives_it_is_the_area_under_the_whole_curve(items):
    assert roc50(*items) == pytest.approx(roc_auc_score(*items))


@pytest.mark.parametrize(
    ("n_ahead", "area"),
    # The second positive item is behind so many negatives of 60.
    [(0, 1.0), (10, 0.9), (49, 0.51), (50, 0.5), (60, 0.5)],
)
def test_what_stands_behind_fifty_false_positives_counts_for_nothing(n_ahead, area):
    positive = np.array([True, *([False] * n_ahead), True, *([False] * (60 - n_ahead))])
    assert roc50(positive, -np.arange(62.0)) == pytest.approx(area)


def test_of_one_score_it_is_that_of_a_random_order():
    # In a random order j of 101 parts of 4 positives stand before the j-th of 100 negatives.
    expected = np.mean([j / 101 for j in range(1, 51)])
    positive = np.arange(104) < 4
    assert roc50(positive, np.zeros(104)) == pytest.approx(expected)
    # Only with all negatives is that one half.
    assert roc50(positive, np.zeros(104), n_false=100) == pytest.approx(0.5)


@given(ranked(12), st.integers(1, 12))
def test_only_the_order_of_the_scores_matters(items, n_false):
    positive, scores = items
    assert roc50(positive, np.exp(scores), n_false) == roc50(positive, scores, n_false)


@pytest.mark.parametrize("positive", [[True, True], [False, False], []])
def test_without_both_kinds_it_is_not_defined(positive):
    assert np.isnan(roc50(positive, np.zeros(len(positive))))


# All of them


def random_scores(n_classes, n_items=80, seed=0):
    random = np.random.default_rng(seed)
    truth = random.integers(0, n_classes, n_items)
    scores = random.normal(size=(n_items, n_classes)).round(1)
    scores[np.arange(n_items), truth] += 0.7
    return truth, scores.argmax(1), scores


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_they_are_those_of_scikit_learn(n_classes):
    truth, predicted, scores = random_scores(n_classes)
    found = measures_of(truth, predicted, scores)
    expected = {
        "accuracy": np.mean(truth == predicted),
        "balanced_accuracy": balanced_accuracy_score(truth, predicted),
        "macro_f1": f1_score(truth, predicted, average="macro"),
        "matthews": matthews_corrcoef(truth, predicted),
    }
    truths = truth[:, None] == np.arange(n_classes)
    for number in range(n_classes):
        own = truths[:, number], scores[:, number]
        assert found.by_class["auroc"][number] == pytest.approx(roc_auc_score(*own))
        assert found.by_class["average_precision"][number] == average_precision_score(*own)
        assert found.by_class["roc50"][number] == roc50(*own)
    expected |= {name: found.by_class[name].mean() for name in RANK_MEASURES}
    assert tuple(found.overall) == MEASURES
    assert found.overall == pytest.approx(expected)


def test_they_are_those_by_hand():
    truth, predicted = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 1, 0])
    scores = np.eye(3)[predicted]
    found = measures_of(truth, predicted, scores)
    assert found.overall["accuracy"] == pytest.approx(4 / 6)
    assert found.overall["balanced_accuracy"] == pytest.approx((2 / 3 + 1 + 0) / 3)
    assert found.overall["macro_f1"] == pytest.approx((4 / 6 + 4 / 5 + 0) / 3)
    # Four right of six; classes of 3, 2 and 1 items, called 3, 3 and 0 times.
    expected = (4 * 6 - (9 + 6)) / np.sqrt((36 - 18) * (36 - 14))
    assert found.overall["matthews"] == pytest.approx(expected)
    # Of class 0: two of three above, one of three wrong ones with them.
    assert found.by_class["auroc"][0] == pytest.approx((2 * 2 + 2 * 0.5 + 0.5 * 2) / 9)
    assert found.by_class["average_precision"][0] == pytest.approx(2 / 3 * 2 / 3 + 1 / 3 * 3 / 6)


def test_a_class_without_a_test_item_is_left_out_and_not_made_up():
    truth, predicted, scores = random_scores(3)
    kept = truth != 1
    found = measures_of(truth[kept], predicted[kept], scores[kept])
    for name in RANK_MEASURES:
        values = found.by_class[name]
        assert np.isnan(values).tolist() == [False, True, False]
        assert found.overall[name] == pytest.approx(values[[0, 2]].mean())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        expected = balanced_accuracy_score(truth[kept], predicted[kept])
    assert found.overall["balanced_accuracy"] == pytest.approx(expected)


def test_of_one_class_alone_neither_ranks_nor_correlation_are_defined():
    found = measures_of(np.zeros(4, int), np.array([0, 0, 1, 0]), np.ones((4, 2)))
    undefined = {name for name, value in found.overall.items() if np.isnan(value)}
    assert undefined == {"matthews", *RANK_MEASURES}
    assert found.overall["accuracy"] == found.overall["balanced_accuracy"] == 0.75


def test_one_label_for_all_has_no_correlation_with_the_truth():
    truth = np.array([0, 1, 1])
    assert measures_of(truth, np.zeros(3, int), np.zeros((3, 2))).overall["matthews"] == 0.0


def test_infinite_scores_have_ranks_and_no_number_has_none():
    truth = np.array([0, 1, 0, 1])
    scores = np.array([[np.inf, -np.inf], [1.0, 2.0], [0.0, -1.0], [-np.inf, np.nan]])
    found = measures_of(truth, np.zeros(4, int), scores)
    assert found.by_class["auroc"][0] == 0.75
    assert np.isnan(found.by_class["auroc"][1])


def test_a_checkpoint_can_keep_them():
    truth, predicted, scores = random_scores(3)
    found = measures_of(truth[truth > 0], predicted[truth > 0], scores[truth > 0])
    again = put_together(*taken_apart(found))
    assert again.overall == found.overall
    for name in RANK_MEASURES:
        np.testing.assert_array_equal(again.by_class[name], found.by_class[name])
