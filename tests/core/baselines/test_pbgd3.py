"""PBGD3: its objective in both forms, its minimum, and the estimator's contract."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from sfmcore.baselines import PBGD3Classifier
from sfmcore.baselines.pbgd3_objective import (
    coordinates,
    is_convex,
    lowest_point,
    unit_rows,
)
from sfmcore.bounds.objective import Objective, bound_value, upper_tail
from tests.twins.pbgd3 import kernel_objective


@parametrize_with_checks(
    [
        PBGD3Classifier(),
        PBGD3Classifier(C=20.0, fit_intercept=False),
        PBGD3Classifier(kernel="rbf"),
    ]
)
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


def problem(n_items=40, n_columns=3, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_items, n_columns))
    y = X[:, 0] + 0.7 * random.normal(size=n_items) > 0
    return X, y


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    return X[::2], y[::2], X[1::2], y[1::2]


def J(w, X, y, C, constant=True):
    """The paper's formula, without the compiled objective."""
    rows = np.column_stack([X, np.ones(len(X))]) if constant else X
    margins = np.where(y, 1, -1) * (rows @ w) / np.linalg.norm(rows, axis=1)
    return C * upper_tail(margins).sum() + 0.5 * w @ w


# The objective


def test_J_is_m_times_the_compiled_objective_at_the_same_C():
    X, y = problem()
    rows = unit_rows(X, constant=True)
    ours = Objective(rows, np.where(y, 1, -1).astype(np.int8), 7.0, len(X))
    w = np.random.default_rng(1).normal(size=4)
    np.testing.assert_allclose(len(X) * ours(w)[0], J(w, X, y, 7.0), rtol=1e-12)


def test_lowest_J_is_the_lowest_bound_of_catoni():
    X, y = problem()
    C, m, delta = 0.8, len(X), 0.05
    model = PBGD3Classifier(C).fit(X, y)

    def bound(w):
        return bound_value(J(w, X, y, C) / m, C, m, delta)

    w = np.append(model.coef_[0], model.intercept_[0])
    random = np.random.default_rng(0)
    assert all(bound(w) < bound(w + size * random.normal(size=4)) for size in [0.01, 0.1, 1] * 20)


def test_gradient_in_alpha_agrees_with_finite_differences():
    random = np.random.default_rng(0)
    points = random.normal(size=(9, 3))
    points[4] = 0.0
    K = points @ points.T
    signs = random.choice([-1, 1], 9).astype(np.int8)
    weights = random.uniform(0.5, 2.0, 9)
    for _ in range(5):
        alpha = random.normal(size=9)
        slope = kernel_objective(alpha, K, signs, 3.0, weights)[1]
        step = 1e-5
        numeric = [
            (
                kernel_objective(alpha + step * one, K, signs, 3.0, weights)[0]
                - kernel_objective(alpha - step * one, K, signs, 3.0, weights)[0]
            )
            / (2 * step)
            for one in np.eye(9)
        ]
        np.testing.assert_allclose(slope, numeric, rtol=1e-7, atol=1e-8)


def test_both_forms_have_the_same_J():
    X, y = problem()
    signs = np.where(y, 1, -1).astype(np.int8)
    alpha = np.random.default_rng(3).normal(size=len(X))
    value = kernel_objective(alpha, X @ X.T, signs, 5.0)[0]
    np.testing.assert_allclose(value, J(X.T @ alpha, X, y, 5.0, constant=False), rtol=1e-12)


# Its minimum


@pytest.mark.parametrize("C", [0.05, 1.0, 30.0])
def test_linear_form_and_linear_kernel_find_the_same_classifier(C):
    X, y = problem()
    plain = PBGD3Classifier(C, random_state=0).fit(X, y)
    by_items = PBGD3Classifier(C, kernel=lambda A, B: A @ B.T, random_state=0).fit(X, y)
    np.testing.assert_allclose(plain.objective_, by_items.objective_, rtol=1e-9)
    np.testing.assert_allclose(plain.decision_function(X), by_items.decision_function(X), rtol=1e-5)


@pytest.mark.parametrize("C", [0.05, 2.0, 100.0])
def test_gradient_in_alpha_vanishes_at_the_solution(C):
    X, y = problem(60, 4)
    model = PBGD3Classifier(C, kernel="rbf", gamma=0.3, random_state=0).fit(X, y)
    K = rbf_kernel(X, gamma=0.3) + 1.0
    value, slope = kernel_objective(model.dual_coef_[0], K, np.where(y, 1, -1).astype("i1"), C)
    np.testing.assert_allclose(value, model.objective_[0], rtol=1e-8)
    np.testing.assert_allclose(slope, 0.0, atol=1e-5 * max(C, 1.0))


