"""A generative model of a user's own works wherever those of the package do."""

import numpy as np
import pytest
from scipy.special import gammaln
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from sfmcore import SFMClassifier, StochasticFeatureMap
from sfmcore.baselines import FESS, FisherScore, MAPClassifier, free_energy_terms
from sfmcore.data.errors import ModelFileError
from tests.core.poisson import PoissonMixture

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RATES = {
    "a": [(1, 8, 3, 3), (20, 2, 3, 3)],
    "b": [(8, 1, 3, 3), (2, 20, 3, 3)],
    "c": [(6, 6, 9, 1)],
}


def counts(n_items, seed):
    """Rows of counts of three classes; two of them have two kinds of rows."""
    random = np.random.default_rng(seed)
    labels = np.resize(list(RATES), n_items)
    rows = [random.poisson(RATES[label][random.integers(len(RATES[label]))]) for label in labels]
    return np.array(rows, dtype=float), labels


X, Y = counts(150, seed=0)
TEST_X, TEST_Y = counts(150, seed=1)


def test_the_model_fits_the_protocol_in_eighty_lines():
    from tests.core import poisson

    with open(poisson.__file__) as file:
        assert sum(bool(line.strip()) for line in file) <= 80


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"n_draws": 5},
        {"n_draws": 3, "coupling": 1.0, "max_iter": 3},
        {"conditioning": True, "n_landmarks": 30},
        {"prior": "map"},
        {"n_pairs": 2, "certificate_fraction": 0.4},
    ],
)
def test_it_classifies(parameters):
    model = SFMClassifier(PoissonMixture(2), random_state=0, **parameters).fit(X, Y)
    assert model.score(TEST_X, TEST_Y) > 0.8
    same = SFMClassifier(PoissonMixture(2), random_state=0, n_jobs=2, **parameters).fit(X, Y)
    assert model.decision_function(TEST_X).tobytes() == same.decision_function(TEST_X).tobytes()


def test_it_gets_counts_as_they_are_and_not_standardised_columns():
    model = SFMClassifier(PoissonMixture(1), random_state=0).fit(X, Y)
    rates = model.pairs_[0].mapping.positive.rates_[0]
    np.testing.assert_allclose(rates, X[Y == "a"].mean(0), rtol=0.05)


def test_its_parameters_are_searched_by_cross_validation():
    search = GridSearchCV(
        SFMClassifier(PoissonMixture(1), random_state=0), {"model__n_components": [1, 2]}, cv=3
    ).fit(X, Y)
    assert search.best_params_ == {"model__n_components": 2}
    assert search.score(TEST_X, TEST_Y) > 0.8


def test_it_votes_next_to_another_of_its_kind():
    model = SFMClassifier([PoissonMixture(1), PoissonMixture(2)], random_state=0).fit(X, Y)
    assert [len(pair.mapping.positive.weights_) for pair in model.pairs_] == [1, 2] * 3
    assert model.score(TEST_X, TEST_Y) > 0.8


@pytest.mark.parametrize("n_draws", ["exact", 4])
def test_its_features_serve_any_classifier(n_draws):
    features = StochasticFeatureMap(PoissonMixture(2), n_draws=n_draws, random_state=0)
    model = make_pipeline(features, LogisticRegression(C=100.0, max_iter=5000)).fit(X, Y)
    assert model.score(TEST_X, TEST_Y) > 0.8
    assert features.get_feature_names_out()[0] == "a+ feature0"


@pytest.mark.parametrize("space", [FESS, FisherScore])
def test_its_score_spaces_serve_any_classifier(space):
    vectors = space(PoissonMixture(2), random_state=0)
    model = make_pipeline(vectors, LogisticRegression(C=100.0, max_iter=5000)).fit(X, Y)
    assert model.score(TEST_X, TEST_Y) > 0.8


def test_its_free_energy_is_log_p_but_for_what_no_parameter_touches():
    model = PoissonMixture(2, random_state=0).fit(X)
    terms = sum(block.sum(1) for block in free_energy_terms(model, X).values())
    # float32 features of counts up to 20 or so, times logarithms.
    expected = model.log_likelihood(X) + gammaln(X + 1.0).sum(1)
    np.testing.assert_allclose(terms, expected, rtol=1e-5)


def test_it_is_a_map_classifier():
    model = MAPClassifier(PoissonMixture(2), random_state=0).fit(X, Y)
    assert model.score(TEST_X, TEST_Y) > 0.8


@pytest.mark.parametrize("parameters", [{}, {"n_landmarks": 20}, {"n_draws": 3, "n_pairs": 2}])
def test_it_is_saved_and_loaded(tmp_path, parameters):
    model = SFMClassifier(PoissonMixture(2), random_state=0, **parameters).fit(X, Y)
    model.save(tmp_path / "counts.sfm")
    again = SFMClassifier.load(tmp_path / "counts.sfm", types=[PoissonMixture])
    assert again.models[0].get_params() == PoissonMixture(2).get_params()
    assert model.predict_proba(TEST_X).tobytes() == again.predict_proba(TEST_X).tobytes()


def test_a_file_with_a_model_that_nobody_knows_is_refused(tmp_path):
    SFMClassifier(PoissonMixture(1), random_state=0).fit(X, Y).save(tmp_path / "counts.sfm")
    with pytest.raises(ModelFileError, match=r"names 'PoissonMixture'.* pass its class in types"):
        SFMClassifier.load(tmp_path / "counts.sfm")
