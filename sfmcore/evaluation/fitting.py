"""Fits to a part of the items, without the warnings of a single `fit`."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy.typing as npt
from sklearn.base import clone

from sfmcore.data.arrays import Int64Array
from sfmcore.learning.problem import Problem, make_problem


def learn_on(
    train: Int64Array,
    classifier: Any,
    items: Any,
    labels: npt.NDArray[Any],
    groups: Sequence[Hashable] | None,
    *,
    seed: int,
    n_threads: int,
) -> tuple[Any, Problem]:
    """Fit a clone of a classifier to some of the items.

    Parameters
    ----------
    train : ndarray of shape (n_train,)
        Places of the items to learn from.
    classifier : SFMClassifier
    items : batch of items
        As its preparation encodes them.
    labels : ndarray of shape (n_items,)
    groups : sequence of shape (n_items,) or None
    seed : int
        Of the clone.
    n_threads : int
        The result does not depend on it.

    Returns
    -------
    model : SFMClassifier
        Fitted.
    problem : Problem
        What it was fitted to.

    Examples
    --------
    >>> import numpy as np
    >>> from sfmcore import SFMClassifier
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0], [6]], 30, axis=0)
    >>> y = np.repeat(["a", "b"], 30)
    >>> classifier = SFMClassifier(n_components=1)
    >>> model, _ = learn_on(np.arange(0, 60, 2), classifier, X, y, None, seed=0, n_threads=1)
    >>> bool(model.score(X[1::2], y[1::2]) > 0.9)
    True
    """
    model = clone(classifier).set_params(random_state=seed, n_jobs=n_threads, verbose=0)
    model.check_parameters()
    own_groups = None if groups is None else [groups[item] for item in train.tolist()]
    problem = make_problem(
        items[train], labels[train], unlabeled=model.unlabeled, groups=own_groups
    )
    return model.learn(problem), problem
