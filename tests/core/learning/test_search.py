"""Minimising J(u): what each way of searching promises."""

import numpy as np
import pytest

from sfmcore.bounds.objective import Objective
from sfmcore.learning.search import (
    descend,
    finalists,
    mean_direction,
    minimise,
    minimise_from_direction,
    random_starts,
    rough_minima,
    surrogate_minimum,
)


def make_objective(seed=0, C=20.0, n_rows=60, unlabelled=False):
    random = np.random.default_rng(seed)
    rows = random.normal(size=(n_rows, 4))
    signs = np.where(rows[:, 0] + 0.5 * random.normal(size=n_rows) > 0, 1, -1).astype(np.int8)
    if unlabelled:
        signs[::3] = 0
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return Objective(rows, signs, C, n_rows, prior_mean=0.1 * random.normal(size=4))


@pytest.mark.parametrize("unlabelled", [False, True])
def test_minimum_has_no_slope_and_no_start_lies_lower(unlabelled):
    objective = make_objective(unlabelled=unlabelled)
    starts = list(random_starts(5, 4, np.random.default_rng(1)))
    u = minimise(objective, starts)
    value, slope = objective(u)
    assert np.abs(slope).max() < 1e-5
    assert all(value <= objective(minimise(objective, [start]))[0] for start in starts)
    assert value < min(objective(start)[0] for start in starts)


def test_the_best_of_several_minima_is_kept():
    # Two rows that can't both be right: one valley each side, the heavier row's is deeper.
    rows = np.array([[1.0, 0.0], [1.0, 0.0]])
    objective = Objective(
        rows,
        np.array([1, -1], np.int8),
        C=500.0,
        n_items=100,
        prior_mean=np.array([-30.0, 0.0]),
        sample_weight=np.array([0.8, 0.2]),
    )
    left, right = np.array([-30.0, 0.0]), np.array([5.0, 0.0])
    assert minimise(objective, [left])[0] < -10
    assert minimise(objective, [left, right])[0] > 0
    assert minimise(objective, [right, left])[0] > 0


@pytest.mark.parametrize("seed", range(4))
def test_a_bad_direction_leaves_the_search_to_other_starts(seed):
    objective = make_objective(seed)
    objective.prior_mean = np.zeros(4)
    surrogate = minimise(objective, [surrogate_minimum(objective)])
    good = minimise_from_direction(objective, surrogate)
    # A direction that is wrong on nearly all rows leaves the search to the surrogate.
    bad = minimise_from_direction(objective, -surrogate)
    lowest = objective(surrogate)[0]
    assert objective(good)[0] == pytest.approx(lowest, rel=1e-6)
    assert objective(bad)[0] == pytest.approx(lowest, rel=1e-6)
    assert objective(minimise(objective, [-surrogate]))[0] >= lowest * (1 - 1e-6)


def test_no_start_is_refused():
    with pytest.raises(ValueError, match="start"):
        minimise(make_objective(), [])


def test_surrogate_minimum_is_the_minimum_of_the_surrogate():
    objective = make_objective()
    u = surrogate_minimum(objective)
    value, slope = objective(u, convex=True)
    assert np.abs(slope).max() < 1e-5
    # Convex: no other point lies lower.
    random = np.random.default_rng(0)
    for scale in (0.01, 1.0, 10.0):
        for step in scale * random.normal(size=(20, 4)):
            assert objective(u + step, convex=True)[0] > value


def test_mean_direction_is_that_of_the_mean_of_signed_rows():
    objective = make_objective()
    # At u0 = 0 every labelled row has the same slope, so the direction is the plain mean.
    objective.prior_mean = np.zeros(4)
    u = mean_direction(objective)
    mean = (objective.signs[:, None] * objective.features).mean(0)
    assert u @ mean / np.linalg.norm(u) / np.linalg.norm(mean) == pytest.approx(1)
    lengths = [objective(size * mean / np.linalg.norm(mean))[0] for size in (1, 4, 16)]
    assert objective(u)[0] == pytest.approx(min(lengths))


def test_descent_never_raises_J_whatever_the_rate():
    objective = make_objective(C=5.0)
    for rate in (1e-3, 1.0, 1e6):
        u = np.full(4, 3.0)
        values = [objective(u)[0]]
        for _ in range(30):
            u = descend(objective, u, rate, 1)
            values.append(objective(u)[0])
        assert np.all(np.diff(values) <= 0)
        assert values[-1] < values[0]


def test_descent_stays_at_a_minimum():
    objective = make_objective(C=1.0)
    u = minimise(objective, [np.zeros(4)])
    assert np.allclose(descend(objective, u, 1.0, 5), u, atol=1e-4)


def test_random_starts_are_in_the_papers_box():
    starts = np.array(list(random_starts(200, 3, np.random.default_rng(0))))
    assert starts.shape == (200, 3)
    assert -20 <= starts.min() < -18
    assert 18 < starts.max() <= 20


def test_random_starts_of_one_seed_are_the_same():
    one, same, other = (
        np.array(list(random_starts(3, 4, np.random.default_rng(seed)))) for seed in (1, 1, 2)
    )
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    assert list(random_starts(0, 4, np.random.default_rng(1))) == []


def test_of_many_starts_the_lowest_three_go_on():
    objective = make_objective(C=200.0)
    starts = list(random_starts(20, 4, np.random.default_rng(3)))
    assert finalists(objective, starts[:3]) == starts[:3]
    chosen = finalists(objective, starts)
    assert len(chosen) == 3
    values = [objective(u)[0] for u in chosen]
    assert values == sorted(values)
    # In four dimensions 30 steps are enough: the winner of all is among them.
    lowest = objective(minimise(objective, starts))[0]
    assert objective(minimise(objective, chosen))[0] == pytest.approx(lowest, rel=1e-6)
    assert max(values) < min(objective(start)[0] for start in starts)


def test_of_many_items_the_search_ends_sooner_and_nearly_as_low(monkeypatch):
    counts = []
    descend_by = Objective.descend

    def counted(self, start, **limits):
        u, count = descend_by(self, start, **limits)
        counts.append(count)
        return u, count

    monkeypatch.setattr(Objective, "descend", counted)
    random = np.random.default_rng(4)
    rows = random.normal(size=(400, 60))
    signs = np.where(rows[:, 0] + random.normal(size=400) > 0, 1, -1).astype(np.int8)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    values = []
    for n_items in (5000, 5001):
        objective = Objective(rows, signs, 300.0, n_items)
        values.append(objective(minimise(objective, [np.zeros(60)]))[0])
    assert counts[1] < counts[0]
    assert values[1] == pytest.approx(values[0], rel=0.01)


def test_rough_minima_lie_close_to_those_of_a_fit():
    objective = make_objective()
    Cs = (2.0, 20.0, 200.0)
    direction = np.eye(4)[0]
    for C, u in zip(Cs, rough_minima(objective, Cs, [direction]), strict=True):
        assert objective.C == C
        value = objective(u)[0]
        exact = objective(minimise(objective, [surrogate_minimum(objective)]))[0]
        assert value == pytest.approx(exact, rel=1e-2)
    assert list(rough_minima(objective, ())) == []
