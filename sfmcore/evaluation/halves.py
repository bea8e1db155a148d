"""Evaluation over random halves, which are the paper's protocol, or over folds."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from sfmcore.bounds.inequalities import binomial_bound
from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.data.storable import storable
from sfmcore.data.targets import UNLABELED, numbered_labels
from sfmcore.evaluation.answers import (
    Answers,
    answers_of,
    confusion_of,
    reliability_of,
    score_columns,
)
from sfmcore.evaluation.climbs import Climb, climbs_of
from sfmcore.evaluation.cross_validation import fold_numbers
from sfmcore.evaluation.fitting import learn_on
from sfmcore.evaluation.measures import (
    MEASURES,
    RANK_MEASURES,
    Measures,
    mean_of_defined,
    measures_of,
)
from sfmcore.learning.pair import Limits, limits_of, warn_of
from sfmcore.learning.problem import Problem
from sfmcore.parallel.tasks import run_tasks
from sfmcore.parallel.threads import effective_threads

# Of the paper.
_HALVES = 20


@storable
@dataclass(frozen=True)
class Search:
    """Course of learning a pair; see :class:`sfmcore.learning.pair.Pair`.

    Attributes
    ----------
    objective : list of float
        J(u) after each iteration, and after the last fit of u.
    n_iter : int
        Iterations of Algorithm 1.
    """

    objective: list[float]
    n_iter: int


class Examine(Protocol):
    """A further look at the classifier of each partition, while there is one."""

    def __call__(
        self, model: Any, problem: Problem, train: Int64Array, answers: Answers, items: Any
    ) -> Any:
        """Look at it.

        Parameters
        ----------
        model : FittedClassifier
        problem : Problem
            What it was learnt from.
        train : ndarray of shape (n_train,)
            Places in X of the items of the problem's rows.
        answers : Answers
        items : batch of items
            All of X, encoded.

        Returns
        -------
        object
            What a checkpoint can hold, see :mod:`sfmcore.files.objects`.
        """


@dataclass(frozen=True)
class Evaluation:
    """Accuracies over random halves or folds, in per cent, and further measures, as shares.

    Attributes
    ----------
    labels : list
        Classes, sorted.
    counts : list of int
        Items of each class.
    accuracy : ndarray of shape (n_partitions, n_classes)
        One-versus-rest accuracy on the test part.
    multiclass : ndarray of shape (n_partitions,)
        Accuracy of the largest score.
    seed : int
    certified : ndarray of shape (n_partitions, n_classes), or None
        Accuracy that the test part proves (a binomial tail), each with probability 1 - delta, for
        new items with the classes in the shares of these. None with groups, whose items don't
        count one by one.
    delta : float
    answers : list of Answers
        One for each partition.
    searches : list of Search
        How the pairs of the first partition were learnt, class by class.
    measures : list of Measures
        One for each partition.
    folded : bool
        Whether the partitions are folds, whose test parts are all items, and not random halves.
    climbs : list of Climb
        How EM went for the models of the first partition.
    examined : list
        What `examine` returned for each partition; empty without it.
    """

    labels: list[Any]
    counts: list[int]
    accuracy: Float64Array
    multiclass: Float64Array
    seed: int
    certified: Float64Array | None
    delta: float
    answers: list[Answers]
    searches: list[Search]
    measures: list[Measures]
    folded: bool
    climbs: list[Climb] = field(default_factory=list)
    examined: list[Any] = field(default_factory=list)

    def confusion(self) -> Int64Array:
        """Test items of each true class (row) by predicted class, over all partitions."""
        return confusion_of(self.answers, len(self.labels))

    def reliability(self) -> dict[str, Any]:
        """Calibration of probabilities and sets of labels, over all partitions."""
        return reliability_of(self.answers)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; deviations are those of a sample (n - 1), null for one."""
        total = sum(self.counts)
        rows = []
        for column, (label, count) in enumerate(zip(self.labels, self.counts, strict=True)):
            values = self.accuracy[:, column]
            rows.append(
                {
                    "label": label,
                    "n_positive": count,
                    "n_negative": total - count,
                    "accuracy_mean": float(values.mean()),
                    "accuracy_std": deviation(values),
                    "majority": 100.0 * max(count, total - count) / total,
                    "certified_mean": (
                        None if self.certified is None else float(self.certified[:, column].mean())
                    ),
                    "accuracies": values.tolist(),
                    "measures": {
                        name: _summary([part.by_class[name][column] for part in self.measures])
                        for name in RANK_MEASURES
                    },
                }
            )
        return {
            "partitions": len(self.multiclass),
            "seed": self.seed,
            "unit": "percent",
            "certified_probability": 1.0 - self.delta,
            "classes": rows,
            "multiclass_accuracy_mean": float(self.multiclass.mean()),
            "multiclass_accuracy_std": deviation(self.multiclass),
            "multiclass_accuracies": self.multiclass.tolist(),
            "measures": {
                name: _summary([part.overall[name] for part in self.measures]) for name in MEASURES
            },
            "reliability": self.reliability() if self.answers else None,
        }


