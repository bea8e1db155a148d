"""The feature map as a transformer of its own."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from sfmcore.data.streams import TRANSFORMATION
from sfmcore.estimators.composition import ComposedEstimator, without_keywords
from sfmcore.features.column_kernel import ColumnKernel
from sfmcore.features.feature_map import Draws, FeatureMap
from sfmcore.kernels import _random
from sfmcore.learning.members import Candidate, prepared_members
from sfmcore.learning.prepare import prepare
from sfmcore.learning.problem import draw_seed, make_problem, pair_seed
from sfmcore.learning.settings import Settings
from sfmcore.learning.task import Task
from sfmcore.models.base import GenerativeModel
from sfmcore.parallel.tasks import learn_many
from sfmcore.parallel.threads import effective_threads
from sfmcore.preparation.base import Preparation


class StochasticFeatureMap(TransformerMixin, ComposedEstimator):
    """Features of the hidden variables under pairs of generative models.

    For each class one model is fitted to its items and one to the rest; for two classes there
    is one pair. An item becomes the sufficient statistics of both models and the terms of
    their posteriors, brought to unit length (Li, Lee, Liu, section 2): what
    :class:`SFMClassifier` is linear in, for any classifier that follows in a pipeline.

    Parameters
    ----------
    model : GenerativeModel, default=None
        Unfitted; None for a mixture of four Gaussians.
    prepare : Preparation, default=None
        What is done with X before the models see it; None as in :class:`SFMClassifier`.
    n_draws : int or "exact", default="exact"
        "exact": expected features. A number: the mean of as many rows of drawn features, each
        of unit length.
    conditioning : bool or None, default=None
        Standardise the features; None for the model's default.
    clip : float, default=2.0
        Largest absolute value of a conditioned feature.
    unlabeled : "auto", None or a value, default="auto"
        Marker of unlabelled items in `y`; they are used for standardising only.
    random_state : int, RandomState instance or None, default=None
        The same integer gives the same bits, whatever `n_jobs`.
    n_jobs : int or None, default=None
        Threads; -1 for all.
    **short_names
        Parameters of `model` and `prepare`, as in :class:`SFMClassifier`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    mappings_ : list of FeatureMap
        One for each class against the rest; for two classes only that of the second.
    preparation_ : FittedPreparation
        What is done with X.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
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

    @without_keywords
    def __init__(
        self,
        model: GenerativeModel | None = None,
        prepare: Preparation | None = None,
        *,
        n_draws: Draws = "exact",
        conditioning: bool | None = None,
        clip: float = 2.0,
        unlabeled: Any = "auto",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        **short_names: Any,
    ) -> None:
        self.model = model
        self.prepare = prepare
        self.n_draws = n_draws
        self.conditioning = conditioning
        self.clip = clip
        self.unlabeled = unlabeled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.take_keywords(short_names)

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
        self.check_parts()
        if len(self.models) > 1 or isinstance(self.models[0], ColumnKernel):
            raise ValueError("model must be one generative model")
        settings = Settings(n_draws=self.n_draws, conditioning=self.conditioning, clip=self.clip)
        rows = self.preparation.encode(X, self, reset=True)
        problem = make_problem(rows, y, sample_weight, unlabeled=self.unlabeled)
        # The streams of draws have 64 bits for it.
        self._seed, self._n_draws = draw_seed(self.random_state) % 2**64, self.n_draws
        threads = effective_threads(self.n_jobs)
        candidate = Candidate(self.models[0], self.preparation, settings)
        member = prepared_members(
            [candidate],
            problem.items,
            problem.numbers,
            problem.weights,
            seed=self._seed,
            n_threads=threads,
        )[0]
        self.preparation_ = member.preparation
        items = self.preparation_.apply(problem.items)

        def learn(target: int, n_threads: int) -> FeatureMap:
            task = Task.of(
                items,
                problem.signs(target),
                weights=problem.weights,
                seed=pair_seed(self._seed, target, 0),
                n_threads=n_threads,
            )
            mapping = prepare(task, member.model, settings).mapping
            assert isinstance(mapping, FeatureMap)
            return mapping

        self.mappings_: list[FeatureMap] = learn_many(learn, problem.targets, threads)
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
        items = self.preparation_.apply(self.preparation.encode(X, self))
        out = np.empty((len(items), sum(m.n_features for m in self.mappings_)), dtype=dtype)
        first = 0
        for number, mapping in enumerate(self.mappings_):
            mapping.set_threads(effective_threads(self.n_jobs))
            keys = None
            if self._n_draws != "exact":
                # By content: a row does not depend on its place or its neighbours.
                content = mapping.content_keys(items)
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
        columns = self._columns(input_features)
        labels = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        names = []
        for label, mapping in zip(labels.tolist(), self.mappings_, strict=True):
            names += [f"{label} beside{k}" for k in range(mapping.n_vectors)]
            for sign, model in (("+", mapping.positive), ("-", mapping.negative)):
                own = model.feature_names(columns)
                names += [f"{label}{sign} {name}" for name in own]
            names.append(f"{label} constant")
        return np.array(names, dtype=object)

    def _columns(self, given: Any) -> list[str] | None:
        """Names of the columns of X; refuse others than those of `fit`."""
        if not hasattr(self, "n_features_in_"):
            return None
        learnt = getattr(self, "feature_names_in_", None)
        if given is None:
            own = [f"x{d}" for d in range(self.n_features_in_)] if learnt is None else learnt
            return list(own)
        names = np.asarray(given, dtype=object)
        if learnt is not None and not np.array_equal(names, learnt):
            raise ValueError("input_features is not equal to feature_names_in_")
        if len(names) != self.n_features_in_:
            raise ValueError(
                "input_features should have length equal to number of features "
                f"({self.n_features_in_}), got {len(names)}"
            )
        return names.tolist()
