"""Calibration of a classifier's votes, learnt from its own held-out training items."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sfmcore.data.arrays import BoolArray, Float64Array, Int64Array
from sfmcore.data.targets import UNLABELED
from sfmcore.data.with_vectors import similarities_of, without_similarities
from sfmcore.learning.calibration import Calibration, learn_calibration
from sfmcore.learning.held_out import held_out_votes
from sfmcore.learning.label_sets import LabelSets
from sfmcore.learning.members import Member
from sfmcore.learning.pair import Pair
from sfmcore.learning.problem import Problem
from sfmcore.learning.relatives import others_than_own, weigh
from sfmcore.learning.weighing import Weighing
from sfmcore.novelty.typicality import Typicality


@dataclass(frozen=True)
class Confidence:
    """Calibration and weighing of votes; both None if only shares of votes are available.

    Attributes
    ----------
    weighing : Weighing or None
        Where relatives are weighed against the votes.
    calibration : Calibration or None
        Elsewhere.
    sets : LabelSets or None
        What probabilities of new items are held against, for sets of labels.
    typicality : Typicality or None
        What tells inputs that are like nothing learnt.
    """

    weighing: Weighing | None = None
    calibration: Calibration | None = None
    sets: LabelSets | None = None
    typicality: Typicality | None = None

    @classmethod
    def of_votes(
        cls, votes: Float64Array, numbers: Int64Array, weights: Float64Array
    ) -> "Confidence":
        """Calibration from votes alone.

        Parameters
        ----------
        votes : ndarray of shape (n_items, n_targets)
            By classifiers that did not learn from the item.
        numbers : ndarray of shape (n_items,), int64
            Class of each item.
        weights : ndarray of shape (n_items,)
        """
        scores = votes[:, 0] if votes.shape[1] == 1 else votes
        calibration = learn_calibration(scores, numbers, weights)
        shares = calibration.probabilities(scores)
        return cls(calibration=calibration, sets=LabelSets.of(shares, numbers, weights))


def learn_confidence(
    problem: Problem,
    members: Sequence[Member],
    pairs: Sequence[Pair],
    made: Sequence[Any],
    *,
    weighed: bool,
    known: BoolArray | None,
    seed: int,
    n_threads: int,
    show_progress: bool = False,
) -> tuple[Confidence, Float64Array]:
    """Learn it from votes of u's that did not see the item.

    Parameters
    ----------
    problem : Problem
    members : sequence of Member
    pairs : sequence of Pair
        Class by class, and member by member within a class.
    made : sequence of batch of items
        As each member's preparation makes them.
    weighed : bool
        Whether relatives are weighed against the votes, which then do not see them.
    known : ndarray of shape (n_items,), bool, or None
        Labelled items of the models, where others are kept for a certificate: it is learnt from
        those others.
    seed : int
    n_threads : int
        The result does not depend on it.
    show_progress : bool, default=False

    Returns
    -------
    confidence : Confidence
        Without typicality.
    votes : ndarray of shape (n_items, n_targets)
        Of :func:`sfmcore.learning.held_out.held_out_votes`.
    """
    seen = [without_similarities(own) for own in made] if weighed else list(made)
    content = pairs[0].mapping.content_keys(seen[0])
    votes = held_out_votes(
        problem,
        members,
        pairs,
        seen,
        [_as_met(problem, member, own) for member, own in zip(members, seen, strict=True)],
        content if problem.groups is None else problem.groups.astype(np.uint64),
        known=known,
        seed=seed,
        n_threads=n_threads,
        show_progress=show_progress,
    )
    if weighed:
        weighing, numbers, weights, shares = weigh(problem, members, made, votes, content)
        return Confidence(weighing, sets=LabelSets.of(shares, numbers, weights)), votes
    told = problem.numbers != UNLABELED
    if known is not None:
        told &= ~known
    own = Confidence.of_votes(votes[told], problem.numbers[told], problem.weights[told])
    return own, votes


def _as_met(problem: Problem, member: Member, items: Any) -> Any:
    """Items that are like no item of themselves, or of their group; as they are if none is so."""
    similar = similarities_of(items)
    if similar is None:
        return items
    own = member.preparation.own_references(problem.items)
    return replace(items, similarities=others_than_own(similar, own, problem))
