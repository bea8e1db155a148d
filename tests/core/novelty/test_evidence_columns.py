"""Columns of evidence of typicality, and classes that are left out of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit

from sfmcore.data.similarities import Similarities
from sfmcore.learning.evidence import ReferenceClasses
from sfmcore.novelty.relatives import N_WITH_VOTES, relatives_evidence
from sfmcore.novelty.surroundings import N_COLUMNS, Surroundings

N_CLASSES = 4


def related(seed, n_items=30):
    random = np.random.default_rng(seed)
    dense = np.where(
        random.random((n_items, 12)) < 0.3, random.gamma(2.0, 20.0, (n_items, 12)), 0.0
    ).astype(np.float32)
    members = ReferenceClasses(np.arange(12), np.arange(12) % N_CLASSES, N_CLASSES)
    votes = random.normal(size=(n_items, N_CLASSES))
    shares = random.dirichlet(np.ones(N_CLASSES), n_items)
    return dense, members, votes, logit(shares)


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_a_class_left_out_is_as_if_it_were_not_there(seed):
    dense, members, votes, scores = related(seed)
    gone = seed % N_CLASSES
    left_out = np.full(len(dense), gone)
    found = relatives_evidence(Similarities.of(dense), members, votes, scores, left_out)
    others = np.setdiff1d(np.arange(N_CLASSES), [gone])
    # The same with its references, votes and shares taken away.
    without = np.where(np.arange(12) % N_CLASSES == gone, 0.0, dense).astype(np.float32)
    shares = expit(scores[:, others])
    odds = logit(shares / shares.sum(axis=1, keepdims=True))
    renumbered = ReferenceClasses(
        np.flatnonzero(members.classes != gone),
        np.searchsorted(others, members.classes[members.classes != gone]),
        N_CLASSES - 1,
    )
    expected = relatives_evidence(Similarities.of(without), renumbered, votes[:, others], odds)
    assert found.shape == (len(dense), N_WITH_VOTES)
    assert np.allclose(found, expected)


def test_the_last_column_is_the_largest_log_odds():
    dense, members, votes, scores = related(1)
    found = relatives_evidence(Similarities.of(dense), members, votes, scores)
    assert np.allclose(found[:, 4], scores.max(axis=1))


def around(n_columns=5, n_rows=240, seed=0):
    random = np.random.default_rng(seed)
    numbers = np.arange(n_rows) % 3
    mixing = np.eye(n_columns) + 0.2 * random.normal(size=(n_columns, n_columns))
    rows = random.normal(size=(n_rows, n_columns)) @ mixing
    rows = (rows + 3.0 * numbers[:, None]).astype(np.float32)
    order = random.permutation(n_rows).astype(np.uint64)
    return rows, numbers, Surroundings.of(rows, numbers, 3, order)


def test_the_scatter_within_classes_becomes_round():
    rows, numbers, made = around()
    scaled = (rows - made.centre) / made.scale
    placed = scaled @ made.directions.T @ made.whitening.T
    inner = placed - np.array([placed[numbers == k].mean(axis=0) for k in range(3)])[numbers]
    assert np.allclose(inner.T @ inner / len(rows), np.eye(5), atol=0.15)


def test_distances_are_those_of_plain_numpy():
    _, _, made = around()
    fresh = np.random.default_rng(1).normal(size=(20, 5)).astype(np.float32) * 4
    placed = ((fresh - made.centre) / made.scale) @ made.directions.T @ made.whitening.T
    to_means = ((placed[:, None] - made.means) ** 2).sum(axis=2)
    to_anchors = ((placed[:, None] - made.anchors) ** 2).sum(axis=2)
    two = np.sqrt(np.sort(to_means, axis=1)[:, :2])
    expected = np.column_stack(
        [
            -np.log1p(to_means.min(axis=1)),
            two[:, 1] - two[:, 0],
            -np.log1p(to_anchors.min(axis=1)),
        ]
    )
    found = made.evidence(fresh, 1)
    assert found.shape == (20, N_COLUMNS)
    assert np.allclose(found[:, :3], expected, rtol=1e-3, atol=1e-3)


def test_what_lies_outside_of_few_directions_is_seen():
    random = np.random.default_rng(2)
    rows = (random.normal(size=(40, 3)) @ random.normal(size=(3, 200))).astype(np.float32)
    numbers = np.arange(40) % 2
    made = Surroundings.of(rows, numbers, 2, np.arange(40, dtype=np.uint64))
    inside = made.evidence(rows, 1)[:, 3]
    outside = made.evidence(rows + random.normal(size=rows.shape).astype(np.float32), 1)[:, 3]
    assert np.all(inside == 0)
    assert outside.max() < -1


def test_a_class_without_rows_is_near_to_nothing():
    rows, numbers, _ = around()
    order = np.arange(len(rows), dtype=np.uint64)
    made = Surroundings.of(rows, numbers, 4, order)
    assert np.isnan(made.means[3]).all()
    three = Surroundings.of(rows, numbers, 3, order)
    assert np.array_equal(made.evidence(rows, 1), three.evidence(rows, 1))
    assert made.evidence(rows, 1, numbers)[:, 0].mean() < made.evidence(rows, 1)[:, 0].mean()


@pytest.mark.parametrize("value", [0.0, 7.0])
def test_columns_that_never_vary_do_no_harm(value):
    rows = np.full((32, 3), value, dtype=np.float32)
    made = Surroundings.of(rows, np.arange(32) % 2, 2, np.arange(32, dtype=np.uint64))
    assert np.all(np.isfinite(made.evidence(rows + 1, 1)))
