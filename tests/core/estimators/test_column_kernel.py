"""The kernel on the columns: against scikit-learn's, as a map, and in the estimators."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

from sfmcore import SFMClassifier, SFMClassifierCV, StochasticFeatureMap
from sfmcore.bounds.objective import Objective
from sfmcore.features.column_kernel import ColumnKernel
from sfmcore.features.kernel_functions import gaussian, laplacian
from sfmcore.files.objects import put_together, taken_apart
from sfmcore.learning.search import mean_direction, minimise, surrogate_minimum
from sfmcore.models.gmm import DiagonalGMM

KERNELS = {"gaussian": (gaussian, rbf_kernel), "laplacian": (laplacian, laplacian_kernel)}
BOTH = pytest.mark.parametrize("name", KERNELS)
COLUMNS = {"C": 100.0, "random_state": 0}


def rows_of(n_rows=40, n_columns=5, seed=0):
    return np.random.default_rng(seed).normal(size=(n_rows, n_columns))


def map_of(rows, weights=None, *, name="laplacian", n_landmarks=100, gamma=1.0, seed=0):
    weights = np.ones(len(rows)) if weights is None else np.asarray(weights, dtype=float)
    kernel = ColumnKernel(name, n_landmarks=n_landmarks, gamma=gamma)
    return kernel.map_of(rows, weights, seed=seed)


def same_map(one, other):
    return np.array_equal(one.kernel.landmarks, other.kernel.landmarks) and np.array_equal(
        one.kernel.weights, other.kernel.weights
    )


def on_columns(name="gaussian", *, gamma=1.0, n_landmarks=60, **parameters):
    """A classifier whose features are a kernel's on the columns."""
    kernel = ColumnKernel(name, gamma=gamma, n_landmarks=n_landmarks)
    return SFMClassifier(kernel, **{**COLUMNS, **parameters})


def chessboard(n_items=240, seed=0):
    """Two classes that differ in no column by itself."""
    X = np.random.default_rng(seed).uniform(-1, 1, (n_items, 2))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


# The kernels


@BOTH
@pytest.mark.parametrize("n_rows", [0, 1, 63, 64, 65, 200])
def test_kernels_are_those_of_scikit_learn(name, n_rows):
    ours, theirs = KERNELS[name]
    rows, points = rows_of(n_rows), rows_of(17, seed=1)
    made = ours(rows, points, 0.3, 1)
    assert made.dtype == np.float32
    assert made.shape == (n_rows, 17)
    if n_rows:
        np.testing.assert_allclose(made, theirs(rows, points, gamma=0.3), rtol=2e-6)


@BOTH
def test_a_row_has_the_same_bits_in_any_batch_and_by_any_number_of_threads(name):
    rows, points = rows_of(150, 7), rows_of(33, 7, seed=1)
    kernel = KERNELS[name][0]
    whole = kernel(rows, points, 0.2, 1)
    assert np.array_equal(whole, kernel(rows, points, 0.2, 2))
    assert np.array_equal(whole[7:93], kernel(rows[7:93], points, 0.2, 1))
    for row in (0, 63, 64, 149):
        assert np.array_equal(whole[row : row + 1], kernel(rows[row : row + 1], points, 0.2, 1))


@BOTH
def test_rows_far_from_all_points_have_a_kernel_of_nothing(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = KERNELS[name][0](np.array([[1e9, -1e9], [1e18, 0.0]]), np.zeros((1, 2)), 9.0, 1)
    assert not made.any()


# The map


@BOTH
def test_landmarks_have_the_kernel_itself_with_gamma_shared_by_the_columns(name):
    rows = rows_of()
    made = map_of(rows, name=name, gamma=1.5).features(rows).astype(float)
    expected = KERNELS[name][1](rows, gamma=1.5 / 5)
    np.testing.assert_allclose(2.0 * made @ made.T - 1.0, expected, atol=2e-3)


@BOTH
def test_scores_are_those_of_the_features(name):
    rows, new = rows_of(60), rows_of(30, seed=4)
    mapping = map_of(rows, name=name, n_landmarks=30)
    u = np.random.default_rng(0).normal(size=mapping.n_features)
    (scores,), constants = mapping.scores(new, "exact", None, [mapping.kernel.dual(u)])
    made = mapping.features(new).astype(float)
    np.testing.assert_allclose(scores, made @ u, atol=2e-4 * np.linalg.norm(u))
    assert np.array_equal(constants, mapping.features(new)[:, -1])
    assert np.all(np.linalg.norm(made, axis=1) < 1.0 + 1e-5)


def test_order_and_repetition_of_rows_change_no_landmark_and_weight_zero_is_not_seen():
    rows = rows_of()
    rows[3, 1] = 0.0
    expected = map_of(rows, n_landmarks=12, seed=7)
    again = np.concatenate([rows[::-1], rows[3:9]])
    again[40, 1] = -0.0
    assert same_map(map_of(again, n_landmarks=12, seed=7), expected)
    more = np.concatenate([rows_of(9, seed=5), rows])
    seen = np.repeat([0.0, 2.0], [9, 40])
    assert same_map(map_of(more, seen, n_landmarks=12, seed=7), expected)
    assert not same_map(map_of(rows, n_landmarks=12, seed=8), expected)


def test_equal_rows_leave_one_landmark_and_have_equal_keys():
    rows = np.zeros((6, 3))
    mapping = map_of(rows, n_landmarks=5)
    assert mapping.n_features == 2
    assert mapping.feature_names() == ["kernel0", "constant"]
    keys = mapping.content_keys(np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0]]))
    assert keys[0] == keys[1] != keys[2]


