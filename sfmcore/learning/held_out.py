"""Votes on training items by classifiers that did not learn from them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import issparse

from sfmcore.bounds.objective import Objective
from sfmcore.data.arrays import BoolArray, Float64Array, Int64Array, UInt64Array
from sfmcore.data.rows import Rows
from sfmcore.data.streams import HELD_OUT, ITERATION
from sfmcore.features.compact import compact
from sfmcore.features.feature_map import FeatureMap
from sfmcore.kernels import _objective, _random
from sfmcore.learning.active_rows import minimise_from
from sfmcore.learning.members import Member
from sfmcore.learning.over_rows import directions_over, task_over
from sfmcore.learning.pair import Pair
from sfmcore.learning.prepare import objective_on
from sfmcore.learning.problem import Problem
from sfmcore.learning.search import minimise, scaled_to_minimum
from sfmcore.learning.settings import Settings
from sfmcore.learning.vote import decide
from sfmcore.parallel.tasks import run_tasks

N_FOLDS = 4
"""Parts that are held out in turn."""
# Of a vote, after the point.
_DIGITS = 3


@dataclass(frozen=True)
class OverOneMap:
    """Classifiers over the rows of one map, without its items.

    Attributes
    ----------
    settings : Settings
    targets : list of int
        The classes that they tell from the rest.
    Cs : list of float
        What each was learnt with.
    prior_means : list of ndarray of shape (n_features,) or None
        u_0 of each; None for all where it is zero.
    rows, as_met : ndarray or csr_array of shape (n_items * n_draws, n_features), float32
        Of the items as u learns from them, and as it would meet them; perhaps one object.
    lengths : ndarray of shape (n_items * n_draws,) or None
        What makes a margin the score of a raw vote; None for other votes.
    known : ndarray of shape (n_items,), bool, or None
        Labelled items of the models, where u learns from the others.
    seed : int
    """

    settings: Settings
    targets: list[int]
    Cs: list[float]
    prior_means: list[Float64Array] | None
    rows: Rows
    as_met: Rows
    lengths: Float64Array | None
    known: BoolArray | None
    seed: int


def held_out_votes(
    problem: Problem,
    members: Sequence[Member],
    pairs: Sequence[Pair],
    made: Sequence[Any],
    as_met: Sequence[Any],
    content: UInt64Array,
    *,
    known: BoolArray | None = None,
    seed: int,
    n_threads: int,
    show_progress: bool = False,
) -> Float64Array:
    """Scores of every class against the rest by u's that were learnt without the item.

    Models, conditioning and landmarks are shared: it is u that knows each of its items. Equal items
    are held out together.

    Parameters
    ----------
    problem : Problem
    members : sequence of Member
        Of which a class has as many pairs each.
    pairs : sequence of Pair
        Class by class, and member by member within a class.
    made : sequence of batch of items
        As each member's preparation makes them.
    as_met : sequence of batch of items
        The same as a classifier meets them that did not learn from them: no item is like itself.
    content : ndarray of shape (n_items,), uint64
        Numbers that items share which are held out together: digests of their content, or groups.
    known : ndarray of shape (n_items,), bool, optional
        Labelled items of the models, where others are kept from them; what is said of these is then
        of no use.
    seed : int
    n_threads : int
        The result does not depend on it.
    show_progress : bool, default=False

    Returns
    -------
    ndarray of shape (n_items, n_targets)
        As of :func:`sfmcore.learning.vote.decide`; of two classes those of the second.
    """
    folds = folds_of(problem.numbers, content, seed)
    part = replace(problem, items=None)
    size = len(pairs) // len(problem.targets)
    n_each = size // len(members)
    margins: list[Float64Array] = [np.empty((0, 0))] * len(pairs)
    for number, places in enumerate(_by_map(pairs)):
        first = pairs[places[0]]
        own = places[0] % size // n_each
        over = _over_map(
            problem,
            members[own],
            [pairs[k] for k in places],
            [problem.targets[k // size] for k in places],
            made[own],
            as_met[own],
            known,
            n_threads,
        )
        n_draws = over.rows.shape[0] // len(folds)
        jobs = {f"map {number} held out {fold}": fold for fold in range(N_FOLDS)}
        shared = {"problem": part, "over": over, "folds": folds}
        # A map's rows are let go before those of the next are made.
        found = run_tasks(
            _fold_margins, jobs, shared, n_threads, noun="folds", show_progress=show_progress
        )
        for k, place in enumerate(places):
            rows = np.empty((len(folds), n_draws))
            for fold, scores in enumerate(found):
                rows[folds == fold] = scores[k]
            margins[place] = rows
        vote = first.vote
    scores = [
        decide(np.hstack(margins[start : start + size]), vote)
        for start in range(0, len(pairs), size)
    ]
    votes = np.column_stack(scores)
    # No vote is for a class that nothing was learnt of.
    missing = np.isnan(votes)
    if missing.any():
        least = np.where(missing, np.inf, votes).min(axis=1, keepdims=True)
        votes = np.where(missing, np.where(np.isinf(least), 0.0, least), votes)
    # A search ends a little elsewhere when sums are rounded in another way. Rounded here, the votes
    # are the same, and what is learnt from them is.
    return np.round(votes, _DIGITS)


def _by_map(pairs: Sequence[Pair]) -> list[list[int]]:
    """Places of the pairs of every map."""
    found: dict[int, list[int]] = {}
    for place, pair in enumerate(pairs):
        found.setdefault(id(pair.mapping), []).append(place)
    return list(found.values())


def _over_map(
    problem: Problem,
    member: Member,
    pairs: Sequence[Pair],
    targets: list[int],
    items: Any,
    as_met: Any,
    known: BoolArray | None,
    n_threads: int,
) -> OverOneMap:
    rows = _rows_of(pairs[0], items, n_threads)
    others = rows if as_met is items else _rows_of(pairs[0], as_met, n_threads)
    lengths: Float64Array | None = None
    if pairs[0].vote == "raw":
        last = others[:, [others.shape[1] - 1]]
        dense = last if isinstance(last, np.ndarray) else last.toarray()
        lengths = 1.0 / dense[:, 0].astype(np.float64)
    around_zero = not any(pair.prior_mean.any() for pair in pairs)
    if around_zero and not issparse(rows):
        # The minimum around zero lies in the span of the rows.
        rows, others = compact(rows, others)
    return OverOneMap(
        settings=member.settings,
        targets=targets,
        Cs=[pair.C for pair in pairs],
        prior_means=None if around_zero else [pair.prior_mean for pair in pairs],
        rows=rows,
        as_met=others,
        lengths=lengths,
        known=known,
        seed=pairs[0].seed,
    )


def _rows_of(pair: Pair, items: Any, n_threads: int) -> Rows:
    mapping = pair.mapping
    if not isinstance(mapping, FeatureMap):
        return mapping.features(items)
    mapping.set_threads(n_threads)
    keys = _random.stream_keys(pair.seed, ITERATION, np.arange(len(items), dtype=np.uint64))
    return mapping.training_rows(items, pair.n_draws, keys)


def _fold_margins(
    fold: int, n_threads: int, *, problem: Problem, over: OverOneMap, folds: Int64Array
) -> list[Float64Array]:
    """Margins of the rows of one fold's items, for each classifier of the map."""
    n_draws = over.rows.shape[0] // len(folds)
    kept, held = folds != fold, folds == fold
    if not kept.any() or not held.any():
        # All items are equal, or of one group.
        return [np.full((int(held.sum()), n_draws), np.nan)] * len(over.targets)
    some = np.repeat(kept, n_draws)
    part = replace(
        problem,
        numbers=problem.numbers[kept],
        weights=problem.weights[kept],
        places=problem.places[kept],
    )
    own_rows, others = over.rows[some], over.as_met[~some]
    known = None if over.known is None else over.known[kept]
    directions = directions_over(part, own_rows, known)
    margins: list[Float64Array] = []
    for number, target in enumerate(over.targets):
        task = task_over(part, target, known, over.seed, n_threads)
        own_signs = task.signs[task.split.classifier]
        if not (np.any(own_signs > 0) and np.any(own_signs < 0)):
            margins.append(np.full((int(held.sum()), n_draws), np.nan))
            continue
        prior_mean = np.zeros(own_rows.shape[1])
        if over.prior_means is not None:
            prior_mean = over.prior_means[number]
        objective = objective_on(
            task, over.settings, own_rows, task.split.classifier, over.Cs[number], prior_mean
        )
        u = _minimum(objective, directions[target])
        # In double precision: of margins in single one or two in a thousand were rounded otherwise.
        scores = others @ u if issparse(others) else _objective.scores(others, u, n_threads)
        if over.lengths is not None:
            scores = scores * over.lengths[~some]
        margins.append(scores.reshape(-1, n_draws))
    return margins


