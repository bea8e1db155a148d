"""One binary problem for each class against the rest, learnt side by side."""

from collections.abc import Sequence

import numpy as np

from sfmcore.data.arrays import BoolArray
from sfmcore.learning.algorithm import solve
from sfmcore.learning.members import Member
from sfmcore.learning.pair import Pair
from sfmcore.learning.prepare import prepare
from sfmcore.learning.problem import Problem
from sfmcore.learning.task import Task
from sfmcore.parallel.tasks import learn_many
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
    n_rows = n_pairs * len(members)
    items = applied([member.preparation for member in members], problem.items)

    def learn(job: tuple[int, int], n_threads: int) -> Pair:
        target, number = job
        member = members[number // n_pairs]
        task = Task.of(
            items[number // n_pairs],
            problem.signs(target),
            weights=problem.weights,
            models=known,
            seed=pair_seed(seed, target, number),
            n_threads=n_threads,
        )
        pair = solve(prepare(task, member.model, member.settings))
        pair.preparation = member.preparation
        return pair

    jobs = [(target, number) for target in problem.targets for number in range(n_rows)]
    return learn_many(learn, jobs, n_threads, noun="pairs", show_progress=show_progress)


def pair_seed(seed: int, target: int, number: int) -> int:
    """Seed of one pair: another one for every class and every pair of it."""
    return int(np.random.SeedSequence([seed, target, number]).generate_state(1, np.uint64)[0])
