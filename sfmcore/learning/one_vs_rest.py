"""One binary problem for each class against the rest, learnt in parallel."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sfmcore.data.arrays import BoolArray
from sfmcore.features.column_kernel import ColumnKernel
from sfmcore.learning.algorithm import solve
from sfmcore.learning.column_members import learn_of_columns
from sfmcore.learning.members import Member
from sfmcore.learning.pair import Pair
from sfmcore.learning.prepare import prepare
from sfmcore.learning.problem import Problem, pair_seed
from sfmcore.learning.shared import learn_shared, shares_models
from sfmcore.learning.task import Task
from sfmcore.parallel.tasks import run_tasks
from sfmcore.preparation.base import applied


def learn_pairs(
    problem: Problem,
    members: Sequence[Member],
    *,
    n_pairs: int,
    seed: int,
    n_threads: int,
    known: BoolArray | None = None,
    show_progress: bool = False,
    made: Sequence[Any] | None = None,
) -> list[Pair]:
    """Learn `n_pairs` pairs of each member for each class against the rest.

    Where classes share models, their pairs share a map (:func:`learn_shared`), and so they do where
    a kernel on the columns takes the place of models (:func:`learn_of_columns`).

    Parameters
    ----------
    problem : Problem
    members : sequence of Member
        Their pairs vote together.
    n_pairs : int
    seed : int
    n_threads : int
        The result does not depend on it.
    known : ndarray of shape (n_items,), bool, optional
        Labelled items of the models; see :meth:`sfmcore.learning.task.Split.apart_from`.
    show_progress : bool, default=False
    made : sequence of batch of items, optional
        Items as each member's preparation makes them, where that was done before.

    Returns
    -------
    list of Pair
        Class by class, and member by member within a class.
    """
    # In the order of the votes of a class.
    team = [member for member in members for _ in range(n_pairs)]
    if made is None:
        made = applied([member.preparation for member in members], problem.items)
    items = [own for own in made for _ in range(n_pairs)]
    rest: dict[str, Any] = {
        "seed": seed,
        "n_threads": n_threads,
        "known": known,
        "show_progress": show_progress,
    }
    of_columns = {k: own for k, own in enumerate(team) if isinstance(own.model, ColumnKernel)}
    of_models = {k: own for k, own in enumerate(team) if k not in of_columns}
    learnt: dict[int, list[Pair]] = {}
    if of_models:
        # A team has the settings of one classifier, or of a cross-validation that shares no models.
        sharing = shares_models(problem, next(iter(of_models.values())).settings)
        learnt |= (_learn_shared if sharing else _learn_apart)(problem, of_models, items, **rest)
    if of_columns:
        learnt |= learn_of_columns(problem, of_columns, items, **rest)
    return [learnt[place][k] for k in range(len(problem.targets)) for place in range(len(team))]


def _learn_shared(
    problem: Problem, members: Mapping[int, Member], items: Sequence[Any], **rest: Any
) -> dict[int, list[Pair]]:
    """The pairs of every member, class by class, where classes share its models."""
    own_items = [items[place] for place in members]
    pairs = learn_shared(problem, list(members.values()), own_items, **rest)
    return {place: pairs[k :: len(members)] for k, place in enumerate(members)}


def _learn_apart(
    problem: Problem,
    members: Mapping[int, Member],
    items: Sequence[Any],
    *,
    seed: int,
    n_threads: int,
    known: BoolArray | None,
    show_progress: bool,
) -> dict[int, list[Pair]]:
    """The pairs of every member, class by class, each with models of its own."""
    jobs = {
        f"class {target} pair {place}": (target, place)
        for target in problem.targets
        for place in members
    }
    shared = {
        "items": items,
        # What the models see is `items`; those as encoded may be large, or files.
        "problem": replace(problem, items=None),
        "members": {place: Member(own.model, own.settings) for place, own in members.items()},
        "seed": seed,
        "known": known,
    }
    pairs = run_tasks(
        _learn_pair, jobs, shared, n_threads, noun="pairs", show_progress=show_progress
    )
    for pair, (_, place) in zip(pairs, jobs.values(), strict=True):
        # Here, so that all pairs hold one object, wherever they were learnt.
        pair.preparation = members[place].preparation
    return {place: pairs[k :: len(members)] for k, place in enumerate(members)}


def _learn_pair(
    job: tuple[int, int],
    n_threads: int,
    *,
    items: Sequence[Any],
    problem: Problem,
    members: Mapping[int, Member],
    seed: int,
    known: BoolArray | None,
) -> Pair:
    target, number = job
    task = Task.of(
        items[number],
        problem.signs(target),
        weights=problem.weights,
        models=known,
        seed=pair_seed(seed, target, number),
        n_threads=n_threads,
    )
    return solve(prepare(task, members[number].model, members[number].settings))
