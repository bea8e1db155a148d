"""Kernels on the columns: one map for all classes, over whose rows each learns its own u."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sfmcore.data.arrays import BoolArray, Float64Array
from sfmcore.features.column_kernel import ColumnKernel
from sfmcore.learning.members import Member
from sfmcore.learning.over_rows import directions_over, learn_class, task_over
from sfmcore.learning.pair import Pair
from sfmcore.learning.problem import Problem, pair_seed
from sfmcore.learning.search import minimise_from_direction
from sfmcore.parallel.tasks import learn_many, run_tasks


def learn_of_columns(
    problem: Problem,
    members: Mapping[int, Member],
    items: Sequence[Float64Array],
    *,
    seed: int,
    n_threads: int,
    known: BoolArray | None = None,
    show_progress: bool = False,
) -> dict[int, list[Pair]]:
    """Learn the pairs of kernels on the columns.

    No class shows in such a kernel: landmarks and rows are computed once for all of them, and a
    prediction asks for them once.

    Parameters
    ----------
    problem : Problem
    members : mapping of int to Member
        By their places in a team, of which their landmarks depend; each with a `ColumnKernel`.
    items : sequence of ndarray of shape (n_items, n_columns)
        As the preparation of the member at each place makes them.
    seed : int
    n_threads : int
        The result does not depend on it.
    known : ndarray of shape (n_items,), bool, optional
        Labelled items that landmarks may be; see :meth:`sfmcore.learning.task.Split.apart_from`.
    show_progress : bool, default=False

    Returns
    -------
    dict of int to list of Pair
        For each member one of every class, which share a map.
    """
    shared = {
        "problem": replace(problem, items=None),
        "members": {place: Member(own.model, own.settings) for place, own in members.items()},
        "items": items,
        "seed": seed,
        "known": known,
    }
    learnt = run_tasks(
        _learn_member,
        {f"columns {place}": place for place in members},
        shared,
        n_threads,
        noun="kernels",
        show_progress=show_progress,
    )
    return {
        place: [
            Pair(mapping=own["mapping"], preparation=members[place].preparation, **rest)
            for rest in own["pairs"]
        ]
        for place, own in zip(members, learnt, strict=True)
    }


def _learn_member(
    place: int,
    n_threads: int,
    *,
    problem: Problem,
    members: Mapping[int, Member],
    items: Sequence[Float64Array],
    seed: int,
    known: BoolArray | None,
) -> dict[str, Any]:
    """The map of one kernel, and what is left of every class's pair."""
    member = members[place]
    assert isinstance(member.model, ColumnKernel)
    # That of the first class's pair, as in the folds of a cross-validation.
    own_seed = pair_seed(seed, problem.targets[0], place)
    seen = task_over(problem, problem.targets[0], known, own_seed, n_threads).seen
    mapping = member.model.map_of(items[place], seen, seed=own_seed, n_threads=n_threads)
    rows = mapping.features(items[place])
    # Of one problem there is nothing to share, and the search stays that of a pair.
    over: dict[str, Any] = {
        "problem": problem,
        "settings": member.settings,
        "models": (),
        "mapping": mapping,
        "rows": rows,
        "directions": directions_over(problem, rows, known) if problem.n_classes > 2 else None,
        "known": known,
        "seed": own_seed,
        "minimise_from": minimise_from_direction,
    }
    pairs = learn_many(
        lambda target, threads: learn_class(target, threads, **over), problem.targets, n_threads
    )
    return {"mapping": mapping, "pairs": pairs}