def test_random_starts_never_raise_J():
    # Labels by chance at a large C: many minima, and the informed starts miss the lowest.
    random = np.random.default_rng(2)
    X, y = random.normal(size=(30, 10)), random.integers(2, size=30)
    values = [
        PBGD3Classifier(1000.0, n_restarts=n, random_state=0).fit(X, y).objective_[0]
        for n in (0, 5, 40)
    ]
    assert values[0] >= values[1] >= values[2]
    assert values[0] > 1.1 * values[2]


def test_convexity_is_found_at_the_constant_of_the_second_derivative():
    X, _ = problem()
    rows, weights = unit_rows(X, constant=False), np.ones(len(X))
    largest = np.linalg.eigvalsh(rows.T @ rows)[-1]
    edge = np.sqrt(2 * np.pi * np.e) / largest
    assert is_convex(rows, weights, 0.999 * edge)
    assert not is_convex(rows, weights, 1.001 * edge)
    assert not is_convex(rows, 2 * weights, 0.999 * edge)
    # The worst labels and point: every margin at -1 in the direction that all rows share.
    a = np.linspace(-4, 4, 4001)
    bend = a * np.exp(-0.5 * a**2) / np.sqrt(2 * np.pi)
    np.testing.assert_allclose(bend.min(), -1 / np.sqrt(2 * np.pi * np.e), rtol=1e-5)


def test_where_J_is_convex_every_start_ends_at_one_point():
    X, y = problem()
    rows = unit_rows(X, constant=True)
    objective = Objective(rows, np.where(y, 1, -1).astype(np.int8), 0.15, len(X))
    model = PBGD3Classifier(0.15).fit(X, y)
    assert model.convex_.all()
    random = np.random.default_rng(0)
    for _ in range(5):
        start = random.uniform(-20, 20, 4)
        w = lowest_point(objective, convex=False, starts=[start])[0]
        np.testing.assert_allclose(w[:3], model.coef_[0], atol=1e-8)
    assert not PBGD3Classifier(5.0).fit(X, y).convex_.any()


# Zero vectors, weights and kernels of one's own


@pytest.mark.parametrize("kernel", ["linear", lambda A, B: A @ B.T], ids=["linear", "function"])
def test_zero_vectors_count_one_half_and_move_nothing(kernel):
    X, y = problem()
    parameters = {"kernel": kernel, "fit_intercept": False, "random_state": 0}
    without = PBGD3Classifier(4.0, **parameters).fit(X, y)
    padded, labels = np.vstack([X, np.zeros((3, 3))]), np.append(y, [True, False, True])
    model = PBGD3Classifier(4.0, **parameters).fit(padded, labels)
    np.testing.assert_allclose(model.objective_, without.objective_ + 4.0 * 3 * 0.5, rtol=1e-10)
    np.testing.assert_allclose(
        model.decision_function(X), without.decision_function(X), rtol=1e-7, atol=1e-9
    )
    assert model.predict_proba(np.zeros((1, 3))).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_weights_are_repetitions(kernel):
    X, y = problem()
    weights = np.random.default_rng(0).integers(0, 4, len(X))
    one = PBGD3Classifier(3.0, kernel=kernel, random_state=0).fit(X, y, weights)
    other = PBGD3Classifier(3.0, kernel=kernel, random_state=0).fit(
        np.repeat(X, weights, 0), np.repeat(y, weights)
    )
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), rtol=1e-6)


def test_precomputed_kernel_of_unit_vectors_is_the_kernel_itself(wine):
    X, y, new, _ = wine
    given = PBGD3Classifier(20.0, kernel="precomputed", random_state=0)
    own = PBGD3Classifier(20.0, kernel="rbf", gamma=0.1, fit_intercept=False, random_state=0)
    weights = np.arange(len(X)) % 3
    given.fit(rbf_kernel(X, gamma=0.1), y, weights)
    own.fit(X, y, weights)
    expected = own.decision_function(new)
    scores = given.decision_function(rbf_kernel(new, X, gamma=0.1))
    np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-8)


def test_precomputed_kernel_is_cut_by_folds_on_both_sides(wine):
    X, y, _, _ = wine
    search = GridSearchCV(
        PBGD3Classifier(kernel="precomputed", random_state=0), {"C": [0.1, 10.0]}, cv=3
    ).fit(rbf_kernel(X, gamma=0.05), y)
    assert search.best_score_ > 0.9


