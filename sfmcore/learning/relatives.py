"""Whether relatives are weighed against the votes, and how that is learnt from training items."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfmcore.data.arrays import BoolArray, Float64Array
from sfmcore.data.targets import UNLABELED
from sfmcore.data.with_vectors import similarities_of, without_similarities
from sfmcore.learning.evidence import ReferenceClasses
from sfmcore.learning.held_out import held_out_votes
from sfmcore.learning.members import Member
from sfmcore.learning.pair import Pair
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
    pairs: Sequence[Pair],
    made: Sequence[Any],
    *,
    seed: int,
    n_threads: int,
    show_progress: bool = False,
) -> tuple[Weighing, Float64Array]:
    """Learn what votes and relatives are worth.

    Parameters
    ----------
    problem : Problem
    members : sequence of Member
    pairs : sequence of Pair
        Of all classes, class by class.
    made : sequence of batch of items
        As each member's preparation makes them, with similarities.
    seed : int
    n_threads : int
        The result does not depend on it.
    show_progress : bool, default=False

    Returns
    -------
    weighing : Weighing
    votes : ndarray of shape (n_items, n_classes)
        Of every item by classifiers that did not learn from it; see :func:`held_out_votes`.
    """
    own = members[0].preparation.own_references(problem.items)
    reference_classes = ReferenceClasses.of(own, problem.numbers, problem.n_classes)
    labelled = np.flatnonzero(problem.numbers != UNLABELED)
    items = without_similarities(made[0])
    content = pairs[0].mapping.content_keys(items)
    most = max(1, _MOST_NUMBERS // (problem.n_classes * N_WEIGHTS))
    if len(labelled) > most:
        # What an item holds decides whether weights are learnt from it.
        order = np.argsort(content[labelled], kind="stable")
        labelled = np.sort(labelled[order[:most]])
    votes = held_out_votes(
        problem,
        pairs[: len(pairs) // problem.n_classes],
        members[0].settings,
        items,
        content,
        seed=seed,
        n_threads=n_threads,
        show_progress=show_progress,
    )
    similar = similarities_of(made[0])
    assert similar is not None
    weighing = learn_weighing(
        votes[labelled],
        # Nothing else is like an item as the item itself is.
        similar.without(own)[labelled],
        reference_classes,
        problem.numbers[labelled],
        problem.weights[labelled],
    )
    return weighing, votes
