"""Decision to weigh relatives against the votes, and learning the weights."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfmcore.data.arrays import BoolArray, Float64Array, Int64Array, UInt64Array
from sfmcore.data.similarities import Similarities
from sfmcore.data.targets import UNLABELED
from sfmcore.data.with_vectors import similarities_of
from sfmcore.learning.evidence import ReferenceClasses
from sfmcore.learning.members import Member
from sfmcore.learning.problem import Problem
from sfmcore.learning.shared import shares_models
from sfmcore.learning.weighing import N_WEIGHTS, Weighing, learn_weighing

# Numbers in the columns of all items and classes, at most: half a gigabyte.
_MOST_NUMBERS = 1 << 26


def are_weighed(
    problem: Problem, members: Sequence[Member], made: Sequence[Any], known: BoolArray | None
) -> bool:
    """Whether relatives are weighed against the votes, which then do not see them.

    Elsewhere the votes decide, and the kernel sees the relatives: of two classes, where classes
    share no models, and where a certificate is asked for, which is of the votes.

    Parameters
    ----------
    problem : Problem
    members : sequence of Member
    made : sequence of batch of items
        As each member's preparation makes them.
    known : ndarray of shape (n_items,), bool, or None
        Labelled items of the models, where others are kept for a certificate.
    """
    some = all(similarities_of(own) is not None for own in made)
    return some and known is None and shares_models(problem, members[0].settings)


def weigh(
    problem: Problem,
    members: Sequence[Member],
    made: Sequence[Any],
    votes: Float64Array,
    content: UInt64Array,
) -> tuple[Weighing, Int64Array, Float64Array, Float64Array]:
    """Learn what votes and relatives are worth.

    Parameters
    ----------
    problem : Problem
    members : sequence of Member
    made : sequence of batch of items
        As each member's preparation makes them, with similarities.
    votes : ndarray of shape (n_items, n_classes)
        Of :func:`sfmcore.learning.held_out.held_out_votes`.
    content : ndarray of shape (n_items,), uint64
        Digests that equal items share.

    Returns
    -------
    weighing : Weighing
    numbers : ndarray of shape (n_used,), int64
        Classes of the items that it was learnt from.
    weights : ndarray of shape (n_used,)
    shares : ndarray of shape (n_used, n_classes)
        Probabilities that it gives them, as strangers.
    """
    own = members[0].preparation.own_references(problem.items)
    reference_classes = ReferenceClasses.of(own, problem.numbers, problem.n_classes)
    labelled = np.flatnonzero(problem.numbers != UNLABELED)
    most = max(1, _MOST_NUMBERS // (problem.n_classes * N_WEIGHTS))
    if len(labelled) > most:
        # What an item holds decides whether weights are learnt from it.
        order = np.argsort(content[labelled], kind="stable")
        labelled = np.sort(labelled[order[:most]])
    similar = similarities_of(made[0])
    assert similar is not None
    others = others_than_own(similar, own, problem)[labelled]
    numbers, weights = problem.numbers[labelled], problem.weights[labelled]
    weighing = learn_weighing(
        votes[labelled],
        others,
        reference_classes,
        numbers,
        weights,
        groups=None if problem.groups is None else problem.groups[labelled],
    )
    scores = weighing.scores(votes[labelled], others)
    return weighing, numbers, weights, weighing.probabilities(scores)


def others_than_own(similar: Similarities, own: Int64Array, problem: Problem) -> Similarities:
    """Similarities that a new item may have: nothing else is like an item as the item itself is.

    Parameters
    ----------
    similar : Similarities
        Of the items of the problem.
    own : ndarray of shape (n_items,), int64
        The reference that each item is; -1 if it is none.
    problem : Problem
        Whose groups, if it has any, are not met again either.
    """
    if problem.groups is None:
        return similar.without(own)
    return similar.without_groups(own, problem.groups)
