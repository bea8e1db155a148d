"""scikit-learn's contract, and inputs of every kind, for the estimators of vectors."""

import pickle

import numpy as np
import pytest
from joblib import parallel_backend
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, PredefinedSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from sfmcore import SFMClassifier, SFMClassifierCV, StochasticFeatureMap
from sfmcore.features.column_kernel import ColumnKernel
from sfmcore.learning.vote import class_shares

DRAWS_OF_ITEMS = "a repeated item has draws of its own, an item of weight 2 has its own twice"
SMALL_CV = {
    "n_components": (1, 2),
    "n_landmarks": (0, 20),
    "gamma": 1.0,
    "Cs": (2.0, 32.0),
    "clip": 2.0,
    "scaling": "standard",
    "cv": 3,
    "n_voters": 2,
    "n_column_voters": 1,
    "column_scaling": "uniform",
    "column_landmarks": 20,
    "gaussian_gamma": (),
    "laplacian_gamma": (0.5, 2.0),
}
EXACT = {"n_components": 2, "random_state": 0}
DRAWS = {**EXACT, "n_draws": 2, "max_iter": 3}
COUPLED = {**DRAWS, "coupling": 1.0}
SPLIT = {**EXACT, "certificate_fraction": 0.4, "certify_by": "pac-bayes"}
KERNEL = ColumnKernel("laplacian", n_landmarks=40)
ON_COLUMNS = {"scaling": "uniform", "random_state": 0}
MAKERS = {
    "exact": lambda **more: SFMClassifier(**{**EXACT, **more}),
    "draws": lambda **more: SFMClassifier(**{**DRAWS, **more}),
    "coupled": lambda **more: SFMClassifier(**{**COUPLED, **more}),
    "pairs": lambda **more: SFMClassifier(**{**EXACT, "n_pairs": 2, "conditioning": True, **more}),
    "power": lambda **more: SFMClassifier(**{**EXACT, "scaling": "power", **more}),
    "ranks": lambda **more: SFMClassifier(**{**EXACT, "scaling": "normal", **more}),
    "columns": lambda **more: SFMClassifier(KERNEL, **{**ON_COLUMNS, **more}),
    "certified": lambda **more: SFMClassifier(**{**SPLIT, **more}),
    "cv": lambda **more: SFMClassifierCV(**{**SMALL_CV, "random_state": 0, **more}),
}
EVERY = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
# For what every maker does by the same code, or nearly: one of each kind, the others with the long.
KINDS = ("exact", "coupled", "columns", "cv")
SOME = pytest.mark.parametrize(
    "make",
    [
        pytest.param(make, id=name, marks=() if name in KINDS else pytest.mark.long)
        for name, make in MAKERS.items()
    ],
)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def expected_failures(estimator):
    reasons = {}
    conditioned = getattr(estimator, "conditioning", None)
    if estimator.n_draws == 2 or (estimator.n_draws == 3 and conditioned):
        reasons["check_sample_weight_equivalence_on_dense_data"] = DRAWS_OF_ITEMS
    return reasons


CHEAP_CV = {
    **SMALL_CV,
    "n_components": 1,
    "Cs": 8.0,
    "cv": 2,
    "n_landmarks": 0,
    "n_voters": 1,
    "laplacian_gamma": 1.0,
}


@parametrize_with_checks(
    [
        SFMClassifier(n_components=1, n_init=1),
        SFMClassifierCV(**CHEAP_CV),
        StochasticFeatureMap(n_components=1, n_init=1),
    ]
)
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


