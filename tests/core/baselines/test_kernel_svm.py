"""Support vector machines on a kernel matrix: their optimum, and the cross-validation of C."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sfmcore.baselines.kernel_svm import (
    checked_Cs,
    cross_validated,
    solve_machine,
    solve_machines,
)
from sfmcore.evaluation.folds import stratified_folds
from sfmcore.learning.problem import make_problem


@pytest.fixture(scope="module")
def wine():
    """Kernel matrix of the wines, and the problem of their three classes."""
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X) / np.sqrt(X.shape[1])
    return X @ X.T, make_problem(X, y, unlabeled=None)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_no_machine_has_a_lower_objective(wine, C):
    K, problem = wine
    signs = problem.signs(1)
    dual, intercept = solve_machine(K, signs, C)
    losses = np.maximum(0, 1 - signs * (K @ dual + intercept))
    primal = 0.5 * dual @ K @ dual + C * losses.sum()
    # The dual problem's value lies below every primal one's.
    assert np.all((signs * dual >= 0) & (signs * dual <= C * (1 + 1e-9)))
    assert abs(dual.sum()) < 1e-6 * C
    lowest = np.abs(dual).sum() - 0.5 * dual @ K @ dual
    assert lowest <= primal <= lowest * 1.003


def test_each_class_is_solved_with_its_own_C(wine):
    K, problem = wine
    machines = solve_machines(K, problem, [0.1, 1.0, 10.0], 1)
    for target, C, machine in zip(problem.targets, (0.1, 1.0, 10.0), machines, strict=True):
        alone = solve_machine(K, problem.signs(target), C)
        assert np.array_equal(machine.dual, alone.dual)
        assert machine.intercept == alone.intercept
    assert np.abs(machines[0].dual).max() <= 0.1 * (1 + 1e-9) < np.abs(machines[2].dual).max()


def test_cross_validation_counts_what_was_held_out(wine):
    K, problem = wine
    folds, Cs = stratified_folds(problem.numbers, 4, seed=3), (0.01, 0.1, 5.0)
    expected = np.zeros((3, 3))
    for target in range(3):
        for column, C in enumerate(Cs):
            for train, test in folds:
                machine = SVC(C=C, kernel="precomputed")
                machine.fit(K[train][:, train], problem.numbers[train] == target)
                right = machine.predict(K[test][:, train]) == (problem.numbers[test] == target)
                expected[target, column] += right.sum() / len(K)
    found = cross_validated(K, problem, Cs, folds, 1)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert np.array_equal(found, cross_validated(K, problem, Cs, folds, 2))
    assert len(np.unique(found)) > 3


def test_several_Cs_are_sorted_and_each_there_once():
    assert checked_Cs(np.array([3, 1, 3])) == [1.0, 3.0]
    assert checked_Cs(np.float32(2)) == [2.0]


@pytest.mark.parametrize("C", [0, -1, None, "3", (), [], [0.0], (1, np.inf), {1, 2}, True])
def test_what_is_no_C_is_refused(C):
    with pytest.raises(ValueError, match=r"^C must be a number above 0, or several of them, got"):
        checked_Cs(C)
