"""The kernel on the features, and estimators that learn with it."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from sfmcore import SFMClassifier
from sfmcore.features.nystroem import NystroemMap

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def unit_rows(n_rows=40, n_columns=7, seed=0):
    rows = np.random.default_rng(seed).normal(size=(n_rows, n_columns))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def kernel_of(first, second):
    """The kernel from its features, without the constant."""
    return 2.0 * first.astype(float) @ second.astype(float).T - 1.0


def chessboard(n_items=240, seed=0):
    """Two classes that one Gaussian each can't tell apart, nor squares of the columns."""
    X = np.random.default_rng(seed).uniform(-1, 1, (n_items, 2))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def test_landmarks_have_the_kernel_itself():
    rows = unit_rows()
    made = NystroemMap.of(rows, n_landmarks=100, gamma=1.5, seed=0).apply(rows, 1)
    np.testing.assert_allclose(kernel_of(made, made), rbf_kernel(rows, gamma=1.5), atol=2e-3)


def test_more_landmarks_come_nearer():
    rows, new = unit_rows(400), unit_rows(100, seed=1)
    errors = []
    for n_landmarks in (5, 40, 400):
        made = NystroemMap.of(rows, n_landmarks=n_landmarks, gamma=0.5, seed=0)
        found = kernel_of(made.apply(new, 1), made.apply(new, 1))
        errors.append(np.abs(found - rbf_kernel(new, gamma=0.5)).mean())
    assert errors[0] > 2 * errors[1] > 4 * errors[2]


def test_lengths_are_those_in_the_kernels_own_space():
    """A landmark has its whole length among the landmarks, another row a part of it."""
    rows, new = unit_rows(), unit_rows(seed=3)
    made = NystroemMap.of(rows, n_landmarks=100, gamma=4.0, seed=0)
    lengths = np.linalg.norm(made.apply(rows, 1).astype(float), axis=1)
    np.testing.assert_allclose(lengths, 1.0, rtol=1e-4)
    rest = np.linalg.norm(made.apply(new, 1).astype(float), axis=1)
    assert np.all(rest < 0.999)
    assert made.apply(new, 1).shape == (40, made.n_features)


def test_scores_are_those_of_the_features():
    rows, new = unit_rows(60), unit_rows(30, seed=4)
    made = NystroemMap.of(rows, n_landmarks=50, gamma=1.0, seed=0)
    u = np.random.default_rng(0).normal(size=made.n_features)
    expected = made.apply(new, 1).astype(float) @ u
    (found,) = made.scores(new, [made.dual(u)], 1)
    # Single precision, which R^{-1} may multiply by 1 / sqrt(ridge).
    np.testing.assert_allclose(found, expected, atol=2e-4 * np.linalg.norm(u))
    assert np.array_equal(found, made.scores(new, [made.dual(u)], 2)[0])


def test_order_and_repetition_of_rows_change_no_landmark():
    rows = unit_rows()
    first = NystroemMap.of(rows, n_landmarks=12, gamma=1.0, seed=7)
    again = np.concatenate([rows[::-1], rows[5:9]])
    second = NystroemMap.of(np.ascontiguousarray(again), n_landmarks=12, gamma=1.0, seed=7)
    assert np.array_equal(first.landmarks, second.landmarks)
    assert np.array_equal(first.weights, second.weights)
    other = NystroemMap.of(rows, n_landmarks=12, gamma=1.0, seed=8)
    assert not np.array_equal(first.landmarks, other.landmarks)


def test_equal_rows_leave_one_landmark():
    rows = np.repeat(unit_rows(1), 6, axis=0)
    made = NystroemMap.of(rows, n_landmarks=5, gamma=1.0, seed=0)
    assert made.landmarks.shape == (1, 7)
    np.testing.assert_allclose(made.apply(rows, 1), np.sqrt(0.5), rtol=1e-5)


def test_a_row_has_the_same_bits_in_any_batch():
    rows = unit_rows(33)
    made = NystroemMap.of(rows, n_landmarks=20, gamma=1.0, seed=0)
    whole = made.apply(rows, 2)
    assert np.array_equal(whole, made.apply(rows, 1))
    for row in range(len(rows)):
        assert np.array_equal(made.apply(rows[row : row + 1], 1)[0], whole[row])


@pytest.mark.parametrize(
    "parameters",
    [{}, {"n_draws": 3, "max_iter": 2}, {"n_draws": 3, "max_iter": 2, "coupling": 1.0}],
    ids=["exact", "draws", "coupled"],
)
def test_a_kernel_learns_what_is_not_linear_in_the_features(parameters):
    X, y = chessboard()
    new, truth = chessboard(seed=1)
    known = {"n_components": 1, "C": 100.0, "random_state": 0, **parameters}
    linear = SFMClassifier(**known).fit(X, y).score(new, truth)
    kernel = SFMClassifier(**known, n_landmarks=80, gamma=2.0).fit(X, y).score(new, truth)
    assert linear < 0.75
    assert kernel > 0.92


def test_threads_change_no_bit_of_an_estimator():
    X, y = chessboard(80)
    made = [
        SFMClassifier(n_components=2, n_landmarks=30, random_state=0, n_jobs=jobs).fit(X, y)
        for jobs in (1, 2)
    ]
    assert np.array_equal(*(model.decision_function(X) for model in made))
    assert np.array_equal(*(model.pairs_[0].mapping.kernel.landmarks for model in made))


def test_landmarks_are_no_items_of_the_certificate():
    X, y = chessboard(100)
    model = SFMClassifier(
        n_components=1,
        n_landmarks=200,
        certificate_fraction=0.4,
        certify_by="pac-bayes",
        random_state=0,
    ).fit(X, y)
    mapping = model.pairs_[0].mapping
    assert len(mapping.kernel.landmarks) == 60
    assert model.certificate_.certificates[0].n_items == 40


def test_names_are_those_of_the_kernel():
    X, y = chessboard(60)
    mapping = (
        SFMClassifier(n_components=1, n_landmarks=10, random_state=0).fit(X, y).pairs_[0].mapping
    )
    names = mapping.feature_names()
    assert len(names) == mapping.n_features
    assert names[0] == "kernel0"
    assert names[-1] == "constant"
