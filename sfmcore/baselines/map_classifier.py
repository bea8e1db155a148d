"""Classification by the model under which an item is most probable."""

from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.special import log_expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from sfmcore.baselines.binary import labels_of
from sfmcore.baselines.class_models import as_batch, check_model, fitted_models
from sfmcore.data.arrays import Float64Array
from sfmcore.data.checks import check_choice
from sfmcore.data.targets import numbered_labels, require_two_classes
from sfmcore.learning.problem import draw_seed
from sfmcore.models.base import GenerativeModel
from sfmcore.parallel.threads import effective_threads


class MAPClassifier(ClassifierMixin, BaseEstimator):
    """Maximum a posteriori: the class of the largest log P(x | class) + log P(class).

    P(x | class) is a generative model fitted to the items of the class, and P(class) its share
    of the items. With latent Dirichlet allocation P(x | class) is the model's estimate.

    Parameters
    ----------
    model : CategoricalHMM, DiagonalGMM, LatentDirichletAllocation or another GenerativeModel
        Not fitted; clones of it are.
    strategy : {"multiclass", "one_versus_rest"}, default="multiclass"
        A model of each class; or of each class and of its rest, as in the paper's tables, where
        the class wins whose log P(x, class) - log P(x, rest) is largest. With two classes both
        are the same.
    random_state : int, RandomState instance or None, default=None
        Seed of the models' own; None leaves `random_state` of `model` as it is.
    n_jobs : int or None, default=None
        Threads of the models; None leaves `n_jobs` of `model` as it is.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    class_prior_ : ndarray of shape (n_classes,)
        Shares of the classes.
    models_ : list of GenerativeModel
        Of the classes.
    rest_models_ : list of GenerativeModel
        Of their rests, with "one_versus_rest"; of two classes, the other class's.

    References
    ----------
    X. Li, T. S. Lee, Y. Liu, "Stochastic Feature Mapping for PAC-Bayes Classification",
    arXiv:1204.2609, section 2: HMM-MAP and LDA-MAP of the tables.

    Examples
    --------
    >>> from sfmcore.models.gmm import DiagonalGMM
    >>> rows = np.array([[0.0], [1.0], [7.0], [9.0], [8.0]])
    >>> model = MAPClassifier(DiagonalGMM(1)).fit(rows, ["low", "low", "high", "high", "high"])
    >>> model.predict([[2.0], [6.0]]).tolist()
    ['low', 'high']
    """

    def __init__(
        self,
        model: GenerativeModel,
        *,
        strategy: Literal["multiclass", "one_versus_rest"] = "multiclass",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.model = model
        self.strategy = strategy
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: npt.ArrayLike) -> Self:
        """Fit the models of the classes.

        Parameters
        ----------
        X : batch of items
            As the model takes it (:class:`~sfmcore.data.ragged.Ragged`, an array of vectors), or a
            list of its items.
        y : array-like of shape (n_items,)
            Labels, of at least two classes.

        Returns
        -------
        self : MAPClassifier

        Raises
        ------
        ValueError
            If X or y can't be used, or a parameter is out of range.
        """
        check_model(self.model)
        check_choice("strategy", self.strategy, ("multiclass", "one_versus_rest"))
        effective_threads(self.n_jobs)
        data = as_batch(self.model, X)
        self.classes_, numbers = numbered_labels(y, len(data), unlabeled=None)
        require_two_classes(self.classes_, numbers, None)
        n_classes = len(self.classes_)
        self.class_prior_ = np.bincount(numbers, minlength=n_classes) / len(numbers)
        groups = [np.flatnonzero(numbers == number) for number in range(n_classes)]
        with_rest = self.strategy == "one_versus_rest"
        if with_rest and n_classes > 2:
            groups += [np.flatnonzero(numbers != number) for number in range(n_classes)]
        seed = None if self.random_state is None else draw_seed(self.random_state)
        models = fitted_models(self.model, data, groups, seed, self.n_jobs)
        self.models_ = models[:n_classes]
        if with_rest:
            self.rest_models_ = models[n_classes:] if n_classes > 2 else models[::-1]
        return self

    def decision_function(self, X: Any) -> Float64Array:
        """Log P(x, class) of every class, or of two classes the second's less the first's.

        With "one_versus_rest", log P(x, class) - log P(x, rest).

        Parameters
        ----------
        X : batch of items

        Returns
        -------
        ndarray of shape (n_items,) or (n_items, n_classes)
        """
        check_is_fitted(self, "models_")
        data = as_batch(self.model, X)
        scores = _joint(self.models_, self.class_prior_, data)
        if len(self.classes_) == 2:
            return np.asarray(scores[:, 1] - scores[:, 0])
        if self.strategy == "one_versus_rest":
            scores -= _joint(self.rest_models_, 1.0 - self.class_prior_, data)
        return scores

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Label of every item.

        Parameters
        ----------
        X : batch of items

        Returns
        -------
        ndarray of shape (n_items,)
        """
        return labels_of(self.decision_function(X), self.classes_)

    def predict_proba(self, X: Any) -> Float64Array:
        """P(class | x); with "one_versus_rest" each class's against its rest, normalised.

        Parameters
        ----------
        X : batch of items

        Returns
        -------
        ndarray of shape (n_items, n_classes)
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        elif self.strategy == "one_versus_rest":
            scores = log_expit(scores)
        return np.asarray(softmax(scores, axis=1))


def _joint(models: list[GenerativeModel], prior: Float64Array, data: Any) -> Float64Array:
    """Log P(x, class), shape (n_items, n_classes)."""
    return np.column_stack([model.log_likelihood(data) for model in models]) + np.log(prior)
