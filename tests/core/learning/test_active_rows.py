"""Searches that leave far rows out, against searches over all rows."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from sfmcore.bounds.objective import Objective
from sfmcore.learning import active_rows as module
from sfmcore.learning.active_rows import minimise_from
from sfmcore.learning.search import minimise, scaled_to_minimum


def make_objective(n_rows=600, seed=0, C=30.0, share=0.05, weighted=False):
    """Rows in the plane's eight directions: few positive ones, most others far from them."""
    random = np.random.default_rng(seed)
    positive = random.random(n_rows) < share
    angles = np.where(positive, 0.0, random.uniform(0.5, 5.8, n_rows))
    angles += 0.3 * random.normal(size=n_rows)
    rows = np.column_stack([np.cos(angles), np.sin(angles), np.full(n_rows, 0.7)])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    weights = random.integers(1, 4, n_rows).astype(float) if weighted else np.ones(n_rows)
    signs = np.where(positive, 1, -1).astype(np.int8)
    return Objective(rows.astype(np.float32), signs, C, float(weights.sum()), sample_weight=weights)


@pytest.fixture
def few(monkeypatch):
    """Begin with few rows of other classes, so that small problems leave some out."""
    monkeypatch.setattr(module, "_LEAST", 20)
    monkeypatch.setattr(module, "_FOR_EACH", 1)


@pytest.fixture
def some(monkeypatch):
    """Begin with about a third of the rows."""
    monkeypatch.setattr(module, "_LEAST", 100)
    monkeypatch.setattr(module, "_FOR_EACH", 2)


DIRECTION = np.array([1.0, 0.0, -0.5])


def over_all(objective):
    return minimise(objective, [scaled_to_minimum(objective, DIRECTION)])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("C", [3.0, 30.0, 3000.0])
def test_the_minimum_is_as_deep_as_that_of_all_rows(some, C, weighted):
    values = []
    for seed in range(20):
        objective = make_objective(seed=seed, C=C, weighted=weighted)
        values.append(
            [objective(u)[0] for u in (minimise_from(objective, DIRECTION), over_all(objective))]
        )
    found, expected = np.array(values).T
    # J has several valleys, and either search may end in the deeper one.
    assert np.mean(found <= expected * (1 + 1e-3)) >= 0.8
    assert found.sum() <= expected.sum() * (1 + 2e-2)


def test_rows_that_turn_out_near_come_in(few, monkeypatch):
    objective = make_objective(C=300.0)
    asked = []
    restricted = module._restricted
    monkeypatch.setattr(
        module, "_restricted", lambda goal, rows: asked.append(rows.sum()) or restricted(goal, rows)
    )
    u = minimise_from(objective, np.array([0.0, 1.0, 0.0]))
    assert asked == sorted(asked)
    assert 1 < len(asked) <= module._MOST_ROUNDS
    assert asked[0] < asked[-1]
    assert objective(u)[0] <= objective(over_all(objective))[0] * (1 + 1e-3)


def test_far_rows_stay_out(few, monkeypatch):
    # Nine of ten rows lie opposite to the positive ones.
    random = np.random.default_rng(0)
    sides = np.where(np.arange(1000) % 10 == 0, 1.0, -1.0)
    rows = np.column_stack([sides, 0.3 * random.normal(size=1000)])
    rows[::50, 0] *= -0.1
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    objective = Objective(rows.astype("f4"), sides.astype(np.int8), 300.0, 1000.0)
    asked = []
    restricted = module._restricted
    monkeypatch.setattr(
        module, "_restricted", lambda goal, rows: asked.append(rows.sum()) or restricted(goal, rows)
    )
    u = minimise_from(objective, np.array([1.0, 0.0]))
    assert asked[-1] < 500
    expected = minimise(objective, [scaled_to_minimum(objective, np.array([1.0, 0.0]))])
    assert objective(u)[0] == pytest.approx(objective(expected)[0], rel=1e-4)


def test_few_rows_are_all_looked_at():
    objective = make_objective(share=0.3)
    assert np.array_equal(minimise_from(objective, DIRECTION), over_all(objective))


def test_a_rare_class_is_said_though_the_direction_says_it_seldom():
    """Few positive rows in a corner of many columns, and a direction away from them."""
    n_rows, n_positive = 5000, 10
    random = np.random.default_rng(2)
    rows = random.normal(size=(n_rows, 60))
    rows[:, 3] += 3.0
    rows[:n_positive, :3] += 6.0
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    signs = np.where(np.arange(n_rows) < n_positive, 1, -1).astype(np.int8)
    objective = Objective(rows.astype(np.float32), signs, 300.0, float(n_rows))
    away = -rows[:n_positive].sum(axis=0)
    alone = minimise(objective, [scaled_to_minimum(objective, away)])
    found = minimise_from(objective, away)
    assert objective(found)[0] < 0.9 * objective(alone)[0]
    assert np.mean(rows[:n_positive] @ found > 0) > 0.7
    assert np.mean(rows[:n_positive] @ alone > 0) < 0.5


def test_sparse_and_unlabelled_rows_are_all_looked_at(few):
    dense = make_objective()
    sparse = Objective(csr_array(dense.features), dense.signs, dense.C, dense.n_items)
    assert np.array_equal(minimise_from(sparse, DIRECTION), over_all(sparse))
    signs = dense.signs.copy()
    signs[:9] = 0
    mixed = Objective(dense.features, signs, dense.C, dense.n_items, unlabeled_weight=0.1)
    assert np.array_equal(minimise_from(mixed, DIRECTION), over_all(mixed))


def test_the_restricted_objective_has_the_same_slope():
    objective = make_objective(weighted=True)
    u = np.array([2.0, 0.5, -3.0])
    rows = objective.signs > 0
    rows[::2] = True
    part = module._restricted(objective, rows)
    left_out = Objective(
        objective.features[~rows],
        objective.signs[~rows],
        objective.C * float(objective.weights[~rows].sum()),
        objective.n_items,
        sample_weight=objective.weights[~rows],
    )
    apart = [goal(u)[0] - goal.divergence(u) / goal.n_items for goal in (part, left_out)]
    whole = objective(u)[0] - objective.divergence(u) / objective.n_items
    assert sum(apart) == pytest.approx(whole, rel=1e-9)
