"""Columns with outliers, missing codes and heavy tails are learnt from, whatever they hold."""

import numpy as np
import pytest

from sfmcore import SFMClassifier, SFMClassifierCV
from sfmcore.features.kernel_family import KernelFamily
from sfmcore.preparation.scaling import Scaling

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SMALL = {"n_components": (1, 2), "Cs": (8.0, 64.0), "cv": 3, "random_state": 0}


def ladder():
    """Sixty steps of one column, and one number far beyond them."""
    x = np.r_[np.linspace(0, 1, 60), 1000.0][:, None]
    return x, (x[:, 0] > 0.5).astype(int)


def coded(seed):
    """Normal columns with three in a hundred cells at the code -999."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(100, 4))
    y = (X[:, 0] > 0).astype(int)
    X[random.random(X.shape) < 0.03] = -999.0
    return X, y


def heavy(seed):
    random = np.random.default_rng(seed)
    X = np.exp(3.0 * random.normal(size=(100, 4)))
    return X, (X[:, 0] > 1.0).astype(int)


@pytest.mark.parametrize("gamma", [4.0, 1.0, 100.0])
def test_rows_that_nearly_coincide_leave_a_kernel_that_can_be_factorised(gamma):
    X, y = ladder()
    model = SFMClassifier(n_components=8, n_landmarks=1000, gamma=gamma, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9


def test_the_search_fits_a_ladder_with_its_defaults():
    X, y = ladder()
    assert SFMClassifierCV(random_state=0, n_jobs=2).fit(X, y).score(X, y) > 0.95


@pytest.mark.parametrize("make", [coded, heavy])
@pytest.mark.parametrize("seed", range(3))
def test_the_search_fits_codes_and_heavy_tails(make, seed):
    X, y = make(seed)
    assert SFMClassifierCV(**SMALL).fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize("scaling", ["standard", "power", "uniform", "normal"])
@pytest.mark.parametrize("size", [1e2, 1e4, 1e30])
def test_one_outlier_leaves_the_classifier_about_as_good(scaling, size):
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 2))
    y = (X.sum(1) > 0).astype(int)
    alone = SFMClassifier(scaling=scaling, random_state=0).fit(X[:200], y[:200])
    X[3, 0] = size
    model = SFMClassifier(scaling=scaling, random_state=0).fit(X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > alone.score(X[200:], y[200:]) - 0.07


def test_columns_without_such_outliers_are_standardised_as_ever():
    X = np.random.default_rng(0).normal(size=(200, 3)) ** 3
    scaling = Scaling.of(X, np.ones(200))
    assert np.all(scaling.low == np.finfo(float).min)
    assert np.all(scaling.high == np.finfo(float).max)
    np.testing.assert_allclose(scaling.mean, X.mean(0), rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(scaling.scale, X.std(0), rtol=1e-7)


def test_an_outlier_lies_thirty_quartile_distances_beyond_the_quartiles():
    X = np.r_[np.arange(101.0), 1e9][:, None]
    scaling = Scaling.of(X, np.ones(102))
    # Of 102 numbers the 26th is 25, the 77th 76.
    assert (scaling.low[0], scaling.high[0]) == (25.0 - 30 * 51.0, 76.0 + 30 * 51.0)
    assert scaling.scale[0] < 1000.0
    assert scaling.apply(np.array([[1e9]])) == scaling.apply(scaling.high[None])


def test_a_weight_of_two_is_a_row_given_twice_with_outliers_too():
    X = np.r_[np.random.default_rng(0).normal(size=(40, 2)), [[1e6, -1e7]]]
    weights = np.resize([1.0, 2.0], 41)
    one, other = (
        Scaling.of(X, weights),
        Scaling.of(np.repeat(X, weights.astype(int), 0), np.ones(61)),
    )
    for name in ("mean", "scale", "low", "high"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()


@pytest.mark.parametrize("kind", ["mixtures", "columns"])
def test_a_setting_that_can_not_be_computed_loses_the_search(monkeypatch, kind):
    X, y = coded(0)
    features = KernelFamily.features

    def fail(self, gamma):
        # Widths on the columns are for one of them.
        if kind == "mixtures" or gamma > 1.0 / X.shape[1]:
            raise np.linalg.LinAlgError("no root")
        return features(self, gamma)

    monkeypatch.setattr(KernelFamily, "features", fail)
    columns = {"gaussian_gamma": (1.0, 4.0), "laplacian_gamma": (), "n_landmarks": 0}
    grid = {"n_column_voters": 0} if kind == "mixtures" else {"n_column_voters": 1, **columns}
    model = SFMClassifierCV(**{**SMALL, "n_voters": 1, **grid}).fit(X, y)
    results = model.cv_results_
    if kind == "mixtures":
        assert model.best_params_["n_landmarks"] == 0
        failed = results["param_n_landmarks"] > 0
    else:
        assert model.voters_[-1]["gamma"] == 1.0
        failed = np.array(
            [
                params.get("kernel") is not None and params["gamma"] > 1
                for params in results["params"]
            ]
        )
    assert failed.any()
    assert np.all(results["mean_test_accuracy"][failed] == 0.0)
    assert np.all(results["mean_test_tandem_loss"][failed] == 1.0)


@pytest.mark.parametrize("scale", [1.0, 0.2])
def test_weights_of_the_size_of_counts_are_taken_without_a_word(scale, recwarn):
    X, y = ladder()
    SFMClassifier(n_components=1, random_state=0).fit(X, y, np.full(len(y), scale))
    assert not [w for w in recwarn if "sample_weight" in str(w.message)]


@pytest.mark.parametrize("scale", [1.0 / 61, 1e-30])
def test_weights_that_add_up_to_little_are_warned_of_at_the_callers_line(scale):
    X, y = ladder()
    with pytest.warns(UserWarning, match="sample_weight adds up to .* for 61 items") as caught:
        SFMClassifier(n_components=1, random_state=0).fit(X, y, np.full(len(y), scale))
    assert caught[0].filename == __file__
