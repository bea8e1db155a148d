"""All that is learnt from a problem: preparations, pairs, and what their votes are worth."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sfmcore.data.arrays import BoolArray, Float64Array
from sfmcore.data.with_vectors import similarities_of, without_similarities
from sfmcore.estimators.confidence import Confidence, learn_confidence
from sfmcore.learning.members import Candidate, Member, applied_to_training, prepared_members
from sfmcore.learning.one_vs_rest import learn_pairs
from sfmcore.learning.pair import Pair
from sfmcore.learning.problem import Problem
from sfmcore.learning.relatives import are_weighed, others_than_own
from sfmcore.novelty.learning import learn_typicality
from sfmcore.parallel.plan import running


def learn_team(
    problem: Problem,
    candidates: Sequence[Candidate],
    *,
    n_pairs: int,
    calibrate: bool,
    confidence: Confidence | None,
    known: BoolArray | None,
    seed: int,
    n_threads: int,
    show_progress: bool,
) -> tuple[list[Pair], Confidence]:
    """Learn pairs that vote together.

    Parameters
    ----------
    problem : Problem
    candidates : sequence of Candidate
    n_pairs : int
        Of each candidate for each class against the rest.
    calibrate : bool
        Whether to learn what votes are worth where no relatives are weighed against them.
    confidence : Confidence or None
        What is known of that already; None to learn it.
    known : ndarray of shape (n_items,), bool, or None
        Labelled items of the models; see :meth:`sfmcore.learning.task.Split.apart_from`.
    seed : int
    n_threads : int
        The result does not depend on it.
    show_progress : bool

    Returns
    -------
    pairs : list of Pair
        Class by class, and candidate by candidate within a class.
    confidence : Confidence
    """
    rest: dict[str, Any] = {"seed": seed, "n_threads": n_threads, "show_progress": show_progress}
    team = _team(problem, candidates, n_pairs=n_pairs, known=known, **rest)
    members, made, pairs = team.members, team.made, team.pairs
    votes = None
    if confidence is None:
        confidence = Confidence()
        if team.weighed or calibrate:
            confidence, votes = learn_confidence(
                problem, members, pairs, made, weighed=team.weighed, known=known, **rest
            )
    if known is None:
        typicality = learn_typicality(
            problem,
            members,
            made,
            votes,
            confidence.weighing,
            pairs[0].mapping.content_keys(without_similarities(made[0])),
            seed=seed,
            n_threads=n_threads,
        )
        confidence = replace(confidence, typicality=typicality)
    return pairs, confidence


def held_out_shares(
    problem: Problem,
    candidates: Sequence[Candidate],
    *,
    n_pairs: int,
    seed: int,
    n_threads: int,
    show_progress: bool,
) -> tuple[list[Pair], Float64Array]:
    """Learn pairs, and probabilities of every item by u's that did not learn from it.

    Preparations, models, landmarks and what votes are worth have seen the labels.

    Parameters
    ----------
    problem : Problem
        Without items that have no label.
    candidates, n_pairs, seed, n_threads, show_progress
        As of :func:`learn_team`.

    Returns
    -------
    pairs : list of Pair
    shares : ndarray of shape (n_items, n_classes)
    """
    rest: dict[str, Any] = {"seed": seed, "n_threads": n_threads, "show_progress": show_progress}
    team = _team(problem, candidates, n_pairs=n_pairs, known=None, **rest)
    confidence, votes = learn_confidence(
        problem, team.members, team.pairs, team.made, weighed=team.weighed, known=None, **rest
    )
    if confidence.weighing is None:
        assert confidence.calibration is not None
        scores = votes[:, 0] if votes.shape[1] == 1 else votes
        return team.pairs, confidence.calibration.probabilities(scores)
    similar = similarities_of(team.made[0])
    assert similar is not None
    own = team.members[0].preparation.own_references(problem.items)
    scores = confidence.weighing.scores(votes, others_than_own(similar, own, problem))
    return team.pairs, confidence.weighing.probabilities(scores)


@dataclass(frozen=True)
class _Team:
    """Pairs that vote together, and what they were learnt from."""

    members: list[Member]
    made: list[Any]
    pairs: list[Pair]
    weighed: bool


def _team(
    problem: Problem,
    candidates: Sequence[Candidate],
    *,
    n_pairs: int,
    known: BoolArray | None,
    seed: int,
    n_threads: int,
    show_progress: bool,
) -> _Team:
    weights = problem.weights if known is None else known.astype(float)
    with running(show=show_progress):
        members = prepared_members(
            candidates, problem.items, problem.numbers, weights, seed=seed, n_threads=n_threads
        )
        made = applied_to_training(members, problem.items)
    weighed = are_weighed(problem, members, made, known)
    seen = [without_similarities(own) for own in made] if weighed else made
    pairs = learn_pairs(
        problem,
        members,
        n_pairs=n_pairs,
        known=known,
        made=seen,
        seed=seed,
        n_threads=n_threads,
        show_progress=show_progress,
    )
    return _Team(members, made, pairs, weighed)
