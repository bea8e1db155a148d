"""Models that all classes share, against what they stand for."""

import numpy as np
import pytest
from sklearn.base import clone

from sfmcore import SFMClassifier
from sfmcore.data.ragged import Ragged
from sfmcore.features.feature_map import FeatureMap
from sfmcore.learning import shared
from sfmcore.models.gmm import DiagonalGMM
from sfmcore.models.hmm import CategoricalHMM

N_CLASSES = 5


def blobs(n_classes=N_CLASSES, n_each=30, seed=0):
    random = np.random.default_rng(seed)
    centres = random.normal(scale=4.0, size=(n_classes, 3))
    y = np.repeat(np.arange(n_classes), n_each)
    return centres[y] + random.normal(size=(len(y), 3)), y


def chains(n_classes=3, n_each=12, seed=0):
    random = np.random.default_rng(seed)
    rows = random.dirichlet(np.full(4, 0.5), n_classes)
    y = np.repeat(np.arange(n_classes), n_each)
    items = [random.choice(4, size=random.integers(8, 30), p=rows[k]) for k in y]
    return Ragged.from_items(items), y


def classifier(**parameters):
    own = {"n_components": 2, "n_shared_models": 8, "random_state": 0}
    return SFMClassifier(**{**own, **parameters})


def arrays_of(model):
    return b"".join(array.tobytes() for _, array in sorted(model.get_arrays().items()))


def bits(model, X):
    parts = [model.decision_function(X), model.predict_proba(X)]
    parts += [pair.u for pair in model.pairs_]
    return [part.tobytes() for part in parts]


def test_all_classes_have_one_map_of_everything_and_of_each_class():
    X, y = blobs()
    model = classifier().fit(X, y)
    (mapping,) = {id(pair.mapping): pair.mapping for pair in model.pairs_}.values()
    assert len(model.pairs_) == N_CLASSES
    assert len(mapping.models) == N_CLASSES + 1
    scaled = model.pairs_[0].preparation.apply(X)
    scores = np.array([one.log_likelihood(scaled) for one in mapping.models])
    # Each class's own model is the best for it, and that of everything for all items together.
    own = np.array([scores[1:, y == k].mean(1).argmax() for k in range(N_CLASSES)])
    assert own.tolist() == list(range(N_CLASSES))
    assert scores.mean(1).argmax() == 0


def test_the_models_are_those_that_the_items_give_by_themselves():
    X, y = chains()
    model = SFMClassifier(CategoricalHMM(2, 4), n_shared_models=3, random_state=1).fit(X, y)
    models = model.pairs_[0].mapping.models
    parts = [np.arange(len(y)), *(np.flatnonzero(y == k) for k in range(3))]
    for number, members in enumerate(parts):
        again = CategoricalHMM(2, 4, random_state=models[number].random_state)
        again.estimate(X[members])
        assert arrays_of(again) == arrays_of(models[number])


def test_more_classes_than_models_go_into_groups_of_like_classes():
    # Three places, two classes at each.
    random = np.random.default_rng(1)
    y = np.repeat(np.arange(6), 20)
    places = np.array([[0.0, 0.0], [0.0, 0.4], [9.0, 0.0], [9.0, 0.4], [0.0, 9.0], [0.4, 9.0]])
    X = places[y] + 0.2 * random.normal(size=(len(y), 2))
    model = classifier(n_components=1, n_shared_models=3).fit(X, y)
    models = model.pairs_[0].mapping.models
    assert len(models) == 4
    scaled = model.pairs_[0].preparation.apply(X)
    scores = np.array([one.log_likelihood(scaled) for one in models[1:]])
    groups = [scores[:, y == k].mean(1).argmax() for k in range(6)]
    assert groups[0] == groups[1] != groups[2] == groups[3] != groups[4] == groups[5] != groups[0]
    assert model.score(X, y) > 0.8


@pytest.mark.parametrize("n_shared_models", [1, 2, 4])
def test_groups_cover_all_classes(n_shared_models):
    X, y = blobs(7)
    model = classifier(n_shared_models=n_shared_models).fit(X, y)
    assert len(model.pairs_[0].mapping.models) == n_shared_models + 1
    assert model.score(X, y) > 0.9


