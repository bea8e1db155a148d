"""Cross-validation over settings, with the models of a fold fitted once for all of them."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sfmcore.data.arrays import BoolArray, Float64Array, Int64Array
from sfmcore.data.targets import UNLABELED
from sfmcore.evaluation.folds import Fold
from sfmcore.learning.algorithm import solve_path
from sfmcore.learning.members import Candidate, prepared_members
from sfmcore.learning.one_vs_rest import pair_seed
from sfmcore.learning.prepare import prepare
from sfmcore.learning.problem import Problem
from sfmcore.learning.task import Task
from sfmcore.learning.vote import decide, vote_shares
from sfmcore.models.base import GenerativeModel
from sfmcore.parallel.tasks import learn_many
from sfmcore.preparation.base import applied


@dataclass(frozen=True)
class Selection:
    """What cross-validation found.

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
    """

    candidates: list[dict[str, Any]]
    accuracies: Float64Array
    tandem_losses: Float64Array
    fold_weights: Float64Array
    n_Cs: int

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

    def voters(
        self, scoring: str, n_voters: int, among: BoolArray | None = None
    ) -> list[dict[str, Any]]:
        """The best settings, each with its own best C; of equal ones the simpler.

        Parameters
        ----------
        scoring : {"tandem", "accuracy"}
        n_voters : int
            At most as many. Without a tested item nothing speaks for any setting but its
            simplicity: then only the first of all votes.
        among : ndarray of shape (n_settings,), bool, optional
            Settings that stand for election; all without it.
        """
        figures = self._figures(scoring).reshape(-1, self.n_Cs)
        standing = np.arange(len(figures)) if among is None else np.flatnonzero(among)
        if np.isnan(figures).all():
            return self.candidates[:1] if 0 in standing else []
        own = figures.argmin(1)
        order = np.argsort(figures[standing].min(1), kind="stable")[:n_voters]
        return [self.candidates[number * self.n_Cs + own[number]] for number in standing[order]]

    def _figures(self, scoring: str) -> Float64Array:
        # Sums of weights in another order differ in the last digits: those are ties too.
        figures = self.tandem_losses if scoring == "tandem" else -self.accuracies
        return self.mean(figures).round(12)


def candidates_of(grid: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """All combinations of the grid that differ, the last name varying fastest.

    What says nothing is tried at its first value only: `clip` without conditioning, `gamma`
    without landmarks, and with landmarks `conditioning` and `clip`, since the kernel bends the
    features by itself. Coupling without draws is left out, since it feeds back into draws, and so
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

    Candidates that share a model and a preparation, the same objects, share their fits in a fold;
    features are computed once for every candidate, and J(u) is searched from the minimum of its
    convex surrogate, which is found from that at the next smaller C.

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
    jobs = list(itertools.product(range(len(folds)), problem.targets))

    def learn(job: tuple[int, int], n_threads: int) -> tuple[Float64Array, Float64Array]:
        fold, target = job
        return _fold_votes(candidates, problem, Cs, folds[fold], target, seed, n_threads)

    votes = learn_many(learn, jobs, n_threads, noun="folds", show_progress=show_progress)
    n_candidates, n_targets = len(settings) * len(Cs), len(problem.targets)
    accuracies, losses = np.zeros((2, n_candidates, len(folds)))
    weights = np.zeros(len(folds))
    for number, (_, test) in enumerate(folds):
        own = votes[number * n_targets : (number + 1) * n_targets]
        truth, shares = problem.numbers[test], problem.weights[test]
        if problem.n_classes == 2:
            labels = (own[0][0] > 0).astype(np.int64)
        else:
            labels = np.stack([scores for scores, _ in own]).argmax(0)
        weights[number] = shares.sum()
        if not len(test):
            # Of the user's folds one may test items without label only.
            accuracies[:, number] = losses[:, number] = np.nan
            continue
        accuracies[:, number] = ((labels == truth) * shares).sum(1) / weights[number]
        for target, (_, wrong) in zip(problem.targets, own, strict=True):
            wrong = np.where(truth == target, 1.0 - wrong, wrong)
            losses[:, number] += (wrong**2 * shares).sum(1) / weights[number]
    return Selection(
        candidates=[{**setting, "C": C} for setting in settings for C in Cs],
        accuracies=accuracies,
        tandem_losses=losses,
        fold_weights=weights,
        n_Cs=len(Cs),
    )


def _fold_votes(
    candidates: Sequence[Candidate],
    problem: Problem,
    Cs: Sequence[float],
    fold: Fold,
    target: int,
    seed: int,
    n_threads: int,
) -> tuple[Float64Array, Float64Array]:
    """Scores and shares of the votes on the test items of one binary problem.

    Both have shape (n_candidates * n_Cs, n_test).
    """
    train, test = fold
    signs, weights = problem.signs(target)[train], problem.weights[train]
    scores, shares = np.empty((2, len(candidates), len(Cs), len(test)))
    shape = len(candidates) * len(Cs), len(test)
    if not (np.any(signs > 0) and np.any(signs < 0)):
        # A split of the user's may leave a class out: then nothing speaks for it.
        scores[:] = 1.0 if np.any(signs > 0) else -1.0
        shares[:] = scores > 0
        return scores.reshape(shape), shares.reshape(shape)
    known, held_out = problem.items[train], problem.items[test]
    members = prepared_members(candidates, known, weights, seed=seed, n_threads=n_threads)
    fitted = [member.preparation for member in members]
    trained, tested = applied(fitted, known), applied(fitted, held_out)
    models: dict[tuple[int, int], Sequence[GenerativeModel]] = {}
    for number, (candidate, member) in enumerate(zip(candidates, members, strict=True)):
        task = Task.of(
            trained[number],
            signs,
            weights=weights,
            seed=pair_seed(seed, target, 0),
            n_threads=n_threads,
        )
        own = id(candidate.model), id(candidate.preparation)
        try:
            prepared = prepare(task, member.model, member.settings, models.get(own, ()))
        except np.linalg.LinAlgError:
            # What can't be computed is always wrong, and so loses to whatever can.
            truth = problem.numbers[test] == target
            shares[number], scores[number] = ~truth, np.where(truth, -np.inf, np.inf)
            continue
        models[own] = prepared.models
        for column, pair in enumerate(solve_path(prepared, Cs)):
            margins, each = pair.votes(tested[number], n_threads)
            shares[number, column] = vote_shares(margins)
            scores[number, column] = decide(each, member.settings.vote)
    return scores.reshape(shape), shares.reshape(shape)


def known_part(problem: Problem, known: BoolArray | None) -> Problem:
    """The problem without the items that are kept for a certificate."""
    if known is None:
        return problem
    kept = np.flatnonzero(known | (problem.numbers == UNLABELED))
    return replace(
        problem,
        items=problem.items[kept],
        numbers=problem.numbers[kept],
        weights=problem.weights[kept],
        places=problem.places[kept],
    )
