"""The methods that are compared, by name.

A method is a function of ``(X_train, y_train, X_test, seed, dataset)``. ``y_train`` is True for
the class and False for the rest. It returns what it predicts for ``X_test``, as booleans, and what
it chose on the way, as plain values for JSON (``{}`` if nothing). It runs on one thread, and sees
`dataset` for what is known of the columns, not for its labels.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import GridSearchCV

from benchmarks.uci import peers
from benchmarks.uci.datasets import Dataset
from sfmcore.classifier_cv import SFMClassifierCV

Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]
Outcome = tuple[Booleans, dict[str, Any]]
Method = Callable[[Floats, Booleans, Floats, int, Dataset], Outcome]


def _searched(search: GridSearchCV, X: Floats, y: Booleans, X_test: Floats) -> Outcome:
    """Fit a search; its choice are the best parameters and their accuracy on the inner folds."""
    search.fit(X, y)
    return search.predict(X_test), {**search.best_params_, "inner": float(search.best_score_)}


def svm(X: Floats, y: Booleans, X_test: Floats, seed: int, dataset: Dataset) -> Outcome:
    return _searched(peers.svm(X.shape[1], dataset.categorical, y, seed), X, y, X_test)


def forest(X: Floats, y: Booleans, X_test: Floats, seed: int, dataset: Dataset) -> Outcome:
    return _searched(peers.forest(y, seed), X, y, X_test)


def _fitted(model: SFMClassifierCV, X: Floats, y: Booleans, X_test: Floats) -> Outcome:
    """Fit ours; what it chose are the best candidate and its accuracy on the inner folds."""
    model.fit(X, y)
    return model.predict(X_test), {**model.best_params_, "inner": model.best_score_}


def sfm(X: Floats, y: Booleans, X_test: Floats, seed: int, dataset: Dataset) -> Outcome:
    """Run SFMClassifierCV as it comes."""
    return _fitted(SFMClassifierCV(random_state=seed), X, y, X_test)


def drawn(
    coupling: float, X: Floats, y: Booleans, X_test: Floats, seed: int, dataset: Dataset
) -> Outcome:
    """Run the paper's algorithm at its sizes: K = 4, five draws, raw features; C by three folds."""
    model = SFMClassifierCV(
        n_components=4,
        scaling="standard",
        conditioning=False,
        n_draws=5,
        coupling=coupling,
        Cs=(8.0, 64.0, 512.0),
        cv=3,
        n_voters=1,
        scoring="accuracy",
        random_state=seed,
    )
    return _fitted(model, X, y, X_test)


METHODS: dict[str, Method] = {
    "sfm": sfm,
    "coupled": partial(drawn, 1.0),
    "uncoupled": partial(drawn, 0.0),
    "svm": svm,
    "forest": forest,
}
