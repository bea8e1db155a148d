"""Learning typicality from a classifier's own training items, and computing it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sfmcore.data.arrays import Float64Array, Int64Array, UInt64Array
from sfmcore.data.streams import HELD_OUT
from sfmcore.data.targets import UNLABELED
from sfmcore.data.with_vectors import plain_of, similarities_of
from sfmcore.kernels import _random
from sfmcore.learning.evidence import ReferenceClasses
from sfmcore.learning.members import Member
from sfmcore.learning.problem import Problem
from sfmcore.learning.weighing import Weighing
from sfmcore.novelty.relatives import relatives_evidence
from sfmcore.novelty.rows import count_codes, plain_rows
from sfmcore.novelty.surroundings import Surroundings
from sfmcore.novelty.typicality import MOST_SCORES, Typicality
from sfmcore.novelty.votes import votes_evidence
from sfmcore.novelty.weights import learn_weights

N_FOLDS = 8
"""Parts of the rows that are held out in turn."""
FEWEST = 16
"""Labelled items that typicality takes, at least."""


def learn_typicality(
    problem: Problem,
    members: Sequence[Member],
    made: Sequence[Any],
    votes: Float64Array | None,
    weighing: Weighing | None,
    content: UInt64Array,
    *,
    seed: int,
    n_threads: int,
) -> Typicality | None:
    """Learn what tells typical items from strangers, and how held-out items look.

    Evidence of a training item leaves the item itself out: the reference that it is, the fold that
    its row is in, and with `votes` the fold of its vote. A copy of it stays, as a new item has
    copies too. Models and preparations are not fitted again.

    Parameters
    ----------
    problem : Problem
    members : sequence of Member
        The first one's items are what is looked at.
    made : sequence of batch of items
        As each member's preparation makes them.
    votes : ndarray of shape (n_items, n_targets), or None
        Held-out scores of every class (:func:`sfmcore.learning.held_out.held_out_votes`), where
        the classifier learnt some. They count where relatives are weighed against them, and where
        a preparation's rows of training items are not like those of others.
    weighing : Weighing or None
        What votes and relatives are worth, where there are votes.
    content : ndarray of shape (n_items,), uint64
        Digests that equal items share.
    seed : int
    n_threads : int
        The result does not depend on it.

    Returns
    -------
    Typicality or None
        None where fewer than :data:`FEWEST` items have labels, or items have neither similarities
        nor rows.
    """
    labelled = np.flatnonzero(problem.numbers != UNLABELED)
    if len(labelled) < FEWEST:
        return None
    # What an item holds decides whether it is looked at, and in which fold it is.
    keys = _random.stream_keys(seed, HELD_OUT, content)
    labelled = labelled[np.lexsort((problem.numbers[labelled], keys[labelled]))][:MOST_SCORES]
    numbers = problem.numbers[labelled]
    columns: list[Float64Array] = []
    strange: list[Float64Array] = []
    reference_classes = None
    similar = similarities_of(made[0])
    with_votes = False
    if similar is not None:
        own = members[0].preparation.own_references(problem.items)
        reference_classes = ReferenceClasses.of(own, problem.numbers, problem.n_classes)
        if problem.groups is None:
            others = similar.without(np.where(_is_copied(content), -1, own))[labelled]
        else:
            others = similar.without_groups(own, problem.groups)[labelled]
        held_votes = scores = None
        if votes is not None and weighing is not None:
            with_votes = True
            held_votes = votes[labelled]
            scores = weighing.scores(held_votes, others)
        seen = others, reference_classes, held_votes, scores
        columns.append(relatives_evidence(*seen))
        strange.append(relatives_evidence(*seen, numbers))
    surroundings = None
    n_codes = count_codes(made[0])
    rows = None
    are_as_met = members[0].preparation.rows_are_as_met
    if are_as_met or plain_of(made[0]) is not None:
        rows = plain_rows(made[0][labelled], n_codes)
    if not are_as_met and votes is not None and similar is None:
        with_votes = True
        columns.append(votes_evidence(votes[labelled]))
        strange.append(votes_evidence(votes[labelled], numbers))
    if rows is not None and np.all(np.isfinite(rows)):
        held, left = _held_out(rows, numbers, problem.n_classes, keys[labelled], n_threads)
        columns.append(held)
        strange.append(left)
        surroundings = Surroundings.of(rows, numbers, problem.n_classes, keys[labelled])
    if not columns:
        return None
    evidence = np.hstack(columns)
    weights = learn_weights(evidence, np.hstack(strange))
    made_of = Typicality(
        weights,
        np.zeros(1),
        surroundings,
        n_codes,
        reference_classes,
        with_votes,
        problem.n_classes,
    )
    return replace(made_of, scores=np.sort(made_of.weigh(evidence)))


def typicality_of(
    typicality: Typicality | None,
    made: Any,
    votes: Float64Array | None,
    scores: Float64Array | None,
    *,
    n_threads: int,
) -> Float64Array:
    """P-values of typicality of items that a classifier judges.

    Parameters
    ----------
    typicality : Typicality or None
    made : batch of items
        As the preparation of the first pair makes them.
    votes : ndarray of shape (n_items,) or (n_items, n_classes)
        Scores of the votes before relatives are weighed.
    scores : ndarray of shape (n_items,) or (n_items, n_classes)
        As of `decision_function`.
    n_threads : int

    Raises
    ------
    ValueError
        If typicality is not available: the classifier was read from a file of an earlier version,
        or learnt from too few items or from items that are neither codes nor rows of numbers.
    """
    if typicality is None:
        raise ValueError(
            "typicality is not available: the classifier comes from a file of an earlier version, "
            f"or was fitted to fewer than {FEWEST} labelled items, or to items that are neither "
            "codes nor rows of numbers"
        )
    return typicality.p_values(made, votes, scores, n_threads=n_threads)


def _held_out(
    rows: np.ndarray, numbers: Int64Array, n_classes: int, keys: UInt64Array, n_threads: int
) -> tuple[Float64Array, Float64Array]:
    """Evidence of every row by surroundings of the other folds: as it is, and without its class."""
    # In the order of the keys, class by class: every fold has its part of every class, and copies
    # lie in different folds.
    folds = np.empty(len(rows), dtype=np.int64)
    order = np.lexsort((keys, numbers))
    folds[order] = np.arange(len(rows)) % N_FOLDS
    parts = []
    for fold in range(N_FOLDS):
        kept, held = folds != fold, folds == fold
        around = Surroundings.of(rows[kept], numbers[kept], n_classes, keys[kept])
        parts.append(
            (
                held,
                around.evidence(rows[held], n_threads),
                around.evidence(rows[held], n_threads, numbers[held]),
            )
        )
    evidence = np.empty((len(rows), parts[0][1].shape[1]))
    left = np.empty_like(evidence)
    for held, own, without in parts:
        evidence[held], left[held] = own, without
    return evidence, left


def _is_copied(content: UInt64Array) -> np.ndarray:
    """Whether another item holds the same."""
    _, inverse, counts = np.unique(content, return_inverse=True, return_counts=True)
    return np.asarray(counts[inverse] > 1)
