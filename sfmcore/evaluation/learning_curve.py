"""Accuracy against the number of labelled items, without and with items that have no label."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils import indexable
from sklearn.utils.validation import has_fit_parameter

from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.data.checks import check_number, check_whole
from sfmcore.data.targets import numbered_labels, require_two_classes
from sfmcore.evaluation.halves import half_split
from sfmcore.learning.pair import Pair, warn_of_limits
from sfmcore.learning.problem import draw_seed
from sfmcore.parallel.tasks import learn_many
from sfmcore.parallel.threads import effective_threads


@dataclass(frozen=True)
class SemiSupervisedCurve:
    """Accuracies over random halves, for several numbers of labelled items.

    A column of both arrays is one random half: the same labelled items, the same test items and
    the same seed. So the gain is best judged half by half, by the differences of the columns.

    Attributes
    ----------
    n_labelled : ndarray of shape (n_sizes,), int64
        Labelled items of training, all classes together.
    supervised : ndarray of shape (n_sizes, n_partitions)
        Share of right labels on the test items, trained on the labelled items alone.
    semi_supervised : ndarray of shape (n_sizes, n_partitions)
        The same, trained with the items without label as well.
    n_unlabelled : ndarray of shape (n_partitions,), int64
        Items without label in training.
    n_test : ndarray of shape (n_partitions,), int64
        Test items.
    seed : int
        Of the halves, the subsets and the estimators.
    """

    n_labelled: Int64Array
    supervised: Float64Array
    semi_supervised: Float64Array
    n_unlabelled: Int64Array
    n_test: Int64Array
    seed: int

    @property
    def accuracies(self) -> dict[str, Float64Array]:
        """Both arrays by their names, as :class:`sfmcore.plots.LearningCurveDisplay` takes them."""
        return {"supervised": self.supervised, "semi-supervised": self.semi_supervised}

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "n_labelled": self.n_labelled.tolist(),
            "supervised": self.supervised.tolist(),
            "semi_supervised": self.semi_supervised.tolist(),
            "n_unlabelled": self.n_unlabelled.tolist(),
            "n_test": self.n_test.tolist(),
            "seed": self.seed,
        }


@dataclass(frozen=True)
class SemiSupervisedSplit:
    """Training and test items of one random half.

    Attributes
    ----------
    labelled : ndarray of shape (n_train,), int64
        The training half, in the order in which its items get a label: the first `n` are the
        labelled items of size `n`.
    unlabelled : ndarray of shape (n_unlabelled,), int64
        Items of the other half that train without their label, sorted.
    test : ndarray of shape (n_test,), int64
        The rest of the other half, sorted.
    """

    labelled: Int64Array
    unlabelled: Int64Array
    test: Int64Array


def stratified_order(y: npt.ArrayLike, random: np.random.Generator) -> Int64Array:
    """Random order whose first `n` items have the shares of the classes, for every `n`.

    One item of each class comes first, so that every class can be learnt. From there the counts
    are those of Webster's method, which gives the next seat without taking one away.

    Parameters
    ----------
    y : array-like of shape (n_items,)
    random : numpy.random.Generator

    Returns
    -------
    ndarray of shape (n_items,), int64

    Examples
    --------
    >>> y = np.array([0, 0, 0, 0, 1, 1])
    >>> order = stratified_order(y, np.random.default_rng(0))
    >>> np.bincount(y[order[:3]]).tolist()
    [2, 1]
    """
    labels, numbers = np.unique(np.asarray(y), return_inverse=True)
    places = np.empty(len(numbers))
    for number in range(len(labels)):
        members = random.permutation(np.flatnonzero(numbers == number))
        places[members] = (np.arange(len(members)) + 0.5) / len(members)
        places[members[0]] = -1.0
    # Classes of one size tie at every seat: chance says which of them is served first.
    ties = random.permutation(len(labels))[numbers]
    return np.lexsort((ties, places))


def semi_supervised_split(
    y: npt.ArrayLike, unlabeled_share: float, random: np.random.Generator
) -> SemiSupervisedSplit:
    """Split the items into random halves, and take a share of the test half as unlabelled.

    The share is drawn without a look at the labels, since training must not know them.

    Parameters
    ----------
    y : array-like of shape (n_items,)
        At least two classes of at least two items.
    unlabeled_share : float
        Between 0 and 1. At least one item is unlabelled, and at least one is left to test.
    random : numpy.random.Generator

    Returns
    -------
    SemiSupervisedSplit

    Raises
    ------
    ValueError
        If a class has one item only.

    Examples
    --------
    >>> split = semi_supervised_split([0, 1] * 8, 0.25, np.random.default_rng(0))
    >>> len(split.labelled), len(split.unlabelled), len(split.test)
    (8, 2, 6)
    """
    labels = np.asarray(y)
    train, test = half_split(labels, None, random)
    order = train[stratified_order(labels[train], random)]
    count = min(max(1, round(unlabeled_share * len(test))), len(test) - 1)
    taken = np.sort(random.permutation(test)[:count])
    return SemiSupervisedSplit(order, taken, np.setdiff1d(test, taken))


def semi_supervised_curve(
    estimator: Any,
    X: Any,
    y: npt.ArrayLike,
    *,
    n_labelled: Sequence[int],
    n_partitions: int = 10,
    unlabeled_share: float = 0.25,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = None,
    show_progress: bool = False,
) -> SemiSupervisedCurve:
    """Train with and without unlabelled items, for several numbers of labelled ones.

    Every random half gives the labelled items from one side, and from the other the unlabelled
    items and, apart from these, the test items. Each class is halved by itself. A smaller set
    of labelled items is part of the larger ones. In the paper a quarter of the test half is
    unlabelled. For the accuracy of one class against the rest let `y` be boolean.

    Parameters
    ----------
    estimator : object
        With ``fit(X, y, X_unlabeled=...)`` and ``predict``; cloned for each training.
    X : inputs
        An array, a data frame, a list or a batch of items.
    y : array-like of shape (n_items,)
        Labels, none missing, of at least two classes of at least two items.
    n_labelled : sequence of int
        Numbers of labelled items, rising: from the number of classes to half of the items.
    n_partitions : int, default=10
        Random halves.
    unlabeled_share : float, default=0.25
        Share of the test half that trains without its labels.
    random_state : int, RandomState instance or None, default=None
        Of the halves, the subsets and the estimators.
    n_jobs : int or None, default=None
        Threads; each takes whole halves. The result does not depend on it.
    show_progress : bool, default=False
        A progress bar on standard error if that is a terminal.

    Returns
    -------
    SemiSupervisedCurve

    Raises
    ------
    TypeError
        If the estimator's `fit` takes no `X_unlabeled`.
    ValueError
        If a class can't be halved, a number of labelled items is out of range, or an input
        can't be used.

    Warns
    -----
    ConvergenceWarning
        Once for all, if EM or Algorithm 1 stopped at its limit.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sfmcore.estimators.classifier import SFMClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> model = SFMClassifier(n_components=1)
    >>> curve = semi_supervised_curve(
    ...     model, X, y == 0, n_labelled=(8, 32), n_partitions=2, random_state=0
    ... )
    >>> curve.supervised.shape, curve.n_unlabelled.tolist()
    ((2, 2), [22, 22])
    """
    if not has_fit_parameter(estimator, "X_unlabeled"):
        name = type(estimator).__name__
        raise TypeError(f"the fit of {name} takes no X_unlabeled: nothing to compare")
    check_whole("n_partitions", n_partitions, 1)
    check_number("unlabeled_share", unlabeled_share, "between 0 and 1", lambda share: 0 < share < 1)
    (X,) = indexable(X)
    classes, numbers = numbered_labels(y, X.shape[0] if hasattr(X, "shape") else len(X), None)
    require_two_classes(classes, numbers, None)
    labels = classes[numbers]
    sizes = _checked_sizes(n_labelled, np.bincount(numbers))
    seed = draw_seed(random_state)
    threads = effective_threads(n_jobs)

    def one(partition: int, n_threads: int) -> tuple[Float64Array, SemiSupervisedSplit, list[Pair]]:
        random = np.random.default_rng([seed, partition])
        split = semi_supervised_split(labels, unlabeled_share, random)
        local = _seeded(estimator, int(random.integers(2**31)), n_threads)
        more, questions = _rows(X, split.unlabelled), _rows(X, split.test)
        shares, pairs = np.empty((len(sizes), 2)), []
        for row, size in enumerate(sizes):
            known = split.labelled[:size]
            for column, given in enumerate(({}, {"X_unlabeled": more})):
                model = clone(local)
                pairs += _fit(model, _rows(X, known), labels[known], given)
                shares[row, column] = np.mean(model.predict(questions) == labels[split.test])
        return shares, split, pairs

    found = learn_many(
        one, range(n_partitions), threads, noun="partitions", show_progress=show_progress
    )
    warn_of_limits([pair for _, _, pairs in found for pair in pairs])
    shares = np.stack([shares for shares, _, _ in found], axis=1)
    return SemiSupervisedCurve(
        n_labelled=sizes,
        supervised=shares[:, :, 0].copy(),
        semi_supervised=shares[:, :, 1].copy(),
        n_unlabelled=np.array([len(split.unlabelled) for _, split, _ in found]),
        n_test=np.array([len(split.test) for _, split, _ in found]),
        seed=seed,
    )


def _checked_sizes(n_labelled: Sequence[int], counts: Int64Array) -> Int64Array:
    """Numbers of labelled items that every random half can give."""
    sizes = list(n_labelled)
    for size in sizes:
        check_whole("n_labelled", size, 1)
    if not sizes or any(b <= a for a, b in pairwise(sizes)):
        raise ValueError(f"n_labelled must hold rising numbers, got {sizes}")
    # A coin gives the odd item of a class to either half.
    least, most = len(counts), int((counts // 2).sum())
    if sizes[0] < least or sizes[-1] > most:
        raise ValueError(
            f"n_labelled must lie in {least} (one item of each class) to {most} (the smallest "
            f"training half), got {sizes[0]} to {sizes[-1]}"
        )
    return np.array(sizes, dtype=np.int64)


def _seeded(estimator: Any, seed: int, n_threads: int) -> Any:
    """Clone with the seed wherever it takes one, quiet, and with its share of the threads."""
    model = clone(estimator)
    names = model.get_params()
    seeds = {
        name: seed for name in names if name == "random_state" or name.endswith("__random_state")
    }
    rest = {name: n for name, n in (("n_jobs", n_threads), ("verbose", 0)) if name in names}
    return model.set_params(**seeds, **rest)


def _rows(X: Any, rows: Int64Array) -> Any:
    """Chosen items, in the form that X has."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if isinstance(X, list | tuple):
        return [X[row] for row in rows]
    return X[rows]


def _fit(model: Any, X: Any, y: npt.NDArray[Any], given: dict[str, Any]) -> list[Pair]:
    """Fit; the pairs of an estimator of this package, which then does not warn of each fit."""
    if not (hasattr(model, "learn") and hasattr(model, "problem")):
        model.fit(X, y, **given)
        return []
    pairs: list[Pair] = model.learn(model.problem(X, y, **given)).pairs_
    return pairs
