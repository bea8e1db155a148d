"""Probabilities averaged over uncertain weights, beside what drawn weights give."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax

from sfmcore.learning.weight_posterior import WeightPosterior

N_DRAWS = 5_000
N_ITEMS = 20


def problem(n_classes, n_weights, spread, seed):
    """Columns of some items, weights, and how uncertain they are."""
    random = np.random.default_rng(seed)
    columns = random.normal(0, 1, (N_ITEMS, n_classes, n_weights))
    factor = spread * np.linalg.cholesky(np.cov(random.normal(0, 1, (n_weights, 40))))
    return columns, random.normal(0, 1, n_weights), WeightPosterior(factor)


def averaged(columns, weights, posterior, seed=0):
    """Mean of the probabilities over drawn weights, and its standard error."""
    drawn = np.random.default_rng(seed).normal(0, 1, (N_DRAWS, len(weights)))
    logits = np.einsum("ikd,nd->nik", columns, weights + drawn @ posterior.factor.T)
    each = softmax(logits, axis=2)
    return each.mean(axis=0), each.std(axis=0).max() / np.sqrt(N_DRAWS)


def of(columns, weights, posterior):
    """Probabilities as classifiers compute them."""
    logits = columns @ weights
    scales, centre = posterior.scales(columns, logits)
    return softmax(scales * (logits - centre), axis=1)


@pytest.mark.parametrize("n_classes", [3, 5, 12])
def test_probabilities_come_nearer_to_their_mean_over_drawn_weights(n_classes):
    distances = []
    for seed in range(10):
        columns, weights, posterior = problem(n_classes, 2 + seed % 5, 0.1 + 0.06 * seed, seed)
        expected, error = averaged(columns, weights, posterior)
        assert error < 0.006
        certain = softmax(columns @ weights, axis=1)
        both = of(columns, weights, posterior), certain
        distances.append([np.abs(own - expected).mean() for own in both])
    off, before = np.mean(distances, axis=0)
    assert off < 0.7 * before


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 12), st.integers(2, 6), st.floats(0.0, 1e3), st.integers(0, 10**6))
def test_logits_come_nearer_to_each_other_and_stay_numbers(n_classes, n_weights, spread, seed):
    columns, weights, posterior = problem(n_classes, n_weights, spread, seed)
    logits = columns @ weights
    scales, centre = posterior.scales(columns, logits)
    assert np.all((scales > 0.0) & (scales <= 1.0))
    room = 1e-9 * np.abs(logits).max()
    assert np.all(centre >= logits.min(axis=1)[:, None] - room)
    assert np.all(centre <= logits.max(axis=1)[:, None] + room)


def test_the_posterior_is_as_narrow_as_there_are_items():
    curvature = np.cov(np.random.default_rng(0).normal(0, 1, (4, 30)))
    posterior = WeightPosterior.of(curvature, 25.0)
    np.testing.assert_allclose(
        posterior.factor @ posterior.factor.T, np.linalg.inv(curvature) / 25.0
    )


def test_nothing_changes_for_weights_that_are_certain():
    columns, weights, _ = problem(4, 3, 1.0, 2)
    scales, _ = WeightPosterior(np.zeros((3, 3))).scales(columns, columns @ weights)
    assert np.all(scales == 1.0)


def test_what_all_classes_share_is_not_uncertain():
    columns, weights, posterior = problem(3, 3, 1.0, 3)
    further = columns + np.random.default_rng(4).normal(0, 9, (N_ITEMS, 1, 3))
    np.testing.assert_allclose(of(further, weights, posterior), of(columns, weights, posterior))


def test_a_file_holds_a_matrix_of_as_many_weights():
    posterior = WeightPosterior(np.eye(3))
    assert (
        WeightPosterior.of_array(posterior.get_arrays()["posterior"], 3).factor.tolist()
        == np.eye(3).tolist()
    )
    for bad in (np.eye(2), np.eye(3, dtype=np.float32), np.full((3, 3), np.nan)):
        with pytest.raises(ValueError, match="posterior must be"):
            WeightPosterior.of_array(bad, 3)
