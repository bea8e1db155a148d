"""One class's u over rows that all classes share."""

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from sfmcore.bounds.objective import Objective
from sfmcore.data.arrays import BoolArray, Float64Array
from sfmcore.data.rows import Rows
from sfmcore.features.column_kernel import ColumnMap
from sfmcore.features.feature_map import FeatureMap
from sfmcore.learning.active_rows import minimise_from
from sfmcore.learning.algorithm import solve
from sfmcore.learning.least_squares import least_squares_directions
from sfmcore.learning.pair import Pair
from sfmcore.learning.prepare import prepare_on
from sfmcore.learning.problem import Problem
from sfmcore.learning.settings import Settings
from sfmcore.learning.task import Task
from sfmcore.models.base import GenerativeModel

Search = Callable[[Objective, Float64Array], Float64Array]


def task_over(
    problem: Problem, target: int, known: BoolArray | None, seed: int, n_threads: int
) -> Task:
    """One class against the rest, over rows that are there already.

    Parameters
    ----------
    problem : Problem
    target : int
    known : ndarray of shape (n_items,), bool, or None
        Labelled items of the models; see :meth:`sfmcore.learning.task.Split.apart_from`.
    seed : int
    n_threads : int
    """
    return Task.of(
        None,
        problem.signs(target),
        weights=problem.weights,
        models=known,
        seed=seed,
        n_threads=n_threads,
    )


def directions_over(problem: Problem, rows: Rows, known: BoolArray | None) -> Float64Array:
    """Start of the searches of all classes: least squares over the items of u.

    Parameters
    ----------
    problem : Problem
    rows : ndarray or csr_array of shape (n_items * n_draws, n_features), float32
    known : ndarray of shape (n_items,), bool, or None

    Returns
    -------
    ndarray of shape (n_classes, n_features)
    """
    task = task_over(problem, problem.targets[0], known, 0, 1)
    n_draws = rows.shape[0] // task.n_items
    counted = task.weights * task.split.classifier * (task.signs != 0)
    return least_squares_directions(
        rows,
        np.repeat(counted, n_draws),
        np.repeat(problem.numbers, n_draws),
        problem.n_classes,
    )


def learn_class(
    target: int,
    n_threads: int,
    *,
    problem: Problem,
    settings: Settings,
    models: Sequence[GenerativeModel],
    mapping: FeatureMap | ColumnMap,
    rows: Rows,
    directions: Float64Array | None,
    known: BoolArray | None,
    seed: int,
    minimise_from: Search = minimise_from,
) -> dict[str, Any]:
    """All of a class's pair but its map, which is as large as the rest is small.

    Parameters
    ----------
    target : int
    n_threads : int
        The result does not depend on it.
    problem : Problem
    settings : Settings
    models : sequence of GenerativeModel
        Those of the map.
    mapping : FeatureMap or ColumnMap
    rows : ndarray or csr_array of shape (n_items * n_draws, n_features), float32
    directions : ndarray of shape (n_classes, n_features), or None
        See :func:`directions_over`. None: the search begins as that of a pair with its own map.
    known : ndarray of shape (n_items,), bool, or None
    seed : int
    minimise_from : callable, optional
        Searches u from a direction, of an objective around zero.

    Returns
    -------
    dict
        Attributes of a :class:`~sfmcore.learning.pair.Pair` by name.
    """
    task = task_over(problem, target, known, seed, n_threads)
    prepared = prepare_on(task, settings, models, mapping, rows, models_stay=True)
    # Around another u_0, from random starts, and where items without label bend J(u) too, the
    # search begins as that of a pair does.
    as_pairs = settings.n_restarts > 0 or prepared.prior_mean.any() or not task.signs.all()
    if as_pairs or directions is None:
        pair = solve(prepared)
    else:
        direction = directions[target]
        pair = solve(prepared, search=lambda goal, _: minimise_from(goal, direction))
    left_out = ("mapping", "preparation")
    return {
        field.name: getattr(pair, field.name)
        for field in fields(Pair)
        if field.name not in left_out
    }