def test_coordinates_keep_the_products_and_refuse_what_is_no_kernel():
    points = np.random.default_rng(0).normal(size=(8, 3))
    rows = coordinates(points @ points.T)
    assert rows.shape == (8, 3)
    np.testing.assert_allclose(rows @ rows.T, points @ points.T, atol=1e-10)
    with pytest.raises(ValueError, match="kernel must be positive semidefinite"):
        coordinates(np.array([[1.0, 2.0], [2.0, 1.0]]))
    with pytest.raises(ValueError, match="kernel must be symmetric"):
        coordinates(np.array([[1.0, 0.5], [0.0, 1.0]]))


@pytest.mark.parametrize(
    ("K", "message"),
    [
        (np.eye(4) * 2, "ones on its diagonal"),
        (np.ones((4, 3)), "square matrix"),
    ],
)
def test_bad_precomputed_kernels_are_refused(K, message):
    with pytest.raises(ValueError, match=message):
        PBGD3Classifier(kernel="precomputed").fit(K, [0, 1, 0, 1])


# Classes, labels and probabilities


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_wine_is_told_apart(kernel, wine):
    X, y, new, labels = wine
    # Measured: 0.99 with both; the largest class alone would be right on 0.40.
    assert PBGD3Classifier(30.0, kernel=kernel, random_state=0).fit(X, y).score(new, labels) > 0.92


def test_several_classes_are_each_told_from_the_rest_as_scikit_learn_does_it(wine):
    X, y, new, _ = wine
    own = PBGD3Classifier(2.0, n_restarts=0).fit(X, y)
    wrapped = OneVsRestClassifier(PBGD3Classifier(2.0, n_restarts=0)).fit(X, y)
    np.testing.assert_allclose(
        own.decision_function(new), wrapped.decision_function(new), rtol=1e-6, atol=1e-8
    )


def test_probabilities_are_the_votes_of_the_gibbs_classifier(wine):
    X, y, new, _ = wine
    model = PBGD3Classifier(10.0, random_state=0).fit(X, y == 1)
    drawn = np.random.default_rng(0).normal(size=(20000, X.shape[1] + 1))
    drawn += np.append(model.coef_[0], model.intercept_[0])
    votes = (np.column_stack([new, np.ones(len(new))]) @ drawn.T > 0).mean(1)
    # Five deviations of a share of 20,000.
    np.testing.assert_allclose(model.predict_proba(new)[:, 1], votes, atol=0.018)


def test_same_seed_gives_the_same_bits_whatever_the_number_of_threads(wine):
    X, y, new, _ = wine
    for kernel in ("linear", "rbf"):
        bits = [
            PBGD3Classifier(50.0, kernel=kernel, n_restarts=2, random_state=0, n_jobs=jobs)
            .fit(X, y)
            .decision_function(new)
            .tobytes()
            for jobs in (None, 2, 5)
        ]
        assert bits[0] == bits[1] == bits[2]


def test_pickle_and_clone_keep_what_they_should(wine):
    X, y, new, _ = wine
    model = PBGD3Classifier(kernel="rbf", random_state=0).fit(X, y)
    back = pickle.loads(pickle.dumps(model))
    assert np.array_equal(back.decision_function(new), model.decision_function(new))
    assert not hasattr(clone(model), "classes_")


def test_huge_and_tiny_numbers_are_no_trouble_without_a_kernel():
    X, y = problem()
    plain = PBGD3Classifier(fit_intercept=False, random_state=0).fit(X, y).predict(X)
    for size in (1e-300, 1e300):
        model = PBGD3Classifier(fit_intercept=False, random_state=0).fit(X * size, y)
        assert np.array_equal(model.predict(X * size), plain)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("C", 0.0),
        ("kernel", "cubic"),
        ("gamma", -1.0),
        ("gamma", "auto"),
        ("fit_intercept", 1),
        ("n_restarts", -1),
        ("random_state", -1),
    ],
)
def test_bad_parameters_are_refused_by_name(name, value):
    X, y = problem()
    with pytest.raises(ValueError, match=f"^{name} must"):
        PBGD3Classifier(**{name: value}).fit(X, y)


def test_kernels_of_another_shape_or_not_finite_are_refused():
    X, y = problem()
    with pytest.raises(ValueError, match="kernel must return shape"):
        PBGD3Classifier(kernel=lambda A, B: A).fit(X, y)
    with pytest.raises(ValueError, match="not all finite"):
        PBGD3Classifier(kernel=lambda A, B: np.full((len(A), len(B)), np.nan)).fit(X, y)
