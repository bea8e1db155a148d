"""Models that all classes share: one map, over whose rows every class learns its own u.

A model of everything and one of each class, or of each group of classes that look alike, in the
place of a model of the rest for every class: the cost of EM, of the rows and of a prediction no
longer grows with the number of classes (docs/theory.md, section 6).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import cluster

from sfmcore.data.arrays import BoolArray, Float64Array, Int64Array, UInt64Array
from sfmcore.data.rows import Rows
from sfmcore.data.streams import SHARED_MODELS
from sfmcore.data.targets import UNLABELED
from sfmcore.data.with_vectors import items_of
from sfmcore.features.feature_map import FeatureMap
from sfmcore.learning.mapping import fit_model, learn_map
from sfmcore.learning.members import Member
from sfmcore.learning.over_rows import directions_over, learn_class, task_over
from sfmcore.learning.pair import Pair
from sfmcore.learning.problem import Problem
from sfmcore.learning.settings import Settings
from sfmcore.models.base import GenerativeModel
from sfmcore.parallel.blas import blas_threads
from sfmcore.parallel.tasks import kept, run_tasks

# Items that groups of classes are found from, about.
_ITEMS_OF_GROUPS = 50_000
# Numbers of rows that a checkpoint keeps, at most: a quarter of a gigabyte.
_MOST_KEPT = 1 << 26
# Number of the map, place of the model in it, and its items.
_Job = tuple[int, int, Int64Array]


def shares_models(problem: Problem, settings: Settings) -> bool:
    """Whether classes share models; two classes have one pair of models, which is shared as it is.

    Parameters
    ----------
    problem : Problem
    settings : Settings
    """
    return settings.n_shared_models > 0 and problem.n_classes > 2


def learn_shared(
    problem: Problem,
    members: Sequence[Member],
    items: Sequence[Any],
    *,
    seed: int,
    n_threads: int,
    known: BoolArray | None = None,
    show_progress: bool = False,
) -> list[Pair]:
    """Learn the models that all classes share, and every class's u over the rows of their map.

    Parameters
    ----------
    problem : Problem
        Of more than two classes.
    members : sequence of Member
        The pairs of one class vote together, one for each member.
    items : sequence of batch of items
        As each member's preparation makes them.
    seed : int
    n_threads : int
        The result does not depend on it.
    known : ndarray of shape (n_items,), bool, optional
        Labelled items of the models; see :meth:`sfmcore.learning.task.Split.apart_from`.
    show_progress : bool, default=False

    Returns
    -------
    list of Pair
        Class by class, and member by member within a class. Those of one member share a map.
    """
    seen = problem.numbers != UNLABELED if known is None else known
    seeds = [_seed(seed, number) for number in range(len(members))]
    shared = {
        "unfitted": [member.model for member in members],
        "items": [items_of(own) for own in items],
        "weights": problem.weights,
        "seeds": seeds,
    }

    def fit_all(jobs: Mapping[str, _Job]) -> list[GenerativeModel]:
        return run_tasks(
            _fit_model, jobs, shared, n_threads, noun="models", show_progress=show_progress
        )

    everything = {
        f"map {number} model 0": (number, 0, np.flatnonzero(seen)) for number in range(len(members))
    }
    if problem.n_classes <= min(member.settings.n_shared_models for member in members):
        # Nothing to group: all models at once.
        groups = [np.arange(problem.n_classes)] * len(members)
        jobs = _jobs(problem, seen, groups)
        fitted = fit_all({**everything, **jobs})
    else:
        fitted = fit_all(everything)
        groups = [
            _groups(problem, seen, member, model, own)
            for member, model, own in zip(members, fitted, items, strict=True)
        ]
        jobs = _jobs(problem, seen, groups)
        fitted += fit_all(jobs)
    models = [[model] for model in fitted[: len(members)]]
    for (number, _, _), model in zip(jobs.values(), fitted[len(members) :], strict=True):
        models[number].append(model)

    by_member: list[list[Pair]] = []
    for number, member in enumerate(members):
        # Rows are large: those of one member at a time.
        by_member.append(
            _learn_classes(
                replace(problem, items=None),
                member,
                models[number],
                items[number],
                number=number,
                seed=seeds[number],
                n_threads=n_threads,
                known=known,
                show_progress=show_progress,
            )
        )
    return [pairs[place] for place in range(len(problem.targets)) for pairs in by_member]


def _fit_model(
    job: _Job,
    n_threads: int,
    *,
    unfitted: Sequence[GenerativeModel],
    items: Sequence[Any],
    weights: Float64Array,
    seeds: Sequence[int],
) -> GenerativeModel:
    number, place, its_items = job
    seed = [seeds[number], place]
    return fit_model(
        unfitted[number], items[number], weights, its_items, seed=seed, n_threads=n_threads
    )


def _learn_classes(
    problem: Problem,
    member: Member,
    models: Sequence[GenerativeModel],
    items: Any,
    *,
    number: int,
    seed: int,
    n_threads: int,
    known: BoolArray | None,
    show_progress: bool,
) -> list[Pair]:
    """Every class's u over the rows of one map."""
    first = task_over(problem, problem.targets[0], known, seed, n_threads)

    def learn() -> tuple[FeatureMap, Rows]:
        with blas_threads():
            return learn_map(
                models,
                member.settings,
                items,
                first.seen,
                keys=first.keys(0),
                seed=seed,
                n_threads=n_threads,
                classes=problem.numbers,
            )

    def take(found: tuple[FeatureMap, Rows] | None) -> tuple[FeatureMap, Rows]:
        if found is None:
            return learn()
        found[0].set_threads(n_threads)
        return found

    mapping, rows = kept(f"map {number}", learn, pack=_unless_large, unpack=take)
    shared = {
        "problem": problem,
        "settings": member.settings,
        "models": models,
        "mapping": mapping,
        "rows": rows,
        "directions": directions_over(problem, rows, known),
        "known": known,
        "seed": seed,
    }
    jobs = {f"map {number} class {target}": target for target in problem.targets}
    learnt = run_tasks(
        learn_class, jobs, shared, n_threads, noun="classes", show_progress=show_progress
    )
    return [Pair(mapping=mapping, preparation=member.preparation, **own) for own in learnt]


