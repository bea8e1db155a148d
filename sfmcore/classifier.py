"""The estimators: one-versus-rest over learnt pairs."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from sfmcore.bound import FloatArray
from sfmcore.learning import Learner, Pair, Settings
from sfmcore.mapping import Draws
from sfmcore.models.base import GenerativeModel
from sfmcore.parameters import check_whole
from sfmcore.progress import progress
from sfmcore.threads import effective_threads
from sfmcore.vote import majority, vote_shares


class BaseSFMClassifier(ClassifierMixin, BaseEstimator, ABC):
    """One-versus-rest classification by stochastic feature mapping.

    A subclass says what its inputs are (:meth:`_encode`) and which generative model they get
    (:meth:`_make_model`).

    Parameters
    ----------
    n_pairs : int, default=1
        Pairs of models for each class against the rest, from different random starts; their
        votes are averaged.
    n_draws : int or "exact", default="exact"
        Draws of the hidden variables per item (5 in the paper), or expected features.
        Training and prediction always use the same.
    coupling : float, default=0.0
        How much the classifier feeds back into the hidden variables, from 0 to 1 (1 in the
        paper). Needs draws.
    conditioning : bool or None, default=None
        Standardise the features; None for the generative model's default.
    clip : float, default=2.0
        Largest absolute value of a conditioned feature.
    C : float or "bound", default=20.0
        Weight of the risk in J(u), or learnt by minimising the bound.
    prior_fraction : float, default=0.0
        Share of the training items that u_0 is learnt on; 0 leaves u_0 at zero.
    max_iter : int, default=20
        Iterations of Algorithm 1 at most; with "exact" there is nothing to iterate.
    tol : float, default=1e-3
        Relative change of J(u) at which the iterations stop.
    optimizer : {"lbfgs", "gradient"}, default="lbfgs"
        Minimise J(u) in each iteration, or make one step down the gradient as in the paper.
    learning_rate_u, learning_rate_C : float, default=1.0
        First step sizes of "gradient".
    n_restarts : int, default=0
        Random starts in [-20, 20]^d besides the informed ones.
    max_proposals : int, default=50
        Proposals per item and iteration when coupled.
    refit : bool, default=True
        Learn u once more at the end, on draws from P(h | x) as in prediction.
    vote : {"majority", "normalised", "raw"}, default="majority"
        Label by the majority of the Gibbs classifiers over draws and pairs (B_Q); or by the mean
        of u . phi, with features of unit length or, as in the paper, with raw ones.
    delta : float, default=0.05
        The bound holds with probability 1 - delta.
    random_state : int, RandomState instance or None, default=None
        The same integer gives the same bits, whatever `n_jobs`.
    n_jobs : int or None, default=None
        Threads; -1 for all.
    verbose : int, default=0
        Above 0, a progress bar on standard error if that is a terminal.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    pairs_ : list of Pair
        `n_pairs` learnt pairs for each class against the rest, class by class; for two classes
        only those of the second.
    n_iter_ : int
        Largest number of iterations of Algorithm 1.
    """

    def __init__(
        self,
        *,
        n_pairs: int = 1,
        n_draws: Draws = "exact",
        coupling: float = 0.0,
        conditioning: bool | None = None,
        clip: float = 2.0,
        C: float | Literal["bound"] = 20.0,
        prior_fraction: float = 0.0,
        max_iter: int = 20,
        tol: float = 1e-3,
        optimizer: Literal["lbfgs", "gradient"] = "lbfgs",
        learning_rate_u: float = 1.0,
        learning_rate_C: float = 1.0,
        n_restarts: int = 0,
        max_proposals: int = 50,
        refit: bool = True,
        vote: Literal["majority", "normalised", "raw"] = "majority",
        delta: float = 0.05,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_pairs = n_pairs
        self.n_draws = n_draws
        self.coupling = coupling
        self.conditioning = conditioning
        self.clip = clip
        self.C = C
        self.prior_fraction = prior_fraction
        self.max_iter = max_iter
        self.tol = tol
        self.optimizer = optimizer
        self.learning_rate_u = learning_rate_u
        self.learning_rate_C = learning_rate_C
        self.n_restarts = n_restarts
        self.max_proposals = max_proposals
        self.refit = refit
        self.vote = vote
        self.delta = delta
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @abstractmethod
    def _encode(self, X: Any) -> Any:
        """Turn the user's input into a batch of items, or refuse it."""

    @abstractmethod
    def _make_model(self) -> GenerativeModel:
        """Return the unfitted generative model of one class."""

    def _settings(self) -> Settings:
        check_whole("n_pairs", self.n_pairs, 1)
        names = Settings.__dataclass_fields__
        return Settings(**{name: getattr(self, name) for name in names})

    def fit(self, X: Any, y: npt.ArrayLike, X_unlabeled: Any = None) -> Self:
        """Learn a pair of models and a classifier for every class.

        Parameters
        ----------
        X : inputs
        y : array-like of shape (n_items,)
            Labels, of at least two classes.
        X_unlabeled : inputs, optional
            Items without label: their disagreement enters J(u) (Theorem 2).

        Returns
        -------
        self : object

        Raises
        ------
        ValueError
            If an input can't be used, `X` and `y` differ in length, there is one class only,
            or a parameter is out of range.

        Warns
        -----
        ConvergenceWarning
            Once, if EM or Algorithm 1 stopped at its limit.
        """
        self._learn(X, y, X_unlabeled)
        warn_of_limits(self.pairs_)
        return self

    def _learn(self, X: Any, y: npt.ArrayLike, X_unlabeled: Any = None) -> None:
        """Fit without a warning."""
        settings = self._settings()
        items = self._encode(X)
        classes, numbers = numbered_labels(y, len(items))
        if len(classes) < 2:
            only = f", {classes.tolist()[0]!r}" if len(classes) else ""
            raise ValueError(f"at least two classes are needed, y has {len(classes)}{only}")
        if X_unlabeled is not None:
            items = _join(items, self._encode(X_unlabeled))
        seed = self._draw_seed()
        targets = [1] if len(classes) == 2 else list(range(len(classes)))
        jobs = [(target, number) for target in targets for number in range(self.n_pairs)]
        threads = effective_threads(self.n_jobs)
        # Whole pairs side by side need no barriers; threads left over go into the kernels.
        at_once = min(threads, len(jobs))

        def learn(target: int, number: int) -> Pair:
            signs = np.zeros(len(items), dtype=np.int8)
            signs[: len(numbers)] = np.where(numbers == target, 1, -1)
            own = np.random.SeedSequence([seed, target, number]).generate_state(1, np.uint64)[0]
            learner = Learner(self._make_model(), settings, int(own), max(1, threads // at_once))
            return learner.learn(items, signs)

        # One BLAS thread: the optimiser's own sums must not depend on the number of threads.
        with threadpool_limits(limits=1, user_api="blas"):
            tasks = (delayed(learn)(*job) for job in jobs)
            pairs = Parallel(n_jobs=at_once, require="sharedmem", return_as="generator")(tasks)
            shown = progress(pairs, "pairs", total=len(jobs), show=self.verbose > 0)
            self.pairs_: list[Pair] = list(shown)
        self.classes_ = classes
        self.n_iter_ = max(pair.n_iter for pair in self.pairs_)

    def _draw_seed(self) -> int:
        if isinstance(self.random_state, int | np.integer):
            check_whole("random_state", self.random_state, 0)
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _votes(self, X: Any) -> tuple[FloatArray, FloatArray]:
        check_is_fitted(self, "pairs_")
        items = self._encode(X)
        threads = effective_threads(self.n_jobs)
        at_once = min(threads, len(self.pairs_))
        tasks = (delayed(pair.votes)(items, threads // at_once) for pair in self.pairs_)
        results = Parallel(n_jobs=at_once, require="sharedmem")(tasks)
        # The rows of a class's pairs, which stand side by side, vote together: as many and in
        # the way that was learnt, whatever the parameters have been set to since.
        size = len(results) // (1 if len(self.classes_) == 2 else len(self.classes_))
        margins, each = (
            [
                np.hstack([r[part] for r in results[k : k + size]])
                for k in range(0, len(results), size)
            ]
            for part in (0, 1)
        )
        shares = np.column_stack([vote_shares(rows) for rows in margins])
        decide = majority if self.pairs_[0].vote == "majority" else partial(np.mean, axis=1)
        scores = np.column_stack([decide(rows) for rows in each])
        if len(self.classes_) == 2:
            return scores[:, 0], np.column_stack([1.0 - shares, shares])
        # Each class against its rest; where every class loses, all shares are tiny but not 0.
        return scores, shares / np.maximum(shares.sum(1, keepdims=True), np.finfo(float).tiny)

    def decision_function(self, X: Any) -> FloatArray:
        """Score of each class against the rest; above 0 where the vote is for the class.

        With one pair and exact features it is u . phi, and else what `vote` says.

        Parameters
        ----------
        X : inputs

        Returns
        -------
        ndarray of shape (n_items,) for two classes, else (n_items, n_classes)
        """
        return self._votes(X)[0]

    def predict_proba(self, X: Any) -> FloatArray:
        """Share of the Gibbs classifiers that vote for each class.

        For more than two classes the one-versus-rest shares are divided by their sum.

        Parameters
        ----------
        X : inputs

        Returns
        -------
        ndarray of shape (n_items, n_classes)
        """
        return self._votes(X)[1]

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Label of every item: the class of the largest score.

        Parameters
        ----------
        X : inputs

        Returns
        -------
        ndarray of shape (n_items,)
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return self.classes_[(scores > 0).astype(int)]
        return self.classes_[scores.argmax(1)]


def warn_of_limits(pairs: Sequence[Pair]) -> None:
    """Warn once if EM or Algorithm 1 of any pair stopped at its largest number of iterations."""
    models = sum(2 - pair.models_converged for pair in pairs)
    loops = sum(not pair.converged for pair in pairs)
    parts = []
    if models:
        parts.append(f"EM of {models} of {2 * len(pairs)} models")
    if loops:
        parts.append(f"Algorithm 1 of {loops} of {len(pairs)} pairs")
    if parts:
        text = " and ".join(parts) + " stopped at the largest number of iterations"
        warnings.warn(text, ConvergenceWarning, stacklevel=3)


def numbered_labels(
    y: npt.ArrayLike, n_items: int
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    """Sorted classes, and the number of each item's class.

    Raises
    ------
    ValueError
        If there is not one label for each item, one is missing, or they are of several kinds.

    Examples
    --------
    >>> classes, numbers = numbered_labels(["b", "a", "b"], 3)
    >>> classes.tolist(), numbers.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    labels = np.asarray(y)
    if labels.ndim != 1 or len(labels) != n_items:
        raise ValueError(f"X has {n_items} items, y has shape {labels.shape}")
    if labels.dtype.kind == "U" and not hasattr(y, "dtype"):
        # NumPy turns NaN and numbers that stand among strings into strings.
        given = np.array(y, dtype=object).tolist()
        others = {type(label).__name__ for label in given if not isinstance(label, str)}
        if others:
            raise ValueError(f"y mixes strings with {', '.join(sorted(others))}")
    try:
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        classes, numbers = np.unique(labels, return_inverse=True)
    except TypeError as error:
        raise ValueError(f"y must hold labels of one kind, none missing: {error}") from error
    return classes, numbers


def _join(first: Any, second: Any) -> Any:
    """Both batches in one: of arrays by NumPy, of others by their own method."""
    if hasattr(first, "joined"):
        return first.joined(second)
    return np.concatenate([first, second])
