"""Cross-validation over settings, with the models of a fold fitted once for all of them."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfmcore.data.arrays import BoolArray, Float32Array, Float64Array, Int64Array
from sfmcore.evaluation.fold_votes import FoldItems, FoldTask, Votes
from sfmcore.evaluation.folds import Fold
from sfmcore.features.column_kernel import ColumnKernel
from sfmcore.learning.members import Candidate, Member, prepared_members
from sfmcore.learning.problem import Problem
from sfmcore.learning.vote import decide
from sfmcore.parallel.tasks import learn_many


@dataclass(frozen=True)
class Selection:
    """Results of a cross-validation.

    Attributes
    ----------
    candidates : list of dict
        Settings that were tried, the simplest first.
    accuracies : ndarray of shape (n_candidates, n_folds)
        Weighted share of right labels in each fold; NaN where no item is tested.
    tandem_losses : ndarray of shape (n_candidates, n_folds)
        How often two drawn classifiers are both wrong, summed over the one-versus-rest problems.
    fold_weights : ndarray of shape (n_folds,)
        Weight of each fold's items.
    n_Cs : int
        Values of C; they follow each other for every setting.
    scores : list of ndarray of shape (n_candidates, n_targets, n_test), float32
        What every candidate said of the test items of each fold; NaN where it can't be computed.
    """

    candidates: list[dict[str, Any]]
    accuracies: Float64Array
    tandem_losses: Float64Array
    fold_weights: Float64Array
    n_Cs: int
    scores: list[Float32Array]

    def mean(self, figures: Float64Array) -> Float64Array:
        """Mean over the items of all folds, shape (n_candidates,); NaN without a tested item."""
        tested = self.fold_weights > 0
        if not tested.any():
            return np.full(len(figures), np.nan)
        weights = self.fold_weights[tested]
        return (figures[:, tested] * weights).sum(1) / weights.sum()

    def ranking(self, scoring: str) -> Int64Array:
        """Numbers of the candidates, the best first; of equal ones the simpler.

        Parameters
        ----------
        scoring : {"tandem", "accuracy"}
        """
        return np.argsort(self._figures(scoring), kind="stable")

    def voters(self, scoring: str, n_voters: int, among: BoolArray | None = None) -> list[int]:
        """Numbers of the best settings, each with its own best C; of equal ones the simpler.

        Parameters
        ----------
        scoring : {"tandem", "accuracy"}
        n_voters : int
            At most as many. Without a tested item nothing speaks for any setting but its
            simplicity: then only the first of all votes.
        among : ndarray of shape (n_settings,), bool, optional
            Settings that may be elected; all by default.
        """
        figures = self._figures(scoring).reshape(-1, self.n_Cs)
        standing = np.arange(len(figures)) if among is None else np.flatnonzero(among)
        if np.isnan(figures).all():
            return [0] if 0 in standing else []
        own = figures.argmin(1)
        order = np.argsort(figures[standing].min(1), kind="stable")[:n_voters]
        return [int(number * self.n_Cs + own[number]) for number in standing[order]]

    def votes_of(self, voters: Sequence[int], vote: str) -> list[Float64Array]:
        """Joint votes of some candidates on the test items of each fold.

        Parameters
        ----------
        voters : sequence of int
            Numbers of candidates; each counts the same.
        vote : {"majority", "normalised", "raw"}

        Returns
        -------
        list of ndarray of shape (n_test, n_targets)
            0, which speaks for neither side, where nothing could be computed.
        """
        votes = []
        for own in self.scores:
            rows = np.nan_to_num(own[list(voters)].astype(np.float64), nan=0.0)
            columns = [decide(rows[:, k].T, vote) for k in range(rows.shape[1])]
            votes.append(np.column_stack(columns))
        return votes

    def _figures(self, scoring: str) -> Float64Array:
        # Sums of weights in another order differ in the last digits: those are ties too.
        figures = self.tandem_losses if scoring == "tandem" else -self.accuracies
        return self.mean(figures).round(12)


def candidates_of(grid: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """All combinations of the grid that differ, the last name varying fastest.

    Parameters without effect are tried at their first value only: `clip` without conditioning,
    `gamma` without landmarks, and with landmarks `conditioning` and `clip`, since the kernel is
    nonlinear itself. Coupling without draws is left out, since it feeds back into draws, and so
    is a MAP prior with landmarks, since that classifier is linear.

    Raises
    ------
    ValueError
        If nothing is left.

    Examples
    --------
    >>> candidates_of({"n_draws": ("exact", 5), "coupling": (0.0, 1.0)})[1:]
    [{'n_draws': 5, 'coupling': 0.0}, {'n_draws': 5, 'coupling': 1.0}]
    """
    first = {name: values[0] for name, values in grid.items()}
    every = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]

    def tried(candidate: dict[str, Any]) -> bool:
        kernel = candidate.get("n_landmarks", 0) > 0
        idle = {"conditioning", "clip"} if kernel else set()
        if candidate.get("n_landmarks") == 0:
            idle.add("gamma")
        if candidate.get("conditioning") is False:
            idle.add("clip")
        if any(candidate[name] != first[name] for name in idle & candidate.keys()):
            return False
        if candidate.get("coupling", 0) > 0 and candidate.get("n_draws") == "exact":
            return False
        return not (kernel and candidate.get("prior") == "map")

    kept = [candidate for candidate in every if tried(candidate)]
    if not kept:
        raise ValueError(
            "no setting of the grid can be learnt: coupling needs n_draws to be a number, and "
            "prior='map' needs n_landmarks=0"
        )
    return kept


def select(
    candidates: Sequence[Candidate],
    settings: Sequence[Mapping[str, Any]],
    problem: Problem,
    Cs: Sequence[float],
    folds: Iterable[Fold],
    *,
    seed: int,
    n_threads: int,
    show_progress: bool = False,
) -> Selection:
    """Try all candidates on all folds.

    Candidates that share a model and a preparation, the same objects, share what they can of a fold
    (:mod:`sfmcore.evaluation.fold_votes`). u is searched only as closely as their order asks for
    (:func:`sfmcore.learning.search.rough_minima`).

    Parameters
    ----------
    candidates : sequence of Candidate
        Simpler ones first.
    settings : sequence of mapping
        What the result calls each of them.
    problem : Problem
        With the items as encoded.
    Cs : sequence of float
        Values of C; a smaller one is simpler.
    folds : iterable of (train, test)
        Indexes of items. Those of `test` must have labels.
    seed : int
    n_threads : int
        The result does not depend on it.
    show_progress : bool, default=False

    Returns
    -------
    Selection
    """
    folds = list(folds)
    Cs = sorted(Cs)
    prepared = learn_many(
        lambda fold, n_threads: _prepared_fold(candidates, problem, fold, seed, n_threads),
        folds,
        n_threads,
    )
    shape = len(candidates) * len(Cs), len(folds)
    accuracies, losses = np.full((2, *shape), np.nan)
    weights = np.zeros(len(folds))
    said = [np.empty((shape[0], len(problem.targets), 0), dtype=np.float32)] * len(folds)
    jobs = [
        (number, group, targets)
        for number, (_, test) in enumerate(folds)
        if len(test)
        for group, targets in _groups(candidates, problem.targets)
    ]

    def learn(job: tuple[int, list[int], list[int]], n_threads: int) -> Votes:
        fold, group, targets = job
        members, items = prepared[fold]
        task = FoldTask(
            problem,
            folds[fold][0],
            targets,
            [members[number] for number in group],
            [items[number] for number in group],
            Cs,
            seed,
            n_threads,
        )
        return task.votes()

    votes = learn_many(learn, jobs, n_threads, noun="folds", show_progress=show_progress)
    for number, (_, test) in enumerate(folds):
        weights[number] = problem.weights[test].sum()
        if not len(test):
            # Of the user's folds one may test items without label only.
            continue
        own = [
            (group, targets, vote)
            for (fold, group, targets), vote in zip(jobs, votes, strict=True)
            if fold == number
        ]
        *figures, scores = _figures_of_fold(own, (len(candidates), len(Cs)), problem, test)
        accuracies[:, number], losses[:, number] = (each.ravel() for each in figures)
        said[number] = scores.reshape(shape[0], *scores.shape[2:])
    return Selection(
        candidates=[{**setting, "C": C} for setting in settings for C in Cs],
        accuracies=accuracies,
        tandem_losses=losses,
        fold_weights=weights,
        n_Cs=len(Cs),
        scores=said,
    )


def _prepared_fold(
    candidates: Sequence[Candidate], problem: Problem, fold: Fold, seed: int, n_threads: int
) -> tuple[list[Member], list[FoldItems]]:
    """Candidates with preparations fitted to a fold's training items, and its items by each."""
    train, test = fold
    known, held_out = problem.items[train], problem.items[test]
    if not len(test):
        return [], []
    members = prepared_members(
        candidates,
        known,
        problem.numbers[train],
        problem.weights[train],
        seed=seed,
        n_threads=n_threads,
    )
    made: dict[int, FoldItems] = {}
    for own in (member.preparation for member in members):
        if id(own) not in made:
            made[id(own)] = FoldItems(own.apply(known), own.apply(held_out))
    return members, [made[id(member.preparation)] for member in members]


