"""The estimators: one-versus-rest over learnt pairs."""

import warnings
from abc import ABC, abstractmethod
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from sfmcore.bound import FloatArray
from sfmcore.learning import Learner, Pair, Settings
from sfmcore.mapping import Draws
from sfmcore.models.base import GenerativeModel
from sfmcore.progress import progress
from sfmcore.threads import effective_threads


class BaseSFMClassifier(ClassifierMixin, BaseEstimator, ABC):
    """One-versus-rest classification by stochastic feature mapping.

    A subclass says what its inputs are (:meth:`_encode`) and which generative model they get
    (:meth:`_make_model`).

    Parameters
    ----------
    n_draws : int or "exact", default="exact"
        Draws of the hidden variables per item (5 in the paper), or expected features.
        Training and prediction always use the same.
    coupling : float, default=0.0
        How much the classifier feeds back into the hidden variables, from 0 to 1 (1 in the
        paper). Needs draws.
    conditioning : bool or None, default=None
        Standardise the features; None for the generative model's default.
    clip : float, default=3.0
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
    vote : {"normalised", "raw"}, default="normalised"
        Vote with features of unit length, as in training, or with raw ones, as in the paper.
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
        One learnt pair for each class against the rest; a single one for two classes.
    n_iter_ : int
        Largest number of iterations of Algorithm 1.
    """

    def __init__(
        self,
        *,
        n_draws: Draws = "exact",
        coupling: float = 0.0,
        conditioning: bool | None = None,
        clip: float = 3.0,
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
        vote: Literal["normalised", "raw"] = "normalised",
        delta: float = 0.05,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
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
        settings = self._settings()
        items = self._encode(X)
        labels = np.asarray(y)
        if labels.ndim != 1 or len(labels) != len(items):
            raise ValueError(f"X has {len(items)} items, y has shape {labels.shape}")
        check_classification_targets(labels)
        self.classes_, numbers = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            only = f", {self.classes_[0]!r}" if len(self.classes_) else ""
            raise ValueError(f"at least two classes are needed, y has {len(self.classes_)}{only}")
        if X_unlabeled is not None:
            items = _join(items, self._encode(X_unlabeled))
        seed = self._draw_seed()
        targets = [1] if len(self.classes_) == 2 else list(range(len(self.classes_)))
        threads = effective_threads(self.n_jobs)
        # Whole pairs side by side need no barriers; threads left over go into the kernels.
        at_once = min(threads, len(targets))

        def learn(target: int) -> Pair:
            signs = np.zeros(len(items), dtype=np.int8)
            signs[: len(labels)] = np.where(numbers == target, 1, -1)
            own = np.random.SeedSequence([seed, target]).generate_state(1, np.uint64)[0]
            learner = Learner(self._make_model(), settings, int(own), max(1, threads // at_once))
            return learner.learn(items, signs)

        # One BLAS thread: the optimiser's own sums must not depend on the number of threads.
        with threadpool_limits(limits=1, user_api="blas"):
            tasks = (delayed(learn)(target) for target in targets)
            pairs = Parallel(n_jobs=at_once, prefer="threads", return_as="generator")(tasks)
            shown = progress(pairs, "classes", total=len(targets), show=self.verbose > 0)
            self.pairs_: list[Pair] = list(shown)
        self._warn_once()
        self.n_iter_ = max(pair.n_iter for pair in self.pairs_)
        return self

    def _draw_seed(self) -> int:
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _warn_once(self) -> None:
        models = sum(2 - pair.models_converged for pair in self.pairs_)
        loops = sum(not pair.converged for pair in self.pairs_)
        parts = []
        if models:
            parts.append(f"EM of {models} of {2 * len(self.pairs_)} models")
        if loops:
            parts.append(f"Algorithm 1 of {loops} of {len(self.pairs_)} pairs")
        if parts:
            warnings.warn(
                " and ".join(parts) + " stopped at the largest number of iterations",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _votes(self, X: Any) -> tuple[FloatArray, FloatArray]:
        check_is_fitted(self, "pairs_")
        items = self._encode(X)
        threads = effective_threads(self.n_jobs)
        at_once = min(threads, len(self.pairs_))
        tasks = (delayed(pair.votes)(items, threads // at_once) for pair in self.pairs_)
        results = Parallel(n_jobs=at_once, prefer="threads")(tasks)
        scores = np.column_stack([r[0] for r in results])
        shares = np.column_stack([r[1] for r in results])
        if len(self.classes_) == 2:
            return scores[:, 0], np.column_stack([1.0 - shares, shares])
        # Each class against its rest; where every class loses, all shares are tiny but not 0.
        return scores, shares / np.maximum(shares.sum(1, keepdims=True), np.finfo(float).tiny)

    def decision_function(self, X: Any) -> FloatArray:
        """Mean of u . phi over the draws, of each class against the rest.

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


def _join(first: Any, second: Any) -> Any:
    """Both batches in one: of arrays by NumPy, of others by their own method."""
    if hasattr(first, "joined"):
        return first.joined(second)
    return np.concatenate([first, second])