def deviation(values: Float64Array) -> float | None:
    """Return the sample's standard deviation, or None for a single value."""
    return float(values.std(ddof=1)) if len(values) > 1 else None


def _summary(values: Sequence[float]) -> dict[str, Any]:
    """Mean, deviation and all values; null for what is not defined, which the former leave out."""
    every = np.array(values)
    defined = every[~np.isnan(every)]
    return {
        "mean": mean_of_defined(every) if len(defined) else None,
        "std": deviation(defined),
        "values": [None if np.isnan(value) else float(value) for value in every],
    }


def half_split(
    y: npt.ArrayLike, groups: Sequence[Hashable] | None, random: np.random.Generator
) -> tuple[Int64Array, Int64Array]:
    """Split the items into random halves, class by class, and keep groups whole.

    Groups are taken in random order; each goes to the side that has fewer items of the group's
    classes so far. Without groups every item is its own, and every class is halved exactly.

    Parameters
    ----------
    y : array-like of shape (n_items,)
    groups : sequence of shape (n_items,) or None
    random : numpy.random.Generator

    Returns
    -------
    train, test : ndarray
        Sorted indexes.

    Raises
    ------
    ValueError
        If a class can't be on both sides: it has only one item or one group.

    Examples
    --------
    >>> train, test = half_split([0, 0, 1, 1], None, np.random.default_rng(0))
    >>> len(train), len(test)
    (2, 2)
    """
    labels, classes = np.unique(np.asarray(y), return_inverse=True)
    keys = range(len(classes)) if groups is None else groups
    if len(keys) != len(classes):
        raise ValueError(f"y has {len(classes)} items, groups has {len(keys)}")
    members: dict[Hashable, list[int]] = {}
    for item, key in enumerate(keys):
        members.setdefault(key, []).append(item)
    what = "item" if groups is None else "group"
    groups_of = np.zeros(len(labels), dtype=int)
    for items in members.values():
        groups_of[np.unique(classes[items])] += 1
    alone = labels[groups_of < 2]
    if len(alone):
        names = ", ".join(map(str, alone.tolist()))
        raise ValueError(f"a class with only one {what} can't be split into halves: {names}")
    filled = np.zeros((2, len(labels)), dtype=np.int64)
    side_of = np.empty(len(classes), dtype=np.int64)
    pooled = list(members.values())
    # A coin per class decides who gets the odd item.
    first = random.integers(0, 2, len(labels))
    for number in random.permutation(len(pooled)):
        items = pooled[number]
        counts = np.bincount(classes[items], minlength=len(labels))
        gap = int((filled[0] - filled[1]) @ counts)
        side = int(gap > 0) if gap else int(first[classes[items[0]]])
        filled[side] += counts
        side_of[items] = side
    if not filled.all():
        missing = ", ".join(map(str, labels[~filled.all(axis=0)].tolist()))
        raise ValueError(f"found no split that leaves these classes on both sides: {missing}")
    return np.flatnonzero(side_of == 0), np.flatnonzero(side_of == 1)


