"""Principal directions of rows, against the singular value decomposition."""

import numpy as np
import pytest

from sfmcore.features.nystroem import NystroemMap
from sfmcore.features.row_directions import MOST_ROWS, in_directions, principal_directions


def unit_rows(n_rows=60, n_columns=25, seed=0):
    random = np.random.default_rng(seed)
    rows = random.normal(size=(n_rows, n_columns)) * np.linspace(2.0, 0.1, n_columns)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("rank", [1, 7, 25, 40])
def test_directions_are_the_singular_vectors(rank):
    rows = unit_rows()
    found = principal_directions(rows, rank).astype(float)
    expected = np.linalg.svd(rows.astype(float), full_matrices=False)[2][:rank]
    assert found.shape == (min(rank, 25), 25)
    np.testing.assert_allclose(np.abs(np.sum(found * expected, axis=1)), 1.0, atol=1e-5)
    np.testing.assert_allclose(found @ found.T, np.eye(len(found)), atol=1e-5)


def test_equal_rows_have_one_direction():
    rows = np.repeat(unit_rows(1), 5, axis=0)
    directions = principal_directions(rows, 3)
    np.testing.assert_allclose(np.abs(directions), np.abs(rows[:1]), atol=1e-6)


def test_only_the_first_rows_count():
    rows = unit_rows(MOST_ROWS + 50, 4)
    assert np.array_equal(principal_directions(rows, 2), principal_directions(rows[:MOST_ROWS], 2))


def test_projected_rows_have_unit_length_and_follow_themselves_alone():
    rows = unit_rows()
    directions = principal_directions(rows, 6)
    made = in_directions(rows, directions, 1)
    np.testing.assert_allclose(np.linalg.norm(made, axis=1), 1.0, rtol=1e-5)
    plain = rows.astype(float) @ directions.T
    plain /= np.linalg.norm(plain, axis=1, keepdims=True)
    np.testing.assert_allclose(made, plain, atol=1e-5)
    assert np.array_equal(in_directions(rows, directions, 2), made)
    assert np.array_equal(in_directions(rows[[7]], directions, 1)[0], made[7])


def test_a_row_outside_all_directions_stays_zero():
    directions = np.eye(1, 3, dtype=np.float32)
    rows = np.eye(3, dtype=np.float32)
    assert in_directions(rows, directions, 1).tolist() == [[1.0], [0.0], [0.0]]


def test_a_kernel_of_all_directions_is_that_of_the_rows():
    rows, new = unit_rows(), unit_rows(seed=1)
    plain = NystroemMap.of(rows, n_landmarks=20, gamma=1.0, seed=3)
    whole = NystroemMap.of(rows, n_landmarks=20, gamma=1.0, seed=3, rank=24)
    assert whole.directions.shape == (24, 25)
    assert whole.landmarks.shape == (20, 24)
    products = [made.apply(new, 1)[:, :-1] for made in (plain, whole)]
    products = [made @ made.T for made in products]
    np.testing.assert_allclose(*products, atol=0.02)
    few = NystroemMap.of(rows, n_landmarks=20, gamma=1.0, seed=3, rank=2)
    rough = few.apply(new, 1)[:, :-1]
    assert np.abs(rough @ rough.T - products[0]).max() > 0.05


def test_more_directions_than_columns_leave_rows_whole():
    assert NystroemMap.of(unit_rows(), n_landmarks=9, gamma=1.0, seed=0, rank=25).directions is None