# The classifier


@BOTH
def test_a_kernel_on_the_columns_learns_what_no_column_says_alone(name):
    X, y = chessboard()
    new, truth = chessboard(seed=1)
    model = on_columns(name, gamma=4.0).fit(X, y)
    # Measured: 0.95 and 0.94.
    assert model.score(new, truth) > 0.9
    assert model.pairs_[0].mapping.models == ()


@pytest.mark.parametrize("scaling", ["standard", "power", "uniform", "normal", None])
def test_the_kernel_sees_the_columns_as_they_were_scaled(scaling):
    X, y = chessboard(80)
    model = on_columns(scaling=scaling, gamma=3.0).fit(np.exp(X), y)
    pair = model.pairs_[0]
    rows = pair.preparation.apply(np.exp(X))
    landmarks = pair.mapping.kernel.landmarks
    assert len(landmarks) == 60
    dual = pair.weights
    expected = rbf_kernel(rows, landmarks, gamma=1.5) @ dual[:-1] + dual[-1]
    found = model.decision_function(np.exp(X))
    np.testing.assert_allclose(found, expected, atol=1e-4 * np.abs(dual).sum())


@BOTH
@pytest.mark.parametrize("scaling", ["standard", "uniform", "normal"])
def test_a_weight_of_two_is_an_item_given_twice(name, scaling):
    X, y = chessboard(60)
    counts = np.random.default_rng(7).permutation(np.arange(60) % 4)
    rows = np.repeat(np.arange(60), counts)
    model = on_columns(name, n_landmarks=20, scaling=scaling)
    weighted = clone(model).fit(X, y, counts)
    repeated = clone(model).fit(X[rows], y[rows])
    assert same_map(weighted.pairs_[0].mapping, repeated.pairs_[0].mapping)
    # J(u) sums in another order, which the search enlarges.
    scores = [fitted.decision_function(X) for fitted in (weighted, repeated)]
    np.testing.assert_allclose(*scores, atol=1e-6)
    zeros = clone(model).fit(X[counts > 0], y[counts > 0], counts[counts > 0])
    assert np.array_equal(zeros.decision_function(X), scores[0])


