"""ROC and precision-recall curves, intervals, and mistakes, against what counting gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import trapezoid
from scipy.stats import binomtest
from sklearn.metrics import roc_auc_score

from sfmcore.evaluation.answers import Answers
from sfmcore.evaluation.curves import GRID, mean_precision, mean_roc
from sfmcore.evaluation.intervals import share_interval
from sfmcore.evaluation.mistakes import most_confident_mistakes
from sfmcore.evaluation.reliability import calibration_error, reliability_bins

NONE = np.empty(0)


def answers_of(truth, scores, confidence=None, items=None):
    n = len(truth)
    return Answers(
        np.arange(n) if items is None else items,
        truth,
        scores.argmax(axis=1),
        np.full(n, 0.5) if confidence is None else confidence,
        NONE,
        NONE,
        np.empty((0, 0), dtype=np.int64),
        scores.astype(np.float32),
    )


@pytest.fixture
def noisy():
    random = np.random.default_rng(0)
    truth = random.integers(0, 3, 400)
    return answers_of(truth, random.normal(size=(400, 3)) + 1.2 * np.eye(3)[truth])


def test_the_area_below_a_curve_is_that_of_the_scores(noisy):
    for number in range(3):
        curve = mean_roc([noisy, noisy], number)
        area = roc_auc_score(noisy.truth == number, noisy.scores[:, number])
        assert trapezoid(curve.mean, curve.x) == pytest.approx(area, abs=0.005)
        assert not curve.deviation.any()
        assert curve.baseline == pytest.approx(np.mean(noisy.truth == number))


def test_precision_is_that_of_the_shortest_list_with_the_recall(noisy):
    curve = mean_precision([noisy], 1)
    order = np.argsort(-noisy.scores[:, 1])
    hits = np.cumsum(noisy.truth[order] == 1)
    for recall, precision in zip(curve.x[::20], curve.mean[::20], strict=True):
        length = int(np.flatnonzero(hits >= recall * hits[-1] - 1e-9)[0]) + 1
        assert precision == pytest.approx(hits[length - 1] / length)


def test_infinite_scores_have_a_place_and_missing_ones_have_no_curve(noisy):
    scores = noisy.scores.copy()
    scores[0] = np.inf
    assert np.isfinite(mean_roc([answers_of(noisy.truth, scores)], 0).mean).all()
    scores[0] = np.nan
    assert mean_roc([answers_of(noisy.truth, scores)], 0) is None


def test_a_class_without_items_or_scores_has_no_curve(noisy):
    few = noisy.truth != 2
    part = answers_of(noisy.truth[few], noisy.scores[few])
    assert mean_roc([part], 2) is None
    # Of the partitions that have some the curve is made.
    assert len(mean_roc([part, noisy], 2).mean) == len(GRID)
    unscored = Answers(**{**vars(noisy), "scores": np.empty((400, 0), dtype=np.float32)})
    assert mean_precision([unscored], 0) is None


@given(st.integers(1, 60), st.integers(0, 60))
def test_intervals_are_those_of_scipy(n, k):
    k = min(k, n)
    low, high = share_interval([k], [n])
    expected = binomtest(k, n).proportion_ci(0.95, method="exact")
    assert (low[0], high[0]) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_no_item_says_nothing():
    assert [side.tolist() for side in share_interval([0], [0])] == [[0.0], [1.0]]


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=50))
def test_bins_hold_every_item_and_give_the_calibration_error(pairs):
    confidence, right = map(np.array, zip(*pairs, strict=True))
    bins = reliability_bins(confidence, right)
    assert bins.counts.sum() == len(pairs)
    assert bins.right.sum() == right.sum()
    gaps = np.abs(bins.confidence * bins.counts - bins.right).sum() / len(pairs)
    assert gaps == pytest.approx(calibration_error(confidence, right), abs=1e-12)


def test_a_mistake_counts_its_tests_and_keeps_the_most_confident_label():
    scores = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]])
    first = answers_of(np.array([1, 1, 0]), scores, np.array([0.6, 0.9, 0.7]), np.array([3, 5, 8]))
    second = answers_of(np.array([1, 0, 0]), scores, np.array([0.8, 0.7, 0.7]), np.array([3, 8, 9]))
    found = most_confident_mistakes([first, second], 5)
    assert [(one.item, one.partition, one.confidence) for one in found] == [
        (3, 1, 0.8),
        (8, 0, 0.7),
        (9, 1, 0.7),
    ]
    assert [(one.n_wrong, one.n_tests) for one in found] == [(2, 2), (2, 2), (1, 1)]
    assert most_confident_mistakes([first, second], 1) == found[:1]
