"""The vote of several rows against its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from sfmcore.learning.vote import majority, vote_shares

margins = st.lists(st.floats(-6, 6), min_size=1, max_size=7)


@given(margins)
def test_share_is_the_mean_of_the_rows_probabilities(row):
    expected = np.mean([norm.cdf(margin) for margin in row])
    assert vote_shares(np.array([row]))[0] == pytest.approx(expected, abs=1e-12)


@given(margins)
def test_decision_is_the_margin_of_the_same_share(row):
    rows = np.array([row])
    assert norm.cdf(majority(rows)[0]) == pytest.approx(vote_shares(rows)[0], abs=1e-9)


@given(st.floats(-300, 300))
def test_decision_of_one_row_is_its_margin(margin):
    assert majority(np.array([[margin]]))[0] == margin


def test_far_margins_stay_finite_and_in_order():
    rows = np.array([[10.0, 12.0], [30.0, 40.0], [80.0, 90.0]])
    decisions = majority(rows)
    assert np.all(np.isfinite(decisions))
    assert np.all(np.diff(decisions) > 0)
    np.testing.assert_allclose(majority(-rows), -decisions, rtol=1e-12)
    assert np.all((decisions > rows[:, 0]) & (decisions < rows[:, 1]))


def test_more_than_half_of_the_votes_win_over_the_larger_mean():
    rows = np.array([[0.5, 0.5, -9.0]])
    assert rows.mean() < 0
    assert vote_shares(rows)[0] < 0.5
    rows = np.array([[1.5, 1.5, -9.0]])
    assert rows.mean() < 0
    assert majority(rows)[0] > 0


def test_balanced_votes_decide_nothing():
    assert majority(np.array([[3.0, -3.0]]))[0] == pytest.approx(0.0, abs=1e-12)
