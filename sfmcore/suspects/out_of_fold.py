"""Probabilities of every item by classifiers that did not learn from it: complete fits of folds."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.data.storable import storable
from sfmcore.evaluation.cross_validation import fold_numbers
from sfmcore.evaluation.fitting import learn_on
from sfmcore.evaluation.halves import split_of
from sfmcore.learning.pair import Limits, limits_of, warn_of
from sfmcore.parallel.tasks import run_tasks


@storable
@dataclass(frozen=True)
class OutOfFold:
    """What classifiers say of items that they did not learn from.

    Attributes
    ----------
    shares : ndarray of shape (n_items, n_classes)
        Probability of each class.
    typicality : ndarray of shape (n_items,)
        P-value of being like the items that were learnt from; NaN where it is not known.
    """

    shares: Float64Array
    typicality: Float64Array


def out_of_fold(
    classifier: Any,
    items: Any,
    labels: npt.NDArray[Any],
    *,
    folds: int,
    seed: int = 0,
    groups: Sequence[Hashable] | None = None,
    n_threads: int = 1,
    show_progress: bool = False,
) -> OutOfFold:
    """Learn from all folds but one, judge the items of that one, and so on for every fold.

    Preparations, models, relatives and the calibration of the probabilities are learnt anew for
    every fold, so nothing has seen the label of an item that it judges.

    Parameters
    ----------
    classifier : SFMClassifier
        Unfitted; cloned for each fold.
    items : batch of items
        As the classifier's preparation encodes them.
    labels : ndarray of shape (n_items,)
        Of two classes at least, none missing.
    folds : int
        At least 2. Classes are spread evenly.
    seed : int, default=0
        Of the folds and of the classifiers.
    groups : sequence of shape (n_items,), optional
        Items of one group are in one fold.
    n_threads : int, default=1
        Each takes whole folds. The result does not depend on it.
    show_progress : bool, default=False

    Returns
    -------
    OutOfFold
        With the classes in sorted order.

    Raises
    ------
    ValueError
        If a class has fewer items than there are folds, or there are no folds that leave every
        class in every training part.

    Warns
    -----
    ConvergenceWarning
        Once, if EM or Algorithm 1 stopped at its limit.

    Examples
    --------
    >>> from sfmcore import SFMClassifier
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0], [6]], 30, axis=0)
    >>> found = out_of_fold(SFMClassifier(n_components=1), X, np.repeat(["a", "b"], 30), folds=3)
    >>> found.shares.shape, bool(found.shares[:30, 0].min() > 0.5)
    ((60, 2), True)
    """
    fold_of = fold_numbers(labels, groups, folds, seed)
    shared = {
        "classifier": classifier,
        "items": items,
        "labels": labels,
        "groups": groups,
        "seed": seed,
        "fold_of": fold_of,
    }
    named = {f"fold {number}": number for number in range(folds)}
    found = run_tasks(
        _judge_fold, named, shared, n_threads, noun="folds", show_progress=show_progress
    )
    warn_of([own.limits for own in found])
    shares = np.empty((len(labels), found[0].said.shares.shape[1]))
    typicality = np.empty(len(labels))
    for number, own in enumerate(found):
        shares[fold_of == number] = own.said.shares
        typicality[fold_of == number] = own.said.typicality
    return OutOfFold(shares, typicality)


@storable
@dataclass(frozen=True)
class _Fold:
    """What was said of the items of a fold, and whether the fit stopped at a limit."""

    said: OutOfFold
    limits: Limits


def _judge_fold(
    fold: int,
    n_threads: int,
    *,
    classifier: Any,
    items: Any,
    labels: npt.NDArray[Any],
    groups: Sequence[Hashable] | None,
    seed: int,
    fold_of: Int64Array,
) -> _Fold:
    """Learn from the other folds, and judge the items of this one."""
    train, test, own_seed = split_of(fold, labels=labels, groups=groups, seed=seed, fold_of=fold_of)
    model, _ = learn_on(
        train, classifier, items, labels, groups, seed=own_seed, n_threads=n_threads
    )
    tested = items[test]
    made = model.prepared(tested)
    judged = model.judge(tested, made)
    typicality = np.full(len(test), np.nan)
    if model.typicality_ is not None:
        typicality = model.typicality_of(made, judged)
    return _Fold(OutOfFold(judged.shares, typicality), limits_of(model.pairs_))
