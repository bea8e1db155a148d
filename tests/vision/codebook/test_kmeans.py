"""k-means against a plain twin and scikit-learn, and where rows are few or alike."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from sfmvision.codebook.kmeans import _fill_empty, _plus_plus, kmeans, to_fixed, to_numbers


def make_rows(n_rows, n_columns, seed=0, n_groups=6):
    """Rows around a few means."""
    random = np.random.default_rng([seed, n_rows, n_columns])
    means = random.uniform(20, 230, (n_groups, n_columns))
    rows = means[random.integers(n_groups, size=n_rows)] + random.normal(0, 8, (n_rows, n_columns))
    return np.clip(rows, 0, 255).astype(np.uint8)


def run(rows, n_clusters, seed=0, n_threads=1, max_iter=100, tol=0.0):
    random = np.random.RandomState(seed)
    return kmeans(rows, n_clusters, max_iter=max_iter, tol=tol, random=random, n_threads=n_threads)


def distances_twin(rows, centres):
    return ((rows[:, None].astype(float) - centres[None].astype(float)) ** 2).sum(2)


@given(st.integers(1, 60), st.integers(1, 9), st.integers(1, 12), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_inertia_and_means_equal_twin(n_rows, n_columns, n_clusters, seed):
    rows = make_rows(n_rows, n_columns, seed)
    found = run(rows, n_clusters, seed)
    centres = to_numbers(found.centres)
    distances = distances_twin(rows, centres)
    assert found.inertia == pytest.approx(distances.min(1).sum(), rel=1e-9, abs=1e-6)
    numbers = distances.argmin(1)
    if found.n_iter < 100:
        for k in np.unique(numbers):
            # A cycle of roundings may end a run a unit or so from the mean.
            np.testing.assert_allclose(centres[k], rows[numbers == k].mean(0), atol=2 / 128)


def test_inertia_never_rises_with_more_iterations():
    rows = make_rows(500, 16, n_groups=30)
    inertias = [run(rows, 10, max_iter=n).inertia for n in range(8)]
    assert inertias[0] > inertias[1] > inertias[-1]
    assert all(np.diff(inertias) <= 1e-3)


def test_as_good_as_scikit_learn():
    rows = make_rows(2000, 32, n_groups=40)
    ours = np.mean([run(rows, 20, seed).inertia for seed in range(5)])
    peers = [KMeans(20, n_init=1, random_state=s).fit(rows.astype(float)) for s in range(5)]
    assert ours < 1.05 * np.mean([peer.inertia_ for peer in peers])


@pytest.mark.parametrize("n_columns", [128, 384])
def test_same_bits_for_any_threads(n_columns):
    # Full range and more rows than the starts are sought among.
    rows = np.random.default_rng(0).integers(0, 256, (20_500, n_columns)).astype(np.uint8)
    with threadpool_limits(limits=1):
        one = run(rows, 5, n_threads=1, max_iter=3)
    with threadpool_limits(limits=2):
        other = run(rows, 5, n_threads=3, max_iter=3)
    assert np.array_equal(one.centres, other.centres)
    assert one.inertia == other.inertia


@pytest.mark.parametrize("n_distinct", [1, 2, 3])
def test_as_many_centres_as_distinct_rows(n_distinct):
    rows = make_rows(n_distinct, 5, n_groups=3)
    found = run(np.repeat(rows, 4, axis=0), 7)
    assert found.inertia == 0
    assert sorted(to_numbers(found.centres).tolist()) == sorted(rows.astype(float).tolist())


def test_rare_rows_are_found_where_the_rest_is_one_row():
    rows = np.full((30_000, 2), 7, dtype=np.uint8)
    rows[12_345] = 200
    # The starts are first sought among two thirds of the rows.
    for seed in range(8):
        centres = to_numbers(run(rows, 2, seed).centres)
        assert sorted(centres.tolist()) == [[7, 7], [200, 200]]


@pytest.mark.parametrize(("ones", "unit"), [(1, 43), (2, 85)])
def test_means_are_rounded_to_the_nearest_unit(ones, unit):
    # A third is 42.67 units of 1/128, two thirds are 85.33.
    rows = np.array([[0], [0], [0]], dtype=np.uint8)
    rows[:ones] = 1
    assert to_numbers(run(rows, 1).centres).tolist() == [[unit / 128]]


def test_starts_are_distinct_rows():
    rows = np.repeat(make_rows(40, 3, n_groups=40), 5, axis=0)
    chosen = _plus_plus(rows, 30, np.random.RandomState(0))
    assert len(np.unique(rows[chosen], axis=0)) == 30


def test_empty_cluster_takes_the_farthest_row_that_another_can_spare():
    values = np.array([[0], [4], [10], [200]], dtype=np.uint8)
    centres = to_fixed([[2], [9], [100], [255]])
    numbers = np.array([0, 0, 0, 2], dtype=np.uint16)
    total, count = np.array([[14], [0], [200], [0]]), np.array([3, 0, 1, 0])
    _fill_empty(values, numbers, centres, total, count)
    # The row 200 is the last of its cluster; 10 is next, then 0.
    assert total.ravel().tolist() == [4, 10, 200, 0]
    assert count.tolist() == [1, 1, 1, 1]


def test_units_of_centres_come_back():
    numbers = np.arange(0, 255 * 128 + 1).astype(np.float32) / 128
    assert np.array_equal(to_numbers(to_fixed(numbers)), numbers)
