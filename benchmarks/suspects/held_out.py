"""The cheaper way to probabilities of training items: votes of one fit, held out."""

from typing import Any

import numpy as np
from scipy.special import expit

from sfmcore.data.with_vectors import similarities_of, without_similarities
from sfmcore.estimators.confidence import learn_confidence
from sfmcore.learning.members import applied_to_training, prepared_members
from sfmcore.learning.one_vs_rest import learn_pairs
from sfmcore.learning.problem import draw_seed, make_problem
from sfmcore.learning.relatives import are_weighed, others_than_own


def held_out_shares(classifier: Any, items: Any, labels: np.ndarray) -> np.ndarray:
    """Probabilities by u's that were learnt without the item, over models that know its label.

    Parameters
    ----------
    classifier : SFMClassifier
        Unfitted.
    items : batch of items
    labels : ndarray of shape (n_items,)

    Returns
    -------
    ndarray of shape (n_items, n_classes)
    """
    problem = make_problem(items, labels, unlabeled=classifier.unlabeled)
    rest: dict[str, Any] = {"seed": draw_seed(classifier.random_state), "n_threads": 1}
    members = prepared_members(
        classifier.candidates(problem.n_classes),
        items,
        problem.numbers,
        problem.weights,
        **rest,
    )
    made = applied_to_training(members, items)
    weighed = are_weighed(problem, members, made, None)
    seen = [without_similarities(own) for own in made] if weighed else made
    pairs = learn_pairs(problem, members, n_pairs=classifier.n_pairs, known=None, made=seen, **rest)
    confidence, votes = learn_confidence(
        problem, members, pairs, made, weighed=weighed, known=None, **rest
    )
    if confidence.weighing is None:
        assert confidence.calibration is not None
        return confidence.calibration.probabilities(votes[:, 0] if votes.shape[1] == 1 else votes)
    similar = similarities_of(made[0])
    assert similar is not None
    own = members[0].preparation.own_references(items)
    return np.asarray(
        expit(confidence.weighing.scores(votes, others_than_own(similar, own, problem)))
    )
