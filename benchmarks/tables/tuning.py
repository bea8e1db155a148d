"""Peers from scikit-learn for a binary problem, tuned by accuracy on inner folds."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

# From simple to flexible: of settings with equal accuracy the search takes the first.
C = [2.0**power for power in range(-1, 10, 2)]
GAMMA_FACTORS = [0.25, 1.0, 4.0]
FOREST = {"max_features": ["sqrt", 0.33]}


def inner_folds(y: npt.NDArray[np.bool_], seed: int) -> StratifiedKFold:
    """Five shuffled folds; as many as the smaller class has items if those are fewer, but two."""
    smallest = min(np.count_nonzero(y), np.count_nonzero(~y))
    return StratifiedKFold(max(2, min(5, smallest)), shuffle=True, random_state=seed)


def tuned(
    estimator: BaseEstimator, grid: dict[str, list[Any]], y: npt.NDArray[np.bool_], seed: int
) -> GridSearchCV:
    """Wrap an estimator, unfitted, in the search for the most accurate setting of a grid.

    Parameters
    ----------
    estimator : estimator
    grid : dict
        Values by parameter.
    y : ndarray of bool
        The labels that the search will be fitted to; they decide the number of folds.
    seed : int
        Of the folds.
    """
    return GridSearchCV(estimator, grid, scoring="accuracy", cv=inner_folds(y, seed), n_jobs=1)


def svm(
    n_features: int, categorical: Sequence[int], y: npt.NDArray[np.bool_], seed: int
) -> GridSearchCV:
    """SVM with a Gaussian kernel on standardised features; tunes C and gamma.

    Parameters
    ----------
    n_features : int
    categorical : sequence of int
        Columns to code one-hot.
    y : ndarray of bool
        See `tuned`.
    seed : int
    """
    # Two items of different category are at the squared distance 2, two standardised numbers at 2
    # on average: a categorical column weighs as much as any other, and counts as one in gamma.
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = ColumnTransformer(
        [("one_hot", one_hot, list(categorical))], remainder=StandardScaler()
    )
    pipeline = Pipeline([("columns", columns), ("svc", SVC(kernel="rbf"))])
    # "scale" is 1 / n_features once the features have unit variance.
    gammas = [factor / n_features for factor in GAMMA_FACTORS]
    return tuned(pipeline, {"svc__C": C, "svc__gamma": gammas}, y, seed)


def forest(y: npt.NDArray[np.bool_], seed: int) -> GridSearchCV:
    """Random forest of 200 trees; tunes the number of features that a split looks at.

    Trees take the codes of categories as numbers: a few splits single out any of them.

    Parameters
    ----------
    y : ndarray of bool
        See `tuned`.
    seed : int
        Of the folds and of the forest.
    """
    return tuned(RandomForestClassifier(200, n_jobs=1, random_state=seed), FOREST, y, seed)
