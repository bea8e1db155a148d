"""Whole numbers stay whole numbers where one of them is missing."""

import numpy as np
import pandas as pd
import pytest

from sfmcore import SFMClassifier
from sfmcore.data.targets import numbered_labels

LARGE = [9007199254740993, 9007199254740992]  # one float, two integers


def with_gap(kind):
    labels = [None, *LARGE * 30]
    if kind == "list with None":
        return labels
    if kind == "list with NaN":
        return [float("nan"), *labels[1:]]
    return pd.Series(labels, dtype=kind)


KINDS = ["list with None", "list with NaN", "Int64", "UInt64"]


@pytest.mark.parametrize("kind", KINDS)
def test_large_numbers_next_to_a_missing_one_are_two_classes(kind):
    classes, numbers = numbered_labels(with_gap(kind), 61)
    assert classes.dtype.kind in "iu"
    assert classes.tolist() == LARGE[::-1]
    assert numbers.tolist() == [-1, *[1, 0] * 30]


@pytest.mark.parametrize("kind", KINDS)
def test_a_marker_is_compared_as_a_whole_number(kind):
    labels = with_gap(kind)
    labels[0] = 5
    classes, numbers = numbered_labels(labels, 61, unlabeled=LARGE[0])
    assert classes.tolist() == [5, LARGE[1]]
    assert (numbers == -1).sum() == 30


def test_floats_stay_floats():
    given = np.array([0.0, 1.0, np.nan])
    assert numbered_labels(given, 3)[0].dtype == np.float64
    assert numbered_labels([0.0, 1.0, None], 3)[0].dtype == np.float64
    assert numbered_labels(pd.Series([0.0, 1.0, None], dtype="Float64"), 3)[0].dtype == np.float64


def test_a_classifier_gives_back_what_it_was_given():
    y = with_gap("Int64")
    X = np.r_[[[0.0]], np.resize([[1.0], [-1.0]], (60, 1))]
    X += np.random.default_rng(0).normal(scale=0.1, size=X.shape)
    model = SFMClassifier(n_components=1, random_state=0).fit(X, y)
    assert model.predict([[1.0], [-1.0]]).tolist() == LARGE
