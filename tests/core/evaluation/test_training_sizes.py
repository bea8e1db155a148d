"""Accuracy against the number of training items."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from sfmcore.estimators.classifier import SFMClassifier
from sfmcore.evaluation.halves import evaluate
from sfmcore.evaluation.training_sizes import size_curve

X, y = load_wine(return_X_y=True)
MODEL = SFMClassifier(n_components=1, random_state=0)


@pytest.mark.parametrize("protocol", [{"partitions": 3}, {"folds": 3}])
def test_sizes_are_shares_and_the_last_is_the_evaluation(protocol):
    result = evaluate(MODEL, X, y, **protocol)
    curve = size_curve(MODEL, X, y, result)
    whole = 89 if "partitions" in protocol else 119
    assert np.abs(curve.n_train - whole * np.array([0.125, 0.25, 0.5, 1.0])).max() <= 1
    assert curve.accuracy.shape == (4, 3)
    np.testing.assert_array_equal(curve.accuracy[-1], result.multiclass / 100)
    assert 0.5 < curve.accuracy[0].mean() < 1


def test_threads_make_no_difference():
    result = evaluate(MODEL, X, y, partitions=2, seed=5)
    curves = [size_curve(MODEL, X, y, result, n_jobs=n) for n in (1, 2)]
    np.testing.assert_array_equal(curves[0].accuracy, curves[1].accuracy)


def test_sizes_that_leave_a_class_out_are_left_out():
    few = np.concatenate([np.flatnonzero(y == k)[:6] for k in range(3)])
    result = evaluate(MODEL, X[few], y[few], partitions=2)
    assert size_curve(MODEL, X[few], y[few], result).n_train.tolist() == [4, 9]


def test_groups_stay_whole():
    groups = [f"g{k // 5}" for k in range(len(y))]
    result = evaluate(MODEL, X, y, partitions=2, groups=groups)
    assert size_curve(MODEL, X, y, result, groups=groups).accuracy.shape == (4, 2)