@BOTH
def test_threads_and_neighbours_change_no_bit(name):
    X, y = chessboard(150)
    one, two = (on_columns(name, n_pairs=2, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    scores = one.decision_function(X)
    assert np.array_equal(scores, two.decision_function(X))
    assert np.array_equal(scores[70:71], two.decision_function(X[70:71]))
    # Two pairs have landmarks of their own.
    assert not same_map(one.pairs_[0].mapping, one.pairs_[1].mapping)


def blobs(n_items=90, n_classes=3, seed=0):
    random = np.random.default_rng(seed)
    y = np.arange(n_items) % n_classes
    return 1.5 * random.normal(size=(n_classes, 4))[y] + random.normal(size=(n_items, 4)), y


@BOTH
def test_all_classes_share_a_map_and_each_u_lies_as_low_as_one_found_by_itself(name):
    X, y = blobs()
    model = on_columns(name, n_pairs=2).fit(X, y)
    maps = [pair.mapping for pair in model.pairs_]
    assert len({id(one) for one in maps}) == 2
    assert all(one is maps[place % 2] for place, one in enumerate(maps))
    items = model.pairs_[0].preparation.apply(X)
    for target, pair in enumerate(model.pairs_[::2]):
        rows = pair.mapping.features(items)
        signs = np.where(y == target, 1, -1).astype(np.int8)
        objective = Objective(rows, signs, 100.0, len(y), prior_mean=np.zeros(rows.shape[1]))
        alone = minimise(objective, [surrogate_minimum(objective), mean_direction(objective)])
        assert objective(pair.u)[0] <= 1.02 * objective(alone)[0]


def test_what_is_kept_of_a_kernel_gives_its_pairs_back():
    X, y = blobs()
    model = on_columns().fit(X, y)
    kept = {"mapping": model.pairs_[0].mapping, "u": [pair.u for pair in model.pairs_]}
    again = put_together(*taken_apart(kept))
    rows = model.pairs_[0].preparation.apply(X)
    assert np.array_equal(again["mapping"].features(rows), kept["mapping"].features(rows))
    assert all(
        np.array_equal(one, other)
        for one, other in zip(*(k["u"] for k in (kept, again)), strict=True)
    )


def test_pairs_stand_class_by_class_whatever_they_share():
    X, y = blobs()
    kernel = ColumnKernel(n_landmarks=20)
    team = SFMClassifier([DiagonalGMM(2), kernel], n_pairs=2, random_state=0).fit(X, y)
    alone = SFMClassifier(DiagonalGMM(2), n_pairs=2, random_state=0).fit(X, y)
    # Class by class, the mixtures of a class before its kernels.
    for target in range(3):
        of_class = team.pairs_[4 * target : 4 * target + 4]
        assert [len(pair.mapping.models) for pair in of_class] == [2, 2, 0, 0]
        for one, other in zip(of_class, alone.pairs_[2 * target : 2 * target + 2], strict=False):
            assert np.array_equal(one.u, other.u)


def test_landmarks_are_no_items_of_the_certificate_and_items_of_training_are_known():
    X, y = chessboard(100)
    model = on_columns(n_landmarks=200, certificate_fraction=0.4, certify_by="pac-bayes").fit(X, y)
    assert len(model.pairs_[0].mapping.kernel.landmarks) == 60
    assert model.certificate_.certificates[0].n_items == 40
    with pytest.warns(UserWarning, match="60 of 100 items equal items that the models"):
        model.certify(X, y)


def test_items_without_label_may_be_landmarks():
    X, y = chessboard(30)
    more = chessboard(20, seed=3)[0]
    model = on_columns().fit(X, y, X_unlabeled=more)
    assert len(model.pairs_[0].mapping.kernel.landmarks) == 50


def test_where_there_is_no_mixture_there_is_no_EM_that_could_stop():
    X, y = chessboard(40)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        on_columns().fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_landmarks": 0}, "model__n_landmarks must be a whole number of at least 1"),
        ({"gamma": 0.0}, "model__gamma must be a number above 0"),
        ({"n_draws": 3}, "without generative models nothing is drawn"),
        ({"n_draws": 3, "coupling": 1.0}, "without generative models nothing is drawn"),
        ({"coupling": 1.0}, "coupling feeds the classifier back"),
        (
            {"n_draws": 3, "coupling": 1.0, "sampler": "enumeration"},
            "without generative models nothing is drawn",
        ),
        ({"conditioning": True}, "leave conditioning at None"),
        ({"prior": "map"}, "without generative models there is no MAP prior"),
        ({"name": "unit"}, "model__kernel must be 'gaussian' or 'laplacian', got 'unit'"),
    ],
)
def test_what_makes_no_sense_without_models_is_refused(parameters, message):
    X, y = chessboard(20)
    with pytest.raises(ValueError, match=message):
        on_columns(**parameters).fit(X, y)


def test_landmarks_of_the_features_are_refused_where_the_kernel_has_its_own():
    X, y = chessboard(20)
    model = on_columns().set_params(n_landmarks=20)
    with pytest.raises(ValueError, match="landmarks of its own: leave n_landmarks at 0"):
        model.fit(X, y)


@pytest.mark.parametrize("name", ["n_components", "em_max_iter"])
def test_parameters_of_a_mixture_are_refused_where_there_is_none(name):
    with pytest.raises(ValueError, match=f"Invalid parameter '{name}'"):
        on_columns(**{name: 2})


def test_features_of_no_mixtures_are_refused():
    with pytest.raises(ValueError, match="n_components must be a whole number of at least 1"):
        StochasticFeatureMap(n_components=0).fit(*chessboard(20))


# Cross-validation


GRID = {
    "n_components": (1, 2),
    "scaling": "standard",
    "n_landmarks": 0,
    "conditioning": (True, False),
    "clip": 1.5,
    "Cs": (2.0, 64.0),
    "cv": 3,
    "n_voters": 3,
    "column_scaling": ("uniform", "standard"),
    "column_landmarks": 40,
    "gaussian_gamma": (),
    "laplacian_gamma": (1.0, 4.0),
    "n_column_voters": 3,
    "random_state": 0,
}


