"""Vectors beside the items: what the map and the classifier make of them."""

import numpy as np
import pytest

from sfmcore.data.with_vectors import WithVectors, items_of, plain_of, vectors_of
from sfmcore.features.feature_map import FeatureMap
from sfmcore.learning.algorithm import solve
from sfmcore.learning.prepare import prepare
from sfmcore.learning.settings import Settings
from sfmcore.learning.task import Task
from sfmcore.models.gmm import DiagonalGMM

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def make_batch(n_items=60, n_vectors=3, seed=0):
    """Items that say nothing of their class, and vectors that say everything."""
    random = np.random.default_rng(seed)
    signs = np.where(np.arange(n_items) % 2, 1, -1).astype(np.int8)
    vectors = random.normal(size=(n_items, n_vectors)).astype(np.float32)
    vectors[:, 0] = signs
    return WithVectors(random.normal(size=(n_items, 2)), vectors), signs


def learnt(data, signs, **parameters):
    model = DiagonalGMM(2, n_init=1, max_iter=20)
    return solve(prepare(Task.of(data, signs), model, Settings(C=50.0, **parameters)))


def accuracy(pair, data, signs):
    return np.mean(np.sign(pair.votes(data, 1)[0].mean(1)) == signs)


def test_an_index_takes_items_and_vectors_alike():
    data, _ = make_batch()
    part = data[np.array([5, 2])]
    assert np.array_equal(part.items, data.items[[5, 2]])
    assert np.array_equal(part.vectors, data.vectors[[5, 2]])
    assert len(data[3:7]) == 4
    assert items_of(part) is part.items
    assert vectors_of(np.zeros((4, 2))).shape == (4, 0)


def test_another_number_of_vectors_is_refused():
    with pytest.raises(ValueError, match="3 items need as many vectors, got shape"):
        WithVectors(np.zeros((3, 2)), np.zeros((2, 5), dtype=np.float32))


def test_plain_rows_go_with_their_items_and_no_classifier_sees_them():
    data, signs = make_batch()
    plain = np.arange(60, dtype=np.float32)[:, None]
    beside = WithVectors(data.items, data.vectors, plain=plain)
    assert plain_of(beside[[5, 2]]).tolist() == [[5.0], [2.0]]
    assert plain_of(data) is None
    assert plain_of(np.zeros((4, 2))) is None
    pair = learnt(data, signs)
    assert np.array_equal(pair.votes(beside, 1)[0], pair.votes(data, 1)[0])
    with pytest.raises(ValueError, match="3 items need as many plain rows, got 2"):
        WithVectors(np.zeros((3, 2)), np.zeros((3, 0), np.float32), plain=plain[:2])


@pytest.mark.parametrize("n_draws", ["exact", 3])
def test_rows_hold_the_vector_the_features_and_the_constant_in_proportion(n_draws):
    data, _ = make_batch()
    models = [DiagonalGMM(2, n_init=1, random_state=k).estimate(data.items) for k in (0, 1)]
    keys = np.arange(60, dtype=np.uint64)
    with_vectors = FeatureMap(models, conditioned=False, clip=2.0, n_vectors=3)
    without = FeatureMap(models, conditioned=False, clip=2.0)
    rows = with_vectors.features(data, n_draws, keys).astype(float)
    plain = without.features(data.items, n_draws, keys).astype(float)
    vectors = np.repeat(data.vectors, len(rows) // 60, axis=0).astype(float)
    expected = np.hstack([vectors, plain])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(rows, expected, rtol=1e-5, atol=1e-7)
    assert rows.shape[1] == with_vectors.n_features == len(with_vectors.feature_names())
    assert with_vectors.feature_names()[:2] == ["beside0", "beside1"]


def test_a_vector_of_zeros_leaves_the_row_as_it_was():
    data, _ = make_batch()
    empty = WithVectors(data.items, np.zeros_like(data.vectors))
    models = [DiagonalGMM(2, n_init=1, random_state=k).estimate(data.items) for k in (0, 1)]
    rows = FeatureMap(models, conditioned=False, clip=2.0, n_vectors=3).features(empty, "exact")
    plain = FeatureMap(models, conditioned=False, clip=2.0).features(data.items, "exact")
    assert np.array_equal(rows[:, 3:], plain)
    assert not rows[:, :3].any()


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"conditioning": True},
        {"n_landmarks": 40},
        {"prior": "map"},
        {"n_draws": 2, "max_iter": 2},
        {"n_draws": 2, "max_iter": 2, "coupling": 1.0},
        {"n_draws": 2, "max_iter": 2, "vote": "raw", "prior_fraction": 0.3},
    ],
    ids=str,
)
def test_the_classifier_learns_from_the_vectors(parameters):
    data, signs = make_batch()
    new, truth = make_batch(seed=1)
    pair = learnt(data, signs, **parameters)
    assert accuracy(pair, new, truth) > 0.95
    alone = learnt(data.items, signs, **parameters)
    assert accuracy(alone, new.items, truth) < 0.75


def test_the_models_do_not_see_the_vectors():
    data, signs = make_batch()
    other = WithVectors(data.items, -data.vectors)
    first, second = learnt(data, signs), learnt(other, signs)
    for side in ("positive", "negative"):
        arrays = [getattr(pair.mapping, side).get_arrays() for pair in (first, second)]
        assert all(np.array_equal(arrays[0][name], arrays[1][name]) for name in arrays[0])


def test_enumeration_of_sums_is_refused_beside_vectors():
    data, signs = make_batch()
    with pytest.raises(ValueError, match="nothing beside their features"):
        learnt(data, signs, n_draws=2, coupling=1.0, sampler="enumeration")


def test_other_vectors_than_those_of_training_are_refused():
    data, signs = make_batch()
    pair = learnt(data, signs)
    with pytest.raises(ValueError, match="items have 2 columns beside, not 3"):
        pair.votes(WithVectors(data.items, data.vectors[:, :2]), 1)
