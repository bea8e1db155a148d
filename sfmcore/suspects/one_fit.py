"""Probabilities of every item by one fit: u is learnt again without it, over the same models."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from sfmcore.learning.held_out import N_FOLDS
from sfmcore.learning.pair import limits_of, warn_of
from sfmcore.learning.problem import make_problem
from sfmcore.suspects.out_of_fold import OutOfFold


def held_out_of_one_fit(
    classifier: Any,
    items: Any,
    labels: npt.NDArray[Any],
    *,
    seed: int = 0,
    groups: Sequence[Hashable] | None = None,
    n_threads: int = 1,
    show_progress: bool = False,
) -> OutOfFold:
    """Judge items by votes of u's that did not learn from them, as when confidence is learnt.

    Preparations, models, landmarks and the weights of relatives have seen the labels. Much cheaper
    than :func:`sfmcore.suspects.out_of_fold.out_of_fold`, which learns all of it anew.

    Parameters
    ----------
    classifier : SFMClassifier
        Unfitted, and not changed.
    items : batch of items
        As its preparation encodes them.
    labels : ndarray of shape (n_items,)
        Of two classes at least, none missing.
    seed : int, default=0
        Of the classifier and of the quarters that are held out.
    groups : sequence of shape (n_items,), optional
        Items of one group are held out together.
    n_threads : int, default=1
        The result does not depend on it.
    show_progress : bool, default=False

    Returns
    -------
    OutOfFold
        With the classes in sorted order, and without typicality.

    Raises
    ------
    ValueError
        If a class has fewer than four items.

    Warns
    -----
    ConvergenceWarning
        If EM or Algorithm 1 stopped at its limit.

    Examples
    --------
    >>> from sfmcore import SFMClassifier
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0], [6]], 30, axis=0)
    >>> found = held_out_of_one_fit(SFMClassifier(n_components=1), X, np.repeat(["a", "b"], 30))
    >>> found.shares.shape, bool(found.shares[:30, 0].min() > 0.5)
    ((60, 2), True)
    """
    classes, counts = np.unique(labels, return_counts=True)
    if counts.min() < N_FOLDS:
        few = classes[counts.argmin()]
        raise ValueError(
            f"class {few} has {counts.min()} items: one fit holds out quarters, and takes at least "
            f"{N_FOLDS} of every class"
        )
    model = clone(classifier).set_params(
        random_state=seed, n_jobs=n_threads, verbose=int(show_progress)
    )
    model.check_parameters()
    problem = make_problem(items, labels, unlabeled=model.unlabeled, groups=groups)
    pairs, shares = model.held_out_shares(problem)
    warn_of([limits_of(pairs)])
    return OutOfFold(shares, np.full(len(labels), np.nan))