def evaluate(
    classifier: Any,
    X: Any,
    y: npt.ArrayLike,
    *,
    partitions: int | None = None,
    folds: int | None = None,
    seed: int = 0,
    groups: Sequence[Hashable] | None = None,
    n_jobs: int | None = None,
    show_progress: bool = False,
    examine: Examine | None = None,
) -> Evaluation:
    """Train on one part and test on the other, for many random halves or for each of some folds.

    Each class is halved by itself, or spread over the folds, and the classes' one-versus-rest
    problems share the parts, so a partition takes one multi-class fit.

    Parameters
    ----------
    classifier : SFMClassifier
        Unfitted; cloned for each partition.
    X : inputs
    y : array-like of shape (n_items,)
    partitions : int, optional
        Number of random halves; 20 without it and without `folds`.
    folds : int, optional
        Number of folds, instead of halves: each trains on all others and is tested once.
    seed : int, default=0
        Of the parts and of the classifiers.
    groups : sequence of shape (n_items,), optional
        Items of one group stay on one side.
    n_jobs : int or None, default=None
        Threads; each takes whole partitions. The result does not depend on it.
    show_progress : bool, default=False
    examine : callable, optional
        Called with the classifier of each partition, see :class:`Examine`: a function of a module,
        so that it can run on a cluster.

    Returns
    -------
    Evaluation

    Raises
    ------
    ValueError
        If both `partitions` and `folds` are given, a class can't be split so, an input can't be
        used, a label is missing, or the lengths differ.
    """
    if partitions is not None and folds is not None:
        raise ValueError("give either partitions or folds")
    if partitions is None:
        partitions = _HALVES
    if partitions < 1:
        raise ValueError(f"partitions must be at least 1, got {partitions}")
    # As when fitting: the columns of a frame are new to it.
    first = clone(classifier)
    items = first.preparation.encode(X, first, reset=True)
    classes, numbers = numbered_labels(y, len(items), classifier.unlabeled)
    if np.any(numbers == UNLABELED):
        raise ValueError("y must hold a label for every item to measure accuracy")
    labels = classes[numbers]
    shared = {
        "classifier": classifier,
        "items": items,
        "labels": labels,
        "numbers": numbers,
        "groups": groups,
        "seed": seed,
        "fold_of": None if folds is None else fold_numbers(labels, groups, folds, seed),
        "examine": examine,
    }
    name, count = ("half", partitions) if folds is None else ("fold", folds)
    rows = run_tasks(
        _learn_part,
        {f"{name} {number}": number for number in range(count)},
        shared,
        effective_threads(n_jobs),
        noun="halves" if folds is None else "folds",
        show_progress=show_progress,
    )
    warn_of([row.limits for row in rows])
    return Evaluation(
        labels=classes.tolist(),
        counts=np.bincount(numbers).tolist(),
        accuracy=np.array([row.accuracy for row in rows]),
        multiclass=np.array(
            [100.0 * np.mean(row.answers.predicted == row.answers.truth) for row in rows]
        ),
        seed=seed,
        certified=np.array([row.certified for row in rows]) if groups is None else None,
        delta=classifier.delta,
        answers=[row.answers for row in rows],
        searches=rows[0].searches,
        measures=[row.measures for row in rows],
        folded=folds is not None,
        climbs=rows[0].climbs,
        examined=[] if examine is None else [row.examined for row in rows],
    )


@storable
@dataclass(frozen=True)
class _Part:
    """Results of one partition for a row of the accuracies."""

    accuracy: Float64Array
    certified: Float64Array
    answers: Answers
    limits: Limits
    searches: list[Search]
    climbs: list[Climb]
    measures: Measures
    examined: Any


def split_of(
    partition: int,
    *,
    labels: npt.NDArray[Any],
    groups: Sequence[Hashable] | None,
    seed: int,
    fold_of: Int64Array | None,
) -> tuple[Int64Array, Int64Array, int]:
    """Training items, test items and the classifier's seed of a partition.

    Parameters
    ----------
    partition : int
    labels : ndarray of shape (n_items,)
    groups : sequence of shape (n_items,) or None
    seed : int
    fold_of : ndarray of shape (n_items,) or None
        See :func:`fold_numbers`; None for random halves.
    """
    random = np.random.default_rng([seed, partition])
    if fold_of is None:
        train, test = half_split(labels, groups, random)
    else:
        train, test = (np.flatnonzero(own) for own in (fold_of != partition, fold_of == partition))
    return train, test, int(random.integers(2**31))


def _learn_part(
    partition: int,
    n_threads: int,
    *,
    classifier: Any,
    items: Any,
    labels: npt.NDArray[Any],
    numbers: Int64Array,
    groups: Sequence[Hashable] | None,
    seed: int,
    fold_of: Int64Array | None,
    examine: Examine | None,
) -> _Part:
    train, test, own_seed = split_of(
        partition, labels=labels, groups=groups, seed=seed, fold_of=fold_of
    )
    model, problem = learn_on(
        train, classifier, items, labels, groups, seed=own_seed, n_threads=n_threads
    )
    judged = model.judge(items[test])
    scores = score_columns(judged.scores)
    truth = numbers[test][:, None] == np.arange(scores.shape[1])
    hits = (scores > 0) == truth
    wrong = (~hits).sum(0)
    # The parts have the same classes, so errors are not those of equal draws: each class has
    # its own rate. The tail of equal draws is the larger one (Hoeffding, 1956).
    proven = [1.0 - binomial_bound(int(k), len(test), classifier.delta) for k in wrong]
    answers = answers_of(model, test, numbers[test], scores, judged.shares)
    # Of the other partitions nobody asks.
    searches = (
        [Search(pair.objective, pair.n_iter) for pair in model.pairs_] if partition == 0 else []
    )
    return _Part(
        100.0 * hits.mean(0),
        100.0 * np.array(proven),
        answers,
        limits_of(model.pairs_),
        searches,
        climbs_of(model.pairs_) if partition == 0 else [],
        measures_of(numbers[test], answers.predicted, scores),
        None if examine is None else examine(model, problem, train, answers, items),
    )