def _minimum(objective: Objective, direction: Float64Array) -> Float64Array:
    """Minimum of J(u) that L-BFGS reaches from a direction, and from u_0 where that is not zero."""
    if not objective.prior_mean.any():
        return minimise_from(objective, direction)
    return minimise(objective, [scaled_to_minimum(objective, direction), objective.prior_mean])


def folds_of(numbers: Int64Array, content: UInt64Array, seed: int) -> Int64Array:
    """Fold of every item: equal items together, and the items of a class over all folds.

    What an item holds decides, so that its place and the others do not.

    Parameters
    ----------
    numbers : ndarray of shape (n_items,), int64
        Class of each item.
    content : ndarray of shape (n_items,), uint64
        As of :func:`held_out_votes`.
    seed : int

    Returns
    -------
    ndarray of shape (n_items,), int64
    """
    keys, first, inverse = np.unique(content, return_index=True, return_inverse=True)
    order = np.argsort(_random.stream_keys(seed, HELD_OUT, keys), kind="stable")
    classes = numbers[first]
    of_key = np.empty(len(keys), dtype=np.int64)
    for number in np.unique(classes):
        members = order[classes[order] == number]
        # Classes of one item are not all held out at once.
        of_key[members] = (np.arange(len(members)) + number) % N_FOLDS
    folds: Int64Array = of_key[inverse]
    return folds