# Five hundred checks of what differs from the above in few steps of a fit.
@pytest.mark.long
@parametrize_with_checks(
    [
        SFMClassifier(),
        SFMClassifier(conditioning=True, n_pairs=2, vote="raw"),
        SFMClassifier(scaling=None, C="bound"),
        SFMClassifier(scaling="power"),
        SFMClassifier(scaling="normal"),
        SFMClassifier(n_landmarks=20),
        SFMClassifier(ColumnKernel("laplacian", n_landmarks=20), scaling="uniform"),
        SFMClassifier(n_draws=2, coupling=1.0, max_iter=3),
        SFMClassifierCV(**SMALL_CV),
        SFMClassifierCV(**SMALL_CV, scoring="accuracy", vote="normalised"),
        StochasticFeatureMap(),
        StochasticFeatureMap(n_draws=3, conditioning=True),
    ],
    expected_failed_checks=expected_failures,
)
def test_contract_of_scikit_learn_with_other_settings(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X[::3], y[::3]


def bits(model, X):
    return model.predict_proba(X).tobytes(), model.decision_function(X).tobytes()


# Accuracy and labels


@EVERY
def test_wine_is_told_apart(make, wine):
    X, y = wine
    # Measured: 0.93 to 0.99; the largest class alone would be right on 0.40.
    assert make().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.88


@pytest.mark.parametrize(
    "names",
    [
        np.array(["a", "b", "c"]),
        np.array(["x", "yy", "zzz"], dtype=object),
        np.array([-5, 0, 7]),
        np.array([0.0, 1.0, 4.0]),
    ],
    ids=["str", "object", "int", "float"],
)
def test_labels_of_any_kind_come_back_as_they_were(names, iris):
    X, y = iris
    plain, named = (SFMClassifier(**EXACT).fit(X, labels) for labels in (y, names[y]))
    assert named.classes_.tolist() == names.tolist()
    assert named.predict(X).dtype == names.dtype
    assert np.array_equal(named.predict(X), names[plain.predict(X)])


@EVERY
def test_probabilities_are_shares_and_rank_as_the_scores_do_for_two_classes(make, iris):
    X, y = iris
    model = make().fit(X, y == 2)
    shares, scores = model.predict_proba(X), model.decision_function(X)
    assert shares.shape == (len(X), 2)
    assert scores.shape == (len(X),)
    assert np.all((shares >= 0) & (shares <= 1))
    np.testing.assert_allclose(shares.sum(1), 1.0)
    assert np.array_equal(shares[:, 1] > 0.5, scores > 0)
    assert np.array_equal(model.predict(X), scores > 0)


def test_probabilities_sum_to_one_where_every_class_loses_by_far():
    margins = [np.array([[-50.0, -60.0], [-38.0, -38.0], [1.0, 1.0]])] * 2
    shares = class_shares([*margins, margins[0] - 9.0])
    np.testing.assert_allclose(shares.sum(1), 1.0)
    np.testing.assert_allclose(shares[:2], [[0.5, 0.5, 0.0]] * 2, atol=1e-12)


# Folds of the user


@pytest.mark.parametrize("without_label", [False, True])
@pytest.mark.parametrize("fraction", [0.0, 0.4])
def test_a_predefined_split_names_rows_of_X(without_label, fraction, iris):
    X, y = iris
    split = PredefinedSplit(np.arange(len(X)) % 3)
    y = [None if without_label and k % 4 == 0 else label for k, label in enumerate(y.tolist())]
    grid = {**SMALL_CV, "certificate_fraction": fraction, "random_state": 0}
    one = SFMClassifierCV(**{**grid, "cv": split}).fit(X, y)
    same = SFMClassifierCV(**{**grid, "cv": list(split.split())}).fit(X, y)
    assert np.array_equal(one.decision_function(X), same.decision_function(X))


def test_no_cv_means_five_folds(iris):
    assert SFMClassifierCV(**{**SMALL_CV, "cv": None}, random_state=0).fit(*iris).n_splits_ == 5


def test_a_generator_of_folds_that_is_used_up_is_refused(iris):
    model = SFMClassifierCV(**{**SMALL_CV, "cv": KFold(3, shuffle=True).split(iris[0])})
    model.fit(*iris)
    with pytest.raises(ValueError, match="cv has no fold"):
        model.fit(*iris)


# The same bits


@EVERY
def test_same_seed_gives_the_same_bits_whatever_the_number_of_threads(make, iris):
    X, y = iris
    one, two, five = (bits(make(n_jobs=jobs).fit(X, y), X) for jobs in (None, 2, 5))
    assert one == two == five


@pytest.mark.parametrize("parameters", [{}, {"n_draws": 3}], ids=["exact", "draws"])
def test_features_have_the_same_bits_whatever_the_number_of_threads(parameters, iris):
    X, y = iris
    one, two = (
        StochasticFeatureMap(n_components=2, random_state=0, n_jobs=jobs, **parameters)
        .fit(X, y)
        .transform(X)
        for jobs in (1, 2)
    )
    assert one.tobytes() == two.tobytes()


@SOME
def test_another_seed_gives_other_bits(make, iris):
    X, y = iris
    assert bits(make().fit(X, y), X) != bits(make(random_state=1).fit(X, y), X)


@SOME
def test_an_items_result_does_not_depend_on_its_neighbours(make, iris):
    X, y = iris
    model = make().fit(X, y)
    order = np.random.default_rng(0).permutation(len(X))
    assert model.predict_proba(X[order]).tobytes() == model.predict_proba(X)[order].tobytes()
    assert model.predict_proba(X[7:8]).tobytes() == model.predict_proba(X)[7:8].tobytes()


@EVERY
def test_pickle_and_clone_keep_what_they_should(make, iris):
    X, y = iris
    model = make().fit(X, y)
    assert bits(pickle.loads(pickle.dumps(model)), X) == bits(model, X)
    assert not hasattr(clone(model), "classes_")
    assert bits(clone(model).fit(X, y), X) == bits(model, X)


@pytest.mark.slow
@SOME
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_workers_of_joblib_give_the_same_accuracies(make, backend, iris):
    X, y = iris
    here = cross_val_score(make(), X, y, cv=2)
    with parallel_backend(backend, n_jobs=2):
        there = cross_val_score(make(), X, y, cv=2, n_jobs=2)
    assert here.tolist() == there.tolist()


# Among scikit-learn's tools


def test_grid_search_over_a_parameter(iris):
    X, y = iris
    search = GridSearchCV(SFMClassifier(**EXACT), {"n_components": [1, 2], "C": [1.0, 50.0]}, cv=2)
    search.fit(X, y)
    assert search.best_score_ > 0.85
    assert set(search.best_params_) == {"n_components", "C"}


def test_feature_map_feeds_another_classifier(wine):
    X, y = wine
    pipeline = make_pipeline(
        StochasticFeatureMap(n_components=2, random_state=0),
        LogisticRegression(C=100.0, max_iter=2000),
    )
    assert pipeline.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9


def test_features_are_those_that_the_classifier_is_linear_in(iris):
    X, y = iris
    labels = y == 1
    features = StochasticFeatureMap(n_components=2, random_state=0).fit(X, labels).transform(X)
    model = SFMClassifier(n_components=2, random_state=0).fit(X, labels)
    np.testing.assert_allclose(
        features @ model.pairs_[0].u, model.decision_function(X), rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(np.sum(features**2, axis=1), 1.0, rtol=1e-5)


def test_drawn_features_approach_the_expected_ones_of_their_rows(iris):
    X, y = iris
    few, many = (
        StochasticFeatureMap(n_components=2, n_draws=n, random_state=0).fit(X, y).transform(X)
        for n in (400, 800)
    )
    # A mean of 400 rows whose entries lie in [-1, 1]: a deviation of at most 0.05.
    assert np.abs(few - many).max() < 0.35
    assert not np.array_equal(few, many)


def test_a_seed_of_more_than_64_bits_is_taken(iris):
    model = StochasticFeatureMap(n_components=1, n_draws=2, random_state=2**70).fit(*iris)
    assert np.isfinite(model.transform(iris[0])).all()


def test_names_of_the_features_hold_the_names_of_classes_and_columns(iris):
    pandas = pytest.importorskip("pandas")
    X, y = iris
    frame = pandas.DataFrame(X, columns=["a", "b", "c", "d"])
    species = np.array(["one", "two", "three"])[y]
    features = StochasticFeatureMap(n_components=2, random_state=0).set_output(transform="pandas")
    out = features.fit(frame, species).transform(frame)
    assert out.shape == (len(X), 3 * (2 * 2 * (2 + 2 * 4) + 1))
    assert out.columns.is_unique
    assert {"one+ component0 a", "two- component1 d^2", "three constant"} <= set(out.columns)
    assert features.feature_names_in_.tolist() == ["a", "b", "c", "d"]


def test_frames_with_other_columns_are_refused(iris):
    pandas = pytest.importorskip("pandas")
    X, y = iris
    frame = pandas.DataFrame(X, columns=list("abcd"))
    model = SFMClassifier(**EXACT).fit(frame, y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[list("dcba")])


# Inputs of every kind


@SOME
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused_in_fit_and_predict(make, value, iris):
    X, y = iris
    spoilt = X.copy()
    spoilt[3, 1] = value
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        make().fit(spoilt, y)
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        make().fit(X, y).predict(spoilt)


@pytest.mark.parametrize("make", [*MAKERS.values(), StochasticFeatureMap], ids=[*MAKERS, "map"])
def test_sparse_matrices_are_refused_in_scikit_learns_words(make, iris):
    X, y = iris
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        make().fit(sparse.csr_matrix(X), y)


@SOME
def test_memory_order_type_and_write_permission_change_nothing(make, iris):
    X, y = iris
    X = X.astype(np.float32).astype(np.float64)
    expected = bits(make().fit(X, y), X)
    read_only = X.copy()
    read_only.flags.writeable = False
    wide = np.zeros((2 * len(X), 9))
    wide[::2, 1:9:2] = X
    for other in (
        np.asfortranarray(X),
        read_only,
        wide[::2, 1:9:2],
        X.astype(np.float32),
        X.tolist(),
    ):
        assert bits(make().fit(other, y), other) == expected


@SOME
def test_a_constant_column_changes_no_label(make, iris):
    X, y = iris
    padded = np.column_stack([X, np.full(len(X), 7e7)])
    model = make().fit(padded, y)
    assert np.all(np.isfinite(model.decision_function(padded)))
    assert model.score(padded, y) > 0.85
    # What it holds later does not matter either: nothing was learnt about it.
    other = padded.copy()
    other[:, -1] = -3.0
    assert np.array_equal(model.predict(other), model.predict(padded))


def test_constant_columns_are_named():
    X = np.column_stack([np.arange(8.0), np.ones(8), np.arange(8.0) ** 2])
    model = SFMClassifier(n_components=1, random_state=0).fit(X, np.arange(8) % 2)
    assert model.pairs_[0].preparation.constant.tolist() == [False, True, False]


@SOME
def test_all_columns_constant_gives_finite_scores(make):
    X, y = np.ones((24, 3)), np.arange(24) % 3
    model = make().fit(X, y)
    assert np.all(np.isfinite(model.decision_function(X)))
    assert len(set(model.predict(X).tolist())) == 1


@SOME
def test_duplicated_rows_are_no_trouble(make, iris):
    X, _ = iris
    model = make().fit(np.repeat(X[:6], 8, axis=0), np.repeat([0, 1, 0, 1, 0, 1], 8))
    assert np.all(np.isfinite(model.decision_function(X)))


@SOME
def test_huge_offsets_in_single_precision_cost_no_accuracy(make, iris):
    X, y = iris
    # Steps of 1/16 at 1e6 are still exact in float32.
    near = np.round(X * 16) / 16
    far = (near + 1e6).astype(np.float32)
    assert np.array_equal(make().fit(near, y).predict(near), make().fit(far, y).predict(far))


def test_a_column_of_two_far_values_has_the_right_deviation():
    # Single precision with one pass would give a negative variance here.
    X = np.array([[9999.0], [0.0]] * 6, dtype=np.float32)
    model = SFMClassifier(n_components=1, random_state=0).fit(X, [1, 0] * 6)
    np.testing.assert_allclose(model.pairs_[0].preparation.scale, 4999.5, rtol=1e-8)
    assert model.score(X, [1, 0] * 6) == 1.0


@pytest.mark.parametrize("size", [1e-300, 1e-30, 1e30, 1e300])
def test_the_scale_of_the_columns_does_not_matter(size, iris):
    X, y = iris
    plain, scaled = (SFMClassifier(**EXACT).fit(Z, y).predict(Z) for Z in (X, X * size))
    assert np.mean(plain == scaled) > 0.97


def test_numbers_whose_squares_overflow_are_refused_where_nothing_scales_them(iris):
    X, y = iris
    with pytest.raises(ValueError, match="scale it, or set scaling='standard'"):
        SFMClassifier(**EXACT, scaling=None).fit(X * 1e30, y)


@SOME
def test_an_item_far_from_all_others_gets_a_label(make, iris):
    X, y = iris
    model = make().fit(X, y)
    far = np.array([[1e12, -1e12, 1e15, 1e-300], [1e300] * 4, [-1e300] * 4])
    assert np.all(np.isfinite(model.decision_function(far)))
    np.testing.assert_allclose(model.predict_proba(far).sum(1), 1.0)


@pytest.mark.parametrize("name", ["exact", "draws", "coupled", "pairs", "columns", "cv"])
def test_a_class_of_one_item_trains(name, iris):
    X, y = iris
    labels = np.where(np.arange(len(y)) == 5, 9, y)
    model = MAKERS[name]().fit(X, labels)
    assert model.classes_.tolist() == [0, 1, 2, 9]
    assert np.all(np.isfinite(model.decision_function(X)))


@pytest.mark.parametrize("name", ["exact", "draws", "coupled", "pairs", "columns", "cv"])
def test_one_item_of_each_of_two_classes_is_enough(name):
    X = np.array([[0.0, 0.0], [1.0, 2.0]])
    model = MAKERS[name]()
    if name == "cv":
        with pytest.warns(UserWarning, match="nothing can be cross-validated"):
            model.fit(X, ["a", "b"])
    else:
        model.fit(X, ["a", "b"])
    assert model.predict(X).tolist() == ["a", "b"]


@SOME
def test_more_columns_than_rows_is_no_trouble(make):
    random = np.random.default_rng(0)
    y = np.arange(24) % 2
    X = random.normal(size=(24, 200)) + y[:, None]
    model = make().fit(X, y)
    assert model.score(X, y) > 0.9
    new = random.normal(size=(40, 200)) + (np.arange(40) % 2)[:, None]
    assert model.score(new, np.arange(40) % 2) > 0.9


@EVERY
def test_one_class_is_refused(make, iris):
    X, _ = iris
    with pytest.raises(ValueError, match="at least two classes are needed, y has 1 class, 'only'"):
        make().fit(X, ["only"] * len(X))


@SOME
def test_unlabelled_items_in_y_are_those_of_X_unlabeled(make, iris):
    X, y = iris
    labels = np.array(["a", "b", "c"], dtype=object)[y]
    extra = X[:9] + 0.05
    marked = np.append(labels, [None] * 9)
    apart = make().fit(X, labels, X_unlabeled=extra)
    together = make().fit(np.vstack([X, extra]), marked)
    assert bits(apart, X) == bits(together, X)
    assert together.classes_.tolist() == ["a", "b", "c"]
    assert bits(apart, X) != bits(make().fit(X, labels), X)


@SOME
def test_minus_one_beside_other_numbers_is_refused_with_the_way_out(make, iris):
    X, y = iris
    with pytest.raises(ValueError, match="set unlabeled=-1; if it is a class, set unlabeled=None"):
        make().fit(X, y - 1)
    assert make(unlabeled=None).fit(X, y - 1).classes_.tolist() == [-1, 0, 1]
    assert make(unlabeled=-1).fit(X, y - 1).classes_.tolist() == [0, 1]


@SOME
def test_labels_of_plus_and_minus_one_are_two_classes(make, iris):
    X, y = iris
    labels = np.where(y == 0, 1, -1)
    assert make().fit(X, labels).classes_.tolist() == [-1, 1]
    with pytest.raises(ValueError, match=r"unlabeled=-1 removed .* if -1 is a class"):
        make(unlabeled=-1).fit(X, labels)


@pytest.mark.parametrize("make", [*MAKERS.values(), StochasticFeatureMap], ids=[*MAKERS, "map"])
def test_what_is_not_fitted_says_so(make, iris):
    X, _ = iris
    model = make()
    with pytest.raises(NotFittedError):
        (model.transform if hasattr(model, "transform") else model.predict)(X)


# Parameters


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_components", -1),
        ("n_components", 0),
        ("n_components", 1.5),
        ("scaling", "yes"),
        ("n_init", 0),
        ("em_max_iter", 0),
        ("em_tol", -1.0),
        ("n_pairs", 0),
        ("C", 0.0),
        ("certificate_fraction", 1.0),
        ("random_state", -1),
    ],
)
def test_bad_parameters_are_refused_by_name_when_fitted(name, value, iris):
    X, y = iris
    with pytest.raises(ValueError, match=f"^{name} must"):
        SFMClassifier(**{name: value}).fit(X, y)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("n_components", (), "n_components must hold at least one value"),
        ("n_components", (1, 0), "n_components must be a whole number"),
        ("Cs", (1.0, -1.0), "Cs must be a number above 0"),
        ("Cs", "bound", "Cs must be a number above 0"),
        ("coupling", (0.0, 2.0), "coupling must be"),
        ("scoring", "f1", "scoring must be"),
        ("n_voters", 0, "n_voters must be"),
        ("em_max_iter", 0, "em_max_iter must be"),
        ("cv", 1, "cv must be"),
        ("cv", "five", "Expected `?cv`? as an integer"),
        ("cv", [], "cv has no fold"),
    ],
)
def test_bad_grids_are_refused_by_name_when_fitted(name, value, message, iris):
    X, y = iris
    grid = {**SMALL_CV, "n_draws": ("exact", 2), name: value}
    with pytest.raises(ValueError, match=message):
        SFMClassifierCV(**grid).fit(X, y)


@pytest.mark.filterwarnings("default::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("make", [MAKERS["exact"], MAKERS["cv"]], ids=["exact", "cv"])
def test_convergence_is_warned_of_once(make, iris, recwarn):
    X, y = iris
    make(em_max_iter=1, em_tol=0.0).fit(X, y)
    texts = [str(w.message) for w in recwarn if w.category is ConvergenceWarning]
    assert len(texts) == 1
    assert "stopped at the largest number of iterations" in texts[0]
