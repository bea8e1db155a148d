"""Settings chosen by accuracy on inner folds of the training half."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from benchmarks.tables.dataset import Booleans, Method, Outcome, each_class
from sfmcore.baselines.kernel_svm import cross_validated, solve_machine
from sfmcore.evaluation.folds import stratified_folds
from sfmcore.learning.problem import make_problem

Floats = npt.NDArray[np.float64]
Chosen = dict[str, Any]


def inner_folds(y: Booleans, seed: int, n_folds: int = 5) -> StratifiedKFold:
    """Shuffled folds; as many as the smaller class has items if those are fewer, but two."""
    smallest = min(np.count_nonzero(y), np.count_nonzero(~y))
    return StratifiedKFold(max(2, min(n_folds, smallest)), shuffle=True, random_state=seed)


def searched(
    estimator: BaseEstimator,
    grid: Mapping[str, Sequence[Any]] | list[dict[str, Sequence[Any]]],
    X: Any,
    y: Booleans,
    X_test: Any,
    seed: int,
    n_folds: int = 5,
) -> tuple[Booleans, Chosen]:
    """Fit the most accurate setting of a grid, and predict.

    Parameters
    ----------
    estimator : estimator
    grid : dict
        Values by parameter, simple ones first: of equal settings the first is taken.
    X, y, X_test : arrays
    seed : int
        Of the folds.
    n_folds : int, default=5

    Returns
    -------
    answers : ndarray of bool, shape (n_test,)
    chosen : dict
        The best parameters and their accuracy on the inner folds.
    """
    folds = inner_folds(y, seed, n_folds)
    search = GridSearchCV(estimator, grid, scoring="accuracy", cv=folds, n_jobs=1)
    search.fit(X, y)
    return search.predict(X_test), {**search.best_params_, "inner": float(search.best_score_)}


def by_search(estimator: Any, grid: Any, *, random: bool = False, n_folds: int = 5) -> Method:
    """Make a method of an estimator of vectors and its grid, each class by itself.

    Parameters
    ----------
    estimator : estimator
    grid : dict
    random : bool, default=False
        Whether the estimator takes the half's seed as its ``random_state``.
    n_folds : int, default=5
    """

    def one(half: Any, y: Booleans) -> tuple[Booleans, Chosen]:
        own = estimator
        if random:
            own = own.set_params(
                **{name: half.seed for name in own.get_params() if name.endswith("random_state")}
            )
        return searched(own, grid, half.X, y, half.X_test, half.seed, n_folds)

    return each_class(one)


def kernel_machines(
    kernels: Mapping[str, tuple[Floats, Floats]],
    y: npt.NDArray[np.str_],
    Cs: Sequence[float],
    seed: int,
    n_folds: int = 3,
) -> Outcome:
    """Support vector machines, each class choosing kernel and C; kernels are made once.

    Parameters
    ----------
    kernels : mapping
        By name, of the training items with themselves and of the test items with them. Of
        settings that are equally accurate the first kernel and the smallest C are taken.
    y : ndarray of str, shape (n_train,)
    Cs : sequence of float
        Rising.
    seed : int
        Of the folds.
    n_folds : int, default=3
    """
    problem = make_problem(np.arange(len(y)), y, unlabeled=None)
    folds = stratified_folds(problem.numbers, n_folds, seed)
    names = list(kernels)
    accuracies = np.stack(
        [cross_validated(kernels[name][0], problem, Cs, folds, 1) for name in names], axis=1
    )
    decisions, chosen = [], {}
    for number, target in enumerate(problem.targets):
        kernel, place = divmod(int(accuracies[number].argmax()), len(Cs))
        K, K_test = kernels[names[kernel]]
        machine = solve_machine(K, problem.signs(target), Cs[place])
        decisions.append(K_test @ machine.dual + machine.intercept > 0)
        chosen[str(problem.classes[target])] = {
            "kernel": names[kernel],
            "C": Cs[place],
            "inner": float(accuracies[number].max()),
        }
    return Outcome(np.column_stack(decisions), chosen)


def gaussian_kernels(
    A: Floats, B: Floats, gammas: Sequence[float]
) -> dict[str, tuple[Floats, Floats]]:
    """exp(-gamma |a - b|^2 / median) of rows with themselves and of others with them.

    Parameters
    ----------
    A : ndarray of shape (n_train, n_columns)
    B : ndarray of shape (n_test, n_columns)
    gammas : sequence of float
        In units of the median squared distance of the rows of A.
    """
    own, other = squared_distances(A, A), squared_distances(B, A)
    unit = float(np.median(own))
    return {
        f"gamma {gamma:g}": (np.exp(-gamma / unit * own), np.exp(-gamma / unit * other))
        for gamma in gammas
    }


def squared_distances(A: Floats, B: Floats) -> Floats:
    """|a - b|^2 of all rows, by one product."""
    lengths = np.einsum("ij,ij->i", A, A)[:, None] + np.einsum("ij,ij->i", B, B)
    distances: Floats = np.maximum(lengths - 2.0 * (A @ B.T), 0.0)
    return distances