def test_groups_are_found_from_some_items_of_each_class(monkeypatch):
    X, y = blobs(6, n_each=40)
    monkeypatch.setattr(shared, "_ITEMS_OF_GROUPS", 30)
    asked = []
    learn_map = shared.learn_map

    def counted(models, settings, items, *args, **more):
        asked.append((len(models), len(items)))
        return learn_map(models, settings, items, *args, **more)

    monkeypatch.setattr(shared, "learn_map", counted)
    model = classifier(n_shared_models=3).fit(X, y)
    assert asked == [(1, 30), (4, 240)]
    order = np.random.default_rng(3).permutation(len(y))
    again = classifier(n_shared_models=3).fit(X[order], y[order])
    assert len(again.pairs_[0].mapping.models) == 4
    np.testing.assert_array_equal(model.predict(X), again.predict(X))


def test_two_classes_have_their_pair():
    X, y = blobs(2)
    shared, own = classifier().fit(X, y), classifier(n_shared_models=0).fit(X, y)
    assert bits(shared, X) == bits(own, X)


@pytest.mark.parametrize(
    "parameters",
    [{}, {"n_shared_models": 2}, {"n_landmarks": 9, "n_pairs": 2}, {"n_draws": 2}],
    ids=str,
)
def test_threads_change_no_bit(parameters):
    X, y = blobs()
    one, two = (classifier(n_jobs=n, **parameters).fit(X, y) for n in (1, 3))
    assert bits(one, X) == bits(two, X)


def test_an_item_of_weight_two_is_an_item_given_twice():
    X, y = blobs(n_each=12)
    weights = np.ones(len(X))
    weights[::3] = 2
    twice = np.repeat(np.arange(len(X)), weights.astype(int))
    for n_shared_models in (2, 8):
        model = classifier(n_shared_models=n_shared_models)
        weighted = model.fit(X, y, sample_weight=weights).decision_function(X)
        given = model.fit(X[twice], y[twice]).decision_function(X)
        np.testing.assert_allclose(weighted, given, rtol=1e-4, atol=1e-4)


def test_items_without_label_have_no_part_in_the_models():
    X, y = blobs()
    with_more = classifier().fit(X, y, X_unlabeled=X[:9] + 40.0)
    without = classifier().fit(X, y)
    first, second = (m.pairs_[0].mapping.models for m in (with_more, without))
    # The columns are scaled by all items, with a label or not.
    assert [m.weights_.shape for m in first] == [m.weights_.shape for m in second]
    scaled = with_more.pairs_[0].preparation.apply(X + 40.0)
    assert max(m.log_likelihood(scaled).mean() for m in first) < -20


def test_the_models_do_not_see_what_a_certificate_keeps():
    X, y = blobs(3, n_each=40)
    model = classifier(certificate_fraction=0.4, certify_by="pac-bayes").fit(X, y)
    problem = model.problem(X, y)
    known = problem.seen_by_models(0.4, 0)
    scaled = model.pairs_[0].preparation.apply(problem.items)
    models = model.pairs_[0].mapping.models
    again = clone(models[0]).estimate(scaled[np.flatnonzero(known)])
    assert arrays_of(again) == arrays_of(models[0])
    assert [part.n_items for part in model.certificate_.certificates] == [48] * 3


def test_draws_leave_the_models_as_they_are():
    X, y = blobs()
    drawn, exact = classifier(n_draws=3).fit(X, y), classifier().fit(X, y)
    models = zip(drawn.pairs_[0].mapping.models, exact.pairs_[0].mapping.models, strict=True)
    assert all(arrays_of(one) == arrays_of(other) for one, other in models)
    assert drawn.score(X, y) > 0.9
    assert np.array_equal(drawn.decision_function(X[:7]), drawn.decision_function(X)[:7])


def test_the_models_of_a_map_draw_independently():
    # One mixture, whose components overlap, in all places.
    X = np.random.default_rng(0).normal(size=(200, 2))
    mapping = FeatureMap([DiagonalGMM(2, random_state=0).fit(X)] * 4, conditioned=False, clip=2.0)
    raw = mapping.raw(X, 1, np.arange(len(X), dtype=np.uint64))
    parts = [raw[:, mapping.columns_of(number)] for number in range(4)]
    for number, part in enumerate(parts):
        assert not any(np.array_equal(part, other) for other in parts[:number])


def test_a_class_with_one_item_is_learnt():
    X, y = blobs()
    y[0] = 99
    for n_shared_models in (2, 8):
        model = classifier(n_shared_models=n_shared_models).fit(X, y)
        assert 99 in model.classes_
        assert np.isfinite(model.decision_function(X)).all()


def test_what_needs_a_pair_is_refused():
    X, y = blobs()
    with pytest.raises(ValueError, match="coupling feeds one classifier back"):
        classifier(coupling=0.5, n_draws=2).fit(X, y)
    with pytest.raises(ValueError, match="the MAP classifier is of a pair"):
        classifier(prior="map").fit(X, y)
