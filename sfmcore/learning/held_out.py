"""Votes on training items by classifiers that did not learn from them, over maps that all share."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import issparse

from sfmcore.data.arrays import Float64Array, Int64Array, UInt64Array
from sfmcore.data.rows import Rows
from sfmcore.data.streams import HELD_OUT, ITERATION
from sfmcore.features.feature_map import FeatureMap
from sfmcore.kernels import _objective, _random
from sfmcore.learning.over_rows import directions_over, learn_class
from sfmcore.learning.pair import Pair
from sfmcore.learning.problem import Problem
from sfmcore.learning.settings import Settings
from sfmcore.learning.vote import decide
from sfmcore.parallel.tasks import run_tasks

N_FOLDS = 4
"""Parts that are held out in turn."""
# Of a vote, after the point.
_DIGITS = 3


def held_out_votes(
    problem: Problem,
    pairs: Sequence[Pair],
    settings: Settings,
    items: Any,
    content: UInt64Array,
    *,
    seed: int,
    n_threads: int,
    show_progress: bool = False,
) -> Float64Array:
    """Scores of every class against the rest by u's that were learnt without the item.

    What is learnt without a look at the labels, the models of all classes among it, is shared: it
    is u that knows each of its items. Equal items are held out together.

    Parameters
    ----------
    problem : Problem
    pairs : sequence of Pair
        Of one class, one for each map.
    settings : Settings
    items : batch of items
        As the maps see them.
    content : ndarray of shape (n_items,), uint64
        Digests that equal items share.
    seed : int
    n_threads : int
        The result does not depend on it.
    show_progress : bool, default=False

    Returns
    -------
    ndarray of shape (n_items, n_classes)
        Mean over the maps.
    """
    folds = _folds(problem.numbers, content, seed)
    votes = np.zeros((len(problem.numbers), problem.n_classes))
    for number, pair in enumerate(pairs):
        mapping = pair.mapping
        assert isinstance(mapping, FeatureMap)
        mapping.set_threads(n_threads)
        keys = _keys(pair.seed, len(items))
        shared = {
            "problem": replace(problem, items=None),
            "settings": settings,
            "mapping": mapping,
            "rows": mapping.training_rows(items, pair.n_draws, keys),
            "folds": folds,
            "vote": pair.vote,
            "seed": pair.seed,
        }
        jobs = {f"map {number} held out {fold}": fold for fold in range(N_FOLDS)}
        scores = run_tasks(
            _fold_votes, jobs, shared, n_threads, noun="folds", show_progress=show_progress
        )
        for fold, own in enumerate(scores):
            votes[folds == fold] += own / len(pairs)
    # A search ends a little elsewhere when sums are rounded in another way. Rounded here, the votes
    # are the same, and what is learnt from them is.
    return np.round(votes, _DIGITS)


def _fold_votes(
    fold: int,
    n_threads: int,
    *,
    problem: Problem,
    settings: Settings,
    mapping: FeatureMap,
    rows: Rows,
    folds: Int64Array,
    vote: str,
    seed: int,
) -> Float64Array:
    """Scores of the items of one fold, shape (n_held_out, n_classes)."""
    n_draws = rows.shape[0] // len(folds)
    kept, held = folds != fold, folds == fold
    some = np.repeat(kept, n_draws)
    part = replace(
        problem,
        numbers=problem.numbers[kept],
        weights=problem.weights[kept],
        places=problem.places[kept],
    )
    own_rows, others = rows[some], rows[~some]
    directions = directions_over(part, own_rows, None)
    out = np.full((int(held.sum()), problem.n_classes), np.inf)
    left = [target for target in problem.targets if np.any(part.numbers == target)]
    for target in left:
        learnt = learn_class(
            target,
            n_threads,
            problem=part,
            settings=settings,
            models=mapping.models,
            mapping=mapping,
            rows=own_rows,
            directions=directions,
            known=None,
            seed=seed,
        )
        # In double precision: of margins in single one or two in a thousand were rounded otherwise.
        if issparse(others):
            margins = others @ learnt["u"]
        else:
            margins = _objective.scores(others, learnt["u"], n_threads)
        out[:, target] = decide(margins.reshape(-1, n_draws), vote)
    # No vote is for a class that nothing was learnt of.
    return np.where(np.isinf(out), out.min(axis=1, keepdims=True), out)


def _folds(numbers: Int64Array, content: UInt64Array, seed: int) -> Int64Array:
    """Fold of every item: equal items together, and the items of a class over all folds.

    What an item holds decides, so that its place and the others do not.
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


def _keys(seed: int, n_items: int) -> UInt64Array:
    items = np.arange(n_items, dtype=np.uint64)
    keys: UInt64Array = _random.stream_keys(seed, ITERATION, items)
    return keys
