"""The most confident mistakes of an evaluation."""

from collections.abc import Sequence
from dataclasses import dataclass

from sfmcore.evaluation.answers import Answers


@dataclass(frozen=True)
class Mistake:
    """A wrong label, the most confident one that the item got.

    Attributes
    ----------
    item : int
        Place of the item in X.
    partition : int
        Where it got this label.
    truth, predicted : int
        Numbers of the classes.
    confidence : float
        Probability of `predicted`.
    n_wrong, n_tests : int
        Tests in which the item's label was wrong, and tests of the item.
    """

    item: int
    partition: int
    truth: int
    predicted: int
    confidence: float
    n_wrong: int
    n_tests: int


def most_confident_mistakes(answers: Sequence[Answers], most: int) -> list[Mistake]:
    """Items whose wrong labels were the most confident ones, each once.

    Parameters
    ----------
    answers : sequence of Answers
        One for each partition.
    most : int
        Mistakes at most.

    Returns
    -------
    list of Mistake
        The most confident first; of equally confident ones the item that comes first in X.

    Examples
    --------
    >>> import numpy as np
    >>> no = np.empty(0)
    >>> part = Answers(
    ...     np.array([4, 7, 9]), np.array([0, 1, 1]), np.array([1, 1, 0]),
    ...     np.array([0.6, 0.9, 0.8]), no, no, no, no,
    ... )
    >>> [(one.item, one.confidence) for one in most_confident_mistakes([part, part], 5)]
    [(9, 0.8), (4, 0.6)]
    """
    worst: dict[int, tuple[float, int, int, int]] = {}
    n_wrong: dict[int, int] = {}
    for partition, part in enumerate(answers):
        wrong = (part.predicted != part.truth).nonzero()[0]
        columns = (part.items, part.confidence, part.truth, part.predicted)
        for item, confidence, truth, predicted in zip(
            *(column[wrong].tolist() for column in columns), strict=True
        ):
            n_wrong[item] = n_wrong.get(item, 0) + 1
            if item not in worst or confidence > worst[item][0]:
                worst[item] = confidence, partition, truth, predicted
    chosen = sorted(worst, key=lambda item: (-worst[item][0], item))[:most]
    kept = set(chosen)
    n_tests = dict.fromkeys(chosen, 0)
    for part in answers:
        for item in kept.intersection(part.items.tolist()):
            n_tests[item] += 1
    made = []
    for item in chosen:
        confidence, partition, truth, predicted = worst[item]
        made.append(
            Mistake(item, partition, truth, predicted, confidence, n_wrong[item], n_tests[item])
        )
    return made
