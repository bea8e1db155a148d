"""The score of a label against the runner-up: its values and its gradient."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfmcore.explaining.decision import Contest, best_two, decision_slopes, decisions
from sfmcore.learning.vote import decide
from sfmcore.learning.weighing import log_odds

STEP = 1e-6


@given(st.integers(0, 2**32 - 1), st.integers(3, 6), st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_gradient_is_that_of_finite_differences(seed, n_classes, is_log_odds):
    values = np.random.default_rng(seed).normal(size=(4, n_classes)) * 3
    contest = Contest(*best_two(values), log_odds=is_log_odds)
    gradient = contest.gradient(values)
    for k in range(n_classes):
        step = np.zeros_like(values)
        step[:, k] = STEP
        moved = (contest.score(values + step) - contest.score(values - step)) / (2 * STEP)
        np.testing.assert_allclose(gradient[:, k], moved, atol=1e-7)


def test_log_odds_give_the_difference_of_decision_values():
    values = np.random.default_rng(0).normal(size=(5, 4)) * 4
    final = log_odds(values)
    label, runner_up = best_two(final)
    items = np.arange(5)
    expected = final[items, label] - final[items, runner_up]
    np.testing.assert_allclose(Contest(label, runner_up, True).score(values), expected, rtol=1e-12)


def test_of_two_classes_it_is_the_distance_from_zero():
    values = np.array([-2.0, 3.0, 0.0])
    contest = Contest(*best_two(values), log_odds=False)
    assert contest.label.tolist() == [0, 1, 0]
    assert contest.score(values[:, None]).tolist() == [2.0, 3.0, 0.0]
    assert contest.gradient(values[:, None])[:, 0].tolist() == [-1.0, 1.0, -1.0]


@pytest.mark.parametrize("vote", ["majority", "normalised"])
@pytest.mark.parametrize("n_rows", [1, 2, 5])
def test_slopes_of_a_vote_are_those_of_finite_differences(vote, n_rows):
    rows = np.random.default_rng(n_rows).normal(size=(6, n_rows)) * 2
    slopes = decision_slopes(rows, decide(rows, vote), vote)
    for k in range(n_rows):
        step = np.zeros_like(rows)
        step[:, k] = STEP
        moved = (decide(rows + step, vote) - decide(rows - step, vote)) / (2 * STEP)
        np.testing.assert_allclose(slopes[:, k], moved, atol=1e-6)


def test_decisions_keep_the_nodes_of_a_path():
    rows = [np.random.default_rng(k).normal(size=(3, 4, 2)) for k in range(2)]
    made = decisions(rows, "majority")
    assert made.shape == (3, 4, 2)
    np.testing.assert_array_equal(made[1, :, 1], decide(rows[1][1], "majority"))
