"""`SFMClassifierCV` against the grid search of a tuned SVM, on the UCI sets: half of a set learns.

Ours has its defaults, the SVM the grid of table 1: 6 values of C and 3 widths of a Gaussian
kernel on standardised columns, five folds each. The JSON file has the accuracies on the other half.

    python -m benchmarks.speed.choosing [--only NAME ...] [--json FILE]
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import sklearn
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.speed.case import Case, Prepared, Skipped
from benchmarks.speed.running import main
from benchmarks.tables.vectors.datasets import NAMES, load
from benchmarks.tables.vectors.methods import GAMMA_FACTORS, C
from sfmcore import SFMClassifierCV


@dataclass(frozen=True)
class Vectors:
    """A set by its name, and how it is read."""

    name: str
    read: Callable[[], tuple[Any, Any]]


def uci(name: str) -> tuple[np.ndarray, np.ndarray]:
    """One of the eight sets; a skip where its file is missing."""
    try:
        dataset = load(name)
    except OSError as error:
        raise Skipped(f"no data at {error.filename}") from None
    return dataset.X, dataset.y


def tuned_svm(n_columns: int) -> GridSearchCV:
    """A Gaussian SVM with 18 settings to choose from."""
    pipeline = make_pipeline(StandardScaler(), SVC(kernel="rbf"))
    gammas = [factor / n_columns for factor in GAMMA_FACTORS]
    return GridSearchCV(pipeline, {"svc__C": C, "svc__gamma": gammas}, cv=5)


def fit(one: Vectors, ours: SFMClassifierCV) -> Prepared:
    """Both fits on one half, on one thread."""
    X, y = one.read()
    A, B, y_A, y_B = train_test_split(X, y, test_size=0.5, stratify=y, random_state=1)
    peer = tuned_svm(X.shape[1])
    details: dict[str, Any] = {"n_items": len(A), "n_classes": len(np.unique(y))}

    def check() -> None:
        details["accuracy_ours"] = float(ours.fit(A, y_A).score(B, y_B))
        details["accuracy_peer"] = float(peer.fit(A, y_A).score(B, y_B))

    return Prepared(
        lambda: ours.fit(A, y_A),
        "s for one fit",
        lambda: peer.fit(A, y_A),
        f"scikit-learn {sklearn.__version__} GridSearchCV of SVC",
        check,
        None,
        details,
    )


UCI = tuple(Vectors(name, partial(uci, name)) for name in NAMES)


def cases(sets: Sequence[Vectors] = UCI, **parameters: Any) -> list[Case]:
    """A case for each set.

    Parameters
    ----------
    sets : sequence of Vectors
    **parameters
        Of ours, where they are not the defaults.
    """
    return [
        Case(
            f"choosing settings, {one.name}",
            partial(fit, one, SFMClassifierCV(random_state=0, n_jobs=1, **parameters)),
            "scikit-learn",
        )
        for one in sets
    ]


if __name__ == "__main__":
    main(cases(), __doc__)