def _groups(
    candidates: Sequence[Candidate], targets: Sequence[int]
) -> list[tuple[list[int], list[int]]]:
    """Numbers of candidates that share work, each with the classes that share it, too."""
    mixtures: list[int] = []
    columns: dict[tuple[int, str, int], list[int]] = {}
    for number, one in enumerate(candidates):
        if isinstance(one.model, ColumnKernel):
            own = id(one.preparation), one.model.kernel, one.model.n_landmarks
            columns.setdefault(own, []).append(number)
        else:
            mixtures.append(number)
    groups = [(mixtures, [target]) for target in targets] if mixtures else []
    return [*groups, *((numbers, list(targets)) for numbers in columns.values())]


def _figures_of_fold(
    votes: Iterable[tuple[list[int], list[int], Votes]],
    shape: tuple[int, int],
    problem: Problem,
    test: Int64Array,
) -> tuple[Float64Array, Float64Array, Float32Array]:
    """Accuracy, tandem loss and scores of every candidate and C on a fold's test items.

    Parameters
    ----------
    votes : iterable of (numbers, targets, votes)
        Of some candidates for some classes each.
    shape : (n_candidates, n_Cs)
    problem : Problem
    test : ndarray of shape (n_test,)
        Places of at least one item.
    """
    truth, weights = problem.numbers[test], problem.weights[test]
    total = weights.sum()
    scores = np.empty((*shape, len(problem.targets), len(test)))
    every = np.empty(scores.shape, dtype=np.float32)
    losses = np.zeros(shape)
    for numbers, targets, (own, shares) in votes:
        for place, target in enumerate(targets):
            right = truth == target
            # What can't be computed is always wrong, and so loses to whatever can.
            failed = np.isnan(own[:, :, place])
            said = np.where(failed, np.where(right, -np.inf, np.inf), own[:, :, place])
            scores[numbers, :, problem.targets.index(target)] = said
            every[numbers, :, problem.targets.index(target)] = own[:, :, place]
            wrong = np.where(
                failed, 1.0, np.where(right, 1.0 - shares[:, :, place], shares[:, :, place])
            )
            losses[numbers] += (wrong**2 * weights).sum(2) / total
    two = problem.n_classes == 2
    labels = (scores[:, :, 0] > 0).astype(np.int64) if two else scores.argmax(2)
    return ((labels == truth) * weights).sum(2) / total, losses, every
