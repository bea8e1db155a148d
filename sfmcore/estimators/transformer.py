"""The feature map as a transformer of its own."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted
from threadpoolctl import threadpool_limits

from sfmcore.data.streams import TRANSFORMATION
from sfmcore.features.feature_map import Draws, FeatureMap
from sfmcore.kernels import _random
from sfmcore.learning.algorithm import Learner
from sfmcore.learning.one_vs_rest import draw_seed, make_problem, pair_seed
from sfmcore.learning.settings import Settings
from sfmcore.parallel.threads import effective_threads
from sfmcore.preparation.columns import ScalingName, VectorInputs


class StochasticFeatureMap(VectorInputs, TransformerMixin, BaseEstimator):
    """Features of the hidden components under pairs of Gaussian mixtures.

    For each class one mixture is fitted to its items and one to the rest; for two classes there
    is one pair. An item becomes the sufficient statistics of both mixtures and the terms of
    their posteriors, brought to unit length (Li, Lee, Liu, section 2): what
    :class:`SFMClassifier` is linear in, for any classifier that follows in a pipeline.

    Parameters
    ----------
    n_components : int, default=4
        Gaussians of each mixture.
    n_draws : int or "exact", default="exact"
        "exact": expected features. A number: the mean of as many rows of drawn features, each
        of unit length.
    conditioning : bool or None, default=None
        Standardise the features; None means no for mixtures.
    clip : float, default=2.0
        Largest absolute value of a conditioned feature.
    scaling : {"standard", "power", "uniform", "normal", None}, default="standard"
        As in :class:`SFMClassifier`.
    n_init : int, default=2
        Random starts of each EM run.
    em_max_iter : int, default=200
        Iterations of EM at most.
    em_tol : float, default=1e-4
        EM stops when an iteration gains less than this, in nats an item.
    unlabeled : "auto", None or a value, default="auto"
        What stands in `y` for an item without label; it takes part in the standardising only.
    random_state : int, RandomState instance or None, default=None
        The same integer gives the same bits, whatever `n_jobs`.
    n_jobs : int or None, default=None
        Threads; -1 for all.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    mappings_ : list of FeatureMap
        One for each class against the rest; for two classes only that of the second.
    scaling_ : Scaling, PowerScaling, QuantileScaling or Unscaled
        What is done with the columns of X.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if X had names that are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> X, y = load_wine(return_X_y=True)
    >>> features = StochasticFeatureMap(n_components=2, random_state=0)
    >>> model = make_pipeline(features, LogisticRegression(C=100)).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    >>> features.get_feature_names_out()[2]
    '0+ component0 x0'
    """

    def __init__(
        self,
        n_components: int = 4,
        *,
        n_draws: Draws = "exact",
        conditioning: bool | None = None,
        clip: float = 2.0,
        scaling: ScalingName | None = "standard",
        n_init: int = 2,
        em_max_iter: int = 200,
        em_tol: float = 1e-4,
        unlabeled: Any = "auto",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_draws = n_draws
        self.conditioning = conditioning
        self.clip = clip
        self.scaling = scaling
        self.n_init = n_init
        self.em_max_iter = em_max_iter
        self.em_tol = em_tol
        self.unlabeled = unlabeled
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Fit the mixtures of every class and its rest.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)
        y : array-like of shape (n_items,)
            Labels, of at least two classes.
        sample_weight : array-like of shape (n_items,), optional
            A weight of 2 is an item given twice, 0 an item left out.

        Returns
        -------
        self : StochasticFeatureMap

        Raises
        ------
        ValueError
            If X or y can't be used, or a parameter is out of range.
        """
        self._check_inputs()
        settings = Settings(n_draws=self.n_draws, conditioning=self.conditioning, clip=self.clip)
        rows = self._encode(X, first=True)
        problem = make_problem(rows, y, sample_weight, unlabeled=self.unlabeled)
        # The streams of draws have 64 bits for it.
        self._seed, self._n_draws = draw_seed(self.random_state) % 2**64, self.n_draws
        self.scaling_ = self._fit_inputs(problem.items, problem.weights)
        items = self.scaling_.apply(problem.items)
        self.mappings_: list[FeatureMap] = []
        with threadpool_limits(limits=1, user_api="blas"):
            for target in problem.targets:
                learner = Learner(
                    self._make_model(self.scaling_),
                    settings,
                    pair_seed(self._seed, target, 0),
                    effective_threads(self.n_jobs),
                )
                learner.prepare(items, problem.signs(target), sample_weight=problem.weights)
                assert isinstance(learner.mapping, FeatureMap)
                self.mappings_.append(learner.mapping)
        self.classes_ = problem.classes
        return self

    def transform(self, X: Any) -> npt.NDArray[np.floating]:
        """Features of every item.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items, n_features_out)
            float32 if X is, else float64.
        """
        check_is_fitted(self, "mappings_")
        dtype = np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64
        items = self.scaling_.apply(self._encode(X))
        out = np.empty((len(items), sum(m.n_features for m in self.mappings_)), dtype=dtype)
        first = 0
        for number, mapping in enumerate(self.mappings_):
            mapping.set_threads(effective_threads(self.n_jobs))
            keys = None
            if self._n_draws != "exact":
                # By content: a row does not depend on its place or its neighbours.
                content = mapping.positive.content_keys(items)
                keys = _random.stream_keys(self._seed, TRANSFORMATION + number, content)
            rows = mapping.features(items, self._n_draws, keys)
            means = rows.reshape(len(items), -1, mapping.n_features).mean(1)
            out[:, first : first + mapping.n_features] = means
            first += mapping.n_features
        return out

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Names such as ``setosa+ component0 petal width^2``.

        The class stands first, then + for its own mixture and - for that of the rest.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns of X.

        Returns
        -------
        ndarray of str objects, shape (n_features_out,)
        """
        check_is_fitted(self, "mappings_")
        columns = _check_feature_names_in(self, input_features).tolist()
        labels = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        names = []
        for label, mapping in zip(labels.tolist(), self.mappings_, strict=True):
            for sign, model in (("+", mapping.positive), ("-", mapping.negative)):
                own = model.feature_names(columns)  # type: ignore[call-arg]
                names += [f"{label}{sign} {name}" for name in own]
            names.append(f"{label} constant")
        return np.array(names, dtype=object)