def searched(X, y, *args, **changed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return SFMClassifierCV(**{**GRID, **changed}).fit(X, y, *args)


@pytest.fixture(scope="module")
def both():
    return searched(*chessboard(90))


def test_both_kinds_are_tried_and_each_has_seats_of_its_own(both):
    results = both.cv_results_
    assert results["kind"].tolist() == ["mixtures"] * 8 + ["columns"] * 8
    kinds = ["n_components" in voter for voter in both.voters_]
    assert kinds == [True] * 3 + [False] * 3
    assert len(both.best_estimator_.pairs_) == 6
    # No mixture does it: the best of all is a kernel, and votes first of its kind.
    assert both.best_params_ == both.voters_[3] == results["params"][results["rank"].argmin()]
    assert both.best_score_ == results["mean_test_accuracy"][results["rank"].argmin()]
    columns = [params for params in results["params"] if "kernel" in params]
    assert len(columns) == 8
    assert {(p["scaling"], p["gamma"]) for p in columns} == {
        (scaling, gamma) for scaling in ("uniform", "standard") for gamma in (1.0, 4.0)
    }
    assert {(p["kernel"], p["n_landmarks"]) for p in columns} == {("laplacian", 40)}
    assert not any("n_components" in p or "conditioning" in p for p in columns)
    assert both.score(*chessboard(seed=1)) > 0.8


def test_a_column_of_the_results_is_masked_where_a_kind_lacks_the_parameter(both):
    components, kernels = (both.cv_results_[f"param_{n}"] for n in ("n_components", "kernel"))
    of_columns = both.cv_results_["kind"] == "columns"
    assert np.array_equal(components.mask, of_columns)
    assert np.array_equal(kernels.mask, ~of_columns)
    assert set(components.compressed()) == {1, 2}
    assert set(kernels.compressed()) == {"laplacian"}
    assert not both.cv_results_["param_gamma"].mask.any()


def test_the_voters_with_mixtures_are_those_without_the_others(both):
    X, y = chessboard(90)
    alone = searched(X, y, n_column_voters=0)
    assert set(alone.cv_results_["kind"]) == {"mixtures"}
    assert alone.voters_ == both.voters_[:3]
    for one, other in zip(alone.best_estimator_.pairs_, both.best_estimator_.pairs_, strict=False):
        assert np.array_equal(one.u, other.u)


def test_kinds_of_kernels_and_widths_are_all_tried():
    X, y = chessboard(30)
    model = searched(X, y, Cs=2.0, gaussian_gamma=(0.5, 2.0), laplacian_gamma=(), n_voters=1)
    tried = [
        (params["kernel"], params["gamma"])
        for params in model.cv_results_["params"]
        if "kernel" in params
    ]
    assert tried == [("gaussian", 0.5), ("gaussian", 2.0)] * 2


def test_a_weight_of_two_is_an_item_given_twice_in_the_choice_too():
    X, y = chessboard(60)
    half = np.arange(60) % 2
    folds = [(np.flatnonzero(half == k), np.flatnonzero(half != k)) for k in (0, 1)]
    rows = np.concatenate([np.arange(60), np.flatnonzero(half)])
    twice = [(np.flatnonzero(half[rows] == k), np.flatnonzero(half[rows] != k)) for k in (0, 1)]
    weighted = searched(X, y, 1.0 + half, cv=folds)
    repeated = searched(X[rows], y[rows], cv=twice)
    losses = [model.cv_results_["mean_test_tandem_loss"] for model in (weighted, repeated)]
    np.testing.assert_allclose(*losses, rtol=1e-6)
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), atol=1e-6
    )


def test_one_and_two_threads_choose_and_learn_the_same_bits(both):
    X, y = chessboard(90)
    two = searched(X, y, n_jobs=2)
    assert two.voters_ == both.voters_
    assert two.predict_proba(X).tobytes() == both.predict_proba(X).tobytes()


def test_a_certificate_of_both_kinds_is_of_items_that_neither_saw():
    X, y = chessboard(120)
    model = searched(X, y, certificate_fraction=0.5, certify_by="pac-bayes", column_landmarks=200)
    assert model.certificate_.certificates[0].n_items == 60
    kernels = [pair.mapping.kernel for pair in model.best_estimator_.pairs_]
    assert [kernel and len(kernel.landmarks) for kernel in kernels] == [None] * 3 + [60] * 3


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_column_voters": -1}, "n_column_voters must be"),
        ({"column_landmarks": 0}, "column_landmarks must be"),
        ({"column_scaling": ("uniform", "rank")}, "column_scaling must be"),
        ({"column_scaling": ()}, "column_scaling must hold at least one value"),
        ({"laplacian_gamma": (1.0, 0.0)}, "laplacian_gamma must be a number above 0"),
        ({"laplacian_gamma": ()}, "leave no kernel on the columns"),
        ({"n_components": (0, 2)}, "n_components must be a whole number of at least 1"),
    ],
)
def test_bad_kernels_on_columns_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        searched(*chessboard(20), **parameters)