def _unless_large(made: tuple[FeatureMap, Rows]) -> tuple[FeatureMap, Rows] | None:
    """The map and its rows, or None if they are too large to be worth writing to a file."""
    rows = made[1]
    return made if isinstance(rows, np.ndarray) and rows.size <= _MOST_KEPT else None


def _jobs(problem: Problem, seen: BoolArray, groups: Sequence[Int64Array]) -> dict[str, _Job]:
    """A model of every group of classes, for every member."""
    of_item = np.where(problem.numbers == UNLABELED, 0, problem.numbers)
    return {
        f"map {number} model {1 + group}": (
            number,
            1 + group,
            np.flatnonzero(seen & (own[of_item] == group)),
        )
        for number, own in enumerate(groups)
        for group in range(int(own.max()) + 1)
    }


def _groups(
    problem: Problem, seen: BoolArray, member: Member, model: GenerativeModel, items: Any
) -> Int64Array:
    """Group of every class: those whose items have like features under the model of everything.

    Ward's clustering of the classes' mean rows needs no start, and so no seed.
    """
    plain = Settings(clip=member.settings.clip, conditioning=member.settings.conditioning)
    places = _some_of_each_class(problem, seen, model.content_keys(items_of(items)))
    numbers, weights = problem.numbers[places], problem.weights[places]
    keys = np.zeros(len(places), dtype=np.uint64)
    _, rows = learn_map([model], plain, items[places], weights, keys=keys, seed=0, n_threads=1)
    means = np.empty((problem.n_classes, rows.shape[1]))
    for number in range(problem.n_classes):
        own = np.flatnonzero(numbers == number)
        shares = weights[own][:, None]
        means[number] = (rows[own] * shares).sum(0) / shares.sum()
    most = member.settings.n_shared_models
    found: Float64Array = cluster.hierarchy.fcluster(
        cluster.hierarchy.linkage(means, "ward"), most, criterion="maxclust"
    )
    return (found - 1).astype(np.int64)


def _some_of_each_class(problem: Problem, seen: BoolArray, content: UInt64Array) -> Int64Array:
    """Places of items of every class, of no class more than its part of a limit.

    What an item holds decides which, so that neither order nor repetition of items does.
    """
    most = -(-_ITEMS_OF_GROUPS // problem.n_classes)
    order = np.argsort(content, kind="stable")
    order = order[seen[order]]
    by_class = (order[problem.numbers[order] == number] for number in range(problem.n_classes))
    return np.concatenate([own[:most] for own in by_class])


def _seed(seed: int, number: int) -> int:
    """Seed of one map: that of no pair, whose number of a class takes the place of the 0."""
    entropy = [seed, 0, number, SHARED_MODELS]
    return int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0])
