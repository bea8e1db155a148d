"""Shared parts of the baselines for two classes: one problem for each class."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin

from sfmcore.data.arrays import Float64Array
from sfmcore.learning.problem import Problem
from sfmcore.parallel.tasks import learn_many
from sfmcore.parallel.threads import effective_threads

Solution = TypeVar("Solution")


class OneVersusRest(ClassifierMixin, BaseEstimator, ABC):
    """A classifier whose score of a class comes from the problem of that class and the rest.

    With two classes there is one problem, of the second against the first.
    """

    classes_: npt.NDArray[Any]

    @abstractmethod
    def decision_function(self, X: Any) -> Float64Array:
        """Score of the second class, or of each of several."""

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Label of every item: the class of the highest score.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray of shape (n_items,)
        """
        return labels_of(self.decision_function(X), self.classes_)


def labels_of(scores: Float64Array, classes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Class of the highest score; of one column of scores, the second class above 0.

    Examples
    --------
    >>> labels_of(np.array([0.5, -0.5]), np.array(["a", "b"])).tolist()
    ['b', 'a']
    >>> labels_of(np.array([[0.1, 0.0, 0.2]]), np.array(["a", "b", "c"])).tolist()
    ['c']
    """
    numbers = (scores > 0).astype(np.int64) if scores.ndim == 1 else scores.argmax(1)
    return np.asarray(classes[numbers])


def as_scores(columns: list[Float64Array]) -> Float64Array:
    """Scores of the problems as scikit-learn wants them: a vector where there is one problem."""
    return columns[0] if len(columns) == 1 else np.column_stack(columns)


def solve_each(
    problem: Problem,
    solve: Callable[[npt.NDArray[np.int8], int], Solution],
    n_jobs: int | None,
) -> list[Solution]:
    """Solve the problem of each class against the rest, in parallel threads.

    Parameters
    ----------
    problem : Problem
    solve : callable
        Takes the signs of the items and the number of the class.
    n_jobs : int or None
        The result does not depend on it.
    """
    return learn_many(
        lambda target, _: solve(problem.signs(target), target),
        problem.targets,
        effective_threads(n_jobs),
    )
