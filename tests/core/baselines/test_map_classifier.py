"""MAP classification: Bayes' rule over generative models, in both strategies."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from sfmcore.baselines import MAPClassifier
from sfmcore.data.ragged import Ragged
from sfmcore.models.gmm import DiagonalGMM
from sfmcore.models.hmm import CategoricalHMM
from sfmcore.models.lda import LatentDirichletAllocation

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
STRATEGIES = pytest.mark.parametrize("strategy", ["multiclass", "one_versus_rest"])


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def bags(n_items, n_classes=3, seed=0):
    """Codes of six kinds, two of which each class likes."""
    random = np.random.default_rng(seed)
    labels = np.arange(n_items) % n_classes
    shares = [np.where(np.arange(6) // 2 == label, 0.35, 0.075) for label in range(n_classes)]
    items = [random.choice(6, random.integers(20, 40), p=shares[label]) for label in labels]
    return Ragged.from_items(items), labels


@STRATEGIES
@pytest.mark.parametrize(
    "model",
    [CategoricalHMM(2, 6, n_init=1, tol=1e-4), LatentDirichletAllocation(2, 6, n_sweeps=30)],
    ids=["hmm", "lda"],
)
def test_bags_of_codes_are_told_apart(model, strategy):
    train, labels = bags(60)
    test, truth = bags(60, seed=1)
    fitted = MAPClassifier(model, strategy=strategy, random_state=0).fit(train, labels)
    # Measured: 1.0 each time.
    assert fitted.score(test, truth) > 0.9


@STRATEGIES
def test_rows_are_told_apart(strategy, iris):
    X, y = iris
    model = MAPClassifier(DiagonalGMM(2), strategy=strategy, random_state=0)
    assert model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9


def test_posterior_of_one_gaussian_is_bayes_rule():
    random = np.random.default_rng(0)
    X = np.concatenate([random.normal(size=(30, 1)), 2 + random.normal(size=(10, 1))])
    y = np.repeat([0, 1], [30, 10])
    model = MAPClassifier(DiagonalGMM(1, variance_prior=0.0)).fit(X, y)
    new = np.linspace(-3, 5, 9)[:, None]
    joint = np.column_stack(
        [
            share * np.exp(-0.5 * ((new[:, 0] - part.mean()) / part.std()) ** 2) / part.std()
            for share, part in ((0.75, X[:30]), (0.25, X[30:]))
        ]
    )
    expected = joint / joint.sum(1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(new), expected, rtol=1e-8)
    np.testing.assert_allclose(
        model.decision_function(new), np.log(joint[:, 1] / joint[:, 0]), rtol=1e-8, atol=1e-8
    )


def test_two_classes_are_the_same_in_both_strategies(iris):
    X, y = iris
    scores = [
        MAPClassifier(DiagonalGMM(2), strategy=strategy, random_state=0)
        .fit(X, y == 1)
        .decision_function(X)
        for strategy in ("multiclass", "one_versus_rest")
    ]
    assert np.array_equal(*scores)
    model = MAPClassifier(DiagonalGMM(2), strategy="one_versus_rest", random_state=0)
    model.fit(X, y == 1)
    assert model.rest_models_[1] is model.models_[0]


def test_rest_is_all_other_classes(iris):
    X, y = iris
    model = MAPClassifier(DiagonalGMM(1), strategy="one_versus_rest").fit(X, y)
    for number in range(3):
        np.testing.assert_allclose(model.models_[number].means_[0], X[y == number].mean(0))
        np.testing.assert_allclose(model.rest_models_[number].means_[0], X[y != number].mean(0))
    scores = model.decision_function(X)
    expected = (
        model.models_[2].log_likelihood(X)
        - model.rest_models_[2].log_likelihood(X)
        + np.log(1 / 3)
        - np.log(2 / 3)
    )
    np.testing.assert_allclose(scores[:, 2], expected)


@STRATEGIES
def test_probabilities_are_shares_and_rank_as_the_scores(strategy, iris):
    X, y = iris
    model = MAPClassifier(DiagonalGMM(2), strategy=strategy, random_state=0)
    shares = model.fit(X, y).predict_proba(np.vstack([X, [[1e9] * 4]]))
    np.testing.assert_allclose(shares.sum(1), 1.0)
    assert np.array_equal(shares[:-1].argmax(1), model.predict(X))
    two = clone(model).fit(X, y == 2)
    assert np.array_equal(two.predict_proba(X)[:, 1] > 0.5, two.predict(X))


def test_a_frequent_class_wins_where_items_say_nothing():
    data = Ragged.from_items([[0, 1], [1, 0], [0, 1], [2, 2]])
    model = MAPClassifier(CategoricalHMM(1, 3), random_state=0).fit(data, ["b", "b", "b", "a"])
    assert model.class_prior_.tolist() == [0.25, 0.75]
    assert model.predict([[]]).tolist() == ["b"]
    np.testing.assert_allclose(model.predict_proba([[]]), [[0.25, 0.75]])


@STRATEGIES
def test_same_seed_gives_the_same_bits_whatever_the_number_of_threads(strategy):
    data, labels = bags(30)
    bits = [
        MAPClassifier(CategoricalHMM(2, 6), strategy=strategy, random_state=0, n_jobs=jobs)
        .fit(data, labels)
        .decision_function(data)
        .tobytes()
        for jobs in (None, 2)
    ]
    assert bits[0] == bits[1]


@pytest.mark.parametrize(
    ("name", "value"),
    [("model", DiagonalGMM), ("strategy", "ovr"), ("n_jobs", 0), ("random_state", -1)],
)
def test_bad_parameters_are_refused_by_name(name, value, iris):
    with pytest.raises(ValueError, match=f"^{name} must"):
        MAPClassifier(**{"model": DiagonalGMM(1), name: value}).fit(*iris)


def test_bad_labels_are_refused(iris):
    X, _ = iris
    with pytest.raises(ValueError, match="at least two classes"):
        MAPClassifier(DiagonalGMM(1)).fit(X, ["only"] * len(X))
    with pytest.raises(ValueError, match="X has 150 items"):
        MAPClassifier(DiagonalGMM(1)).fit(X, [0, 1])
    with pytest.raises(NotFittedError):
        MAPClassifier(DiagonalGMM(1)).predict(X)
