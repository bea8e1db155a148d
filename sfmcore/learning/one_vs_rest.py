"""One binary problem for each class against the rest, learnt side by side."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sfmcore.data.arrays import BoolArray
from sfmcore.learning.algorithm import solve
from sfmcore.learning.members import Member
from sfmcore.learning.pair import Pair
from sfmcore.learning.prepare import prepare
from sfmcore.learning.problem import Problem
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
) -> list[Pair]:
    """Learn `n_pairs` pairs of each member for each class against the rest.

    Where classes share models, their pairs share a map; see :func:`learn_shared`.

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

    Returns
    -------
    list of Pair
        Class by class, and member by member within a class.
    """
    # In the order of the votes of a class.
    team = [member for member in members for _ in range(n_pairs)]
    items = applied([member.preparation for member in team], problem.items)
    if shares_models(problem, team[0].settings):
        return learn_shared(
            problem,
            team,
            items,
            seed=seed,
            n_threads=n_threads,
            known=known,
            show_progress=show_progress,
        )

    jobs = {
        f"class {target} pair {number}": (target, number)
        for target in problem.targets
        for number in range(len(team))
    }
    shared = {
        "items": items,
        # What the models see is `items`; those as encoded may be large, or files.
        "problem": replace(problem, items=None),
        "members": [Member(member.model, member.settings) for member in team],
        "seed": seed,
        "known": known,
    }
    pairs = run_tasks(
        _learn_pair, jobs, shared, n_threads, noun="pairs", show_progress=show_progress
    )
    for pair, (_, number) in zip(pairs, jobs.values(), strict=True):
        # Here, so that all pairs hold one object, wherever they were learnt.
        pair.preparation = team[number].preparation
    return pairs


def _learn_pair(
    job: tuple[int, int],
    n_threads: int,
    *,
    items: Sequence[Any],
    problem: Problem,
    members: Sequence[Member],
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


def pair_seed(seed: int, target: int, number: int) -> int:
    """Seed of one pair: another one for every class and every pair of it."""
    return int(np.random.SeedSequence([seed, target, number]).generate_state(1, np.uint64)[0])
