"""What all estimators share: one-versus-rest over learnt pairs."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from scipy.special import log_ndtr, logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from sfmcore.bounds.certificate_report import CertificateReport
from sfmcore.data.arrays import Float64Array
from sfmcore.data.checks import check_number, check_whole
from sfmcore.data.targets import UNLABELED
from sfmcore.estimators.certifying import CertifiedMixin
from sfmcore.features.feature_map import Draws
from sfmcore.learning.one_vs_rest import (
    Member,
    Problem,
    draw_seed,
    learn_pairs,
    make_problem,
    prepared_for,
)
from sfmcore.learning.pair import Inputs, Pair, warn_of_limits
from sfmcore.learning.settings import Settings
from sfmcore.learning.vote import decide, vote_shares
from sfmcore.models.base import GenerativeModel
from sfmcore.parallel.threads import effective_threads


class BaseSFMClassifier(CertifiedMixin, ClassifierMixin, BaseEstimator, ABC):
    """One-versus-rest classification by stochastic feature mapping.

    A subclass says what its inputs are (:meth:`_encode`), what is learnt about them before the
    models (:meth:`_fit_inputs`), and which generative model they get (:meth:`_make_model`).

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
    n_landmarks : int, default=0
        Landmarks of a Gaussian kernel on the features (Nystroem); 0 leaves the classifier linear
        in them.
    gamma : float, default=1.0
        Width of the kernel exp(-gamma |a - b|^2), of features of unit length.
    C : float or "bound", default=20.0
        Weight of the risk in J(u), or learnt by minimising the bound.
    prior : {"zero", "map"}, default="zero"
        u_0, the mean of the prior: zero, or the weights of the MAP classifier of the two models,
        scaled to the length at which J(u) around zero is lowest.
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
        Random starts in [-20, 20]^d besides the informed ones. Of all starts, the three that are
        lowest after 30 steps go on to their minimum.
    sampler : {"auto", "enumeration", "rejection"}, default="auto"
        How coupled draws are made: all values of the hidden variables weighed where they are
        few, or Gibbs-rejection.
    max_proposals : int, default=50
        Proposals per item and iteration when coupled by rejection.
    refit : bool, default=True
        Learn u once more at the end, on draws from P(h | x) as in prediction.
    vote : {"majority", "normalised", "raw"}, default="majority"
        Label by the majority of the Gibbs classifiers over draws and pairs (B_Q); or by the mean
        of u . phi, with features of unit length or, as in the paper, with raw ones.
    delta : float, default=0.05
        Bound and certificate hold with probability 1 - delta.
    certificate_fraction : float, default=0.0
        Share of the labelled items, drawn without a look at the labels, that models, conditioning
        and u_0 do not see. u alone is learnt on them, and `fit` certifies the risk on them.
    unlabeled : "auto", None or a value, default="auto"
        What stands in `y` for an item without label. "auto": a missing value (None, NaN, NA) or
        an empty string. None: nothing.
    unlabeled_weight : float, default=0.1
        Weight in J(u) of the disagreement on items without label, against 1 for the risk on
        those with one; from 0 to 1 (1 in the paper). More makes the classifier surer of itself
        where few have a label, and can draw it to the larger class.
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
    certificate_ : CertificateReport
        Only with `certificate_fraction`.
    """

    # On the columns; only `SFMClassifier` offers it.
    kernel: Literal["gaussian", "laplacian"] = "gaussian"

    def __init__(
        self,
        *,
        n_pairs: int = 1,
        n_draws: Draws = "exact",
        coupling: float = 0.0,
        conditioning: bool | None = None,
        clip: float = 2.0,
        n_landmarks: int = 0,
        gamma: float = 1.0,
        C: float | Literal["bound"] = 20.0,
        prior: Literal["zero", "map"] = "zero",
        prior_fraction: float = 0.0,
        max_iter: int = 20,
        tol: float = 1e-3,
        optimizer: Literal["lbfgs", "gradient"] = "lbfgs",
        learning_rate_u: float = 1.0,
        learning_rate_C: float = 1.0,
        n_restarts: int = 0,
        sampler: Literal["auto", "enumeration", "rejection"] = "auto",
        max_proposals: int = 50,
        refit: bool = True,
        vote: Literal["majority", "normalised", "raw"] = "majority",
        delta: float = 0.05,
        certificate_fraction: float = 0.0,
        unlabeled: Any = "auto",
        unlabeled_weight: float = 0.1,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_pairs = n_pairs
        self.n_draws = n_draws
        self.coupling = coupling
        self.conditioning = conditioning
        self.clip = clip
        self.n_landmarks = n_landmarks
        self.gamma = gamma
        self.C = C
        self.prior = prior
        self.prior_fraction = prior_fraction
        self.max_iter = max_iter
        self.tol = tol
        self.optimizer = optimizer
        self.learning_rate_u = learning_rate_u
        self.learning_rate_C = learning_rate_C
        self.n_restarts = n_restarts
        self.sampler = sampler
        self.max_proposals = max_proposals
        self.refit = refit
        self.vote = vote
        self.delta = delta
        self.certificate_fraction = certificate_fraction
        self.unlabeled = unlabeled
        self.unlabeled_weight = unlabeled_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @abstractmethod
    def _encode(self, X: Any, *, first: bool = False) -> Any:
        """Turn the user's input into a batch of items, or refuse it; `first` when fitting."""

    def _members(self) -> list[Self]:
        """Classifiers whose pairs vote together, `n_pairs` of each; this one where it is alone."""
        return [self]

    @abstractmethod
    def _make_model(self, inputs: Inputs | None) -> GenerativeModel | None:
        """Return the unfitted generative model of one class; None for a kernel on the columns."""

    def _kind_of_inputs(self) -> Any:
        """Parameters that :meth:`_fit_inputs` depends on."""
        return None

    def _fit_inputs(self, items: Any, weights: Float64Array) -> Inputs | None:
        """Learn what is done with items before models see them; one of weight 0 is not seen."""
        return None

    def _arrays_of_inputs(self, inputs: Inputs) -> dict[str, np.ndarray]:
        """What :meth:`_fit_inputs` learnt, for the model file."""
        raise NotImplementedError(f"{type(self).__name__} has no model file")

    def _inputs_of_arrays(self, arrays: dict[str, np.ndarray]) -> Inputs:
        """Take back what :meth:`_arrays_of_inputs` gave, or raise a ValueError."""
        raise NotImplementedError(f"{type(self).__name__} has no model file")

    def _settings(self) -> Settings:
        check_whole("n_pairs", self.n_pairs, 1)
        check_number(
            "certificate_fraction",
            self.certificate_fraction,
            "from 0 to below 1",
            lambda share: 0 <= share < 1,
        )
        if self.certificate_fraction > 0 and (self.prior_fraction > 0 or self.prior != "zero"):
            raise ValueError(
                "certificate_fraction learns u_0 on all other items: leave prior_fraction at 0 "
                "and prior at 'zero'"
            )
        names = Settings.__dataclass_fields__
        return Settings(**{name: getattr(self, name) for name in names})

    def fit(
        self,
        X: Any,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        *,
        X_unlabeled: Any = None,
    ) -> Self:
        """Learn a pair of models and a classifier for every class.

        Parameters
        ----------
        X : inputs
        y : array-like of shape (n_items,)
            Labels, of at least two classes; items marked as `unlabeled` have none, and their
            disagreement enters J(u) (Theorem 2).
        sample_weight : array-like of shape (n_items,), optional
            A weight of 2 is an item given twice, 0 an item left out.
        X_unlabeled : inputs, optional
            More items without label.

        Returns
        -------
        self : object

        Raises
        ------
        ValueError
            If an input can't be used, `X` and `y` differ in length, there is one class only, it
            is not clear which items have no label, or a parameter is out of range.

        Warns
        -----
        ConvergenceWarning
            Once, if EM or Algorithm 1 stopped at its limit.
        """
        self._learn(X, y, sample_weight, X_unlabeled)
        warn_of_limits(self.pairs_)
        return self

    def _learn(
        self,
        X: Any,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        X_unlabeled: Any = None,
        members: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        """Fit without a warning; each of `members` changes some parameters, and all vote."""
        if members is None:
            changed = self._members()
        else:
            changed = [clone(self).set_params(**member) for member in members]
        settings = [member._settings() for member in changed]
        problem = self._problem(X, y, sample_weight, X_unlabeled)
        seed = self._draw_seed()
        known = problem.seen_by_models(self.certificate_fraction, seed)
        weights = problem.weights if known is None else known.astype(float)
        # Members whose inputs are alike share them: the items are then prepared once.
        inputs: dict[Any, Inputs | None] = {}
        team = []
        for member, own in zip(changed, settings, strict=True):
            kind = member._kind_of_inputs()
            if kind not in inputs:
                inputs[kind] = member._fit_inputs(problem.items, weights)
            team.append(Member(partial(member._make_model, inputs[kind]), own, inputs[kind]))
        self.pairs_: list[Pair] = learn_pairs(
            problem,
            team,
            n_pairs=self.n_pairs,
            seed=seed,
            n_threads=effective_threads(self.n_jobs),
            known=known,
            show_progress=self.verbose > 0,
        )
        self.classes_ = problem.classes
        self.n_iter_ = max(pair.n_iter for pair in self.pairs_)
        self._weighted = problem.weighted
        keys = self._keys_of(problem.items)
        self._seen_keys = np.unique(keys if known is None else keys[known])
        # Items that u alone was learnt from are not fresh either.
        self._fitted_keys = np.unique(keys)
        self._certificate: CertificateReport | None = None
        if known is not None:
            apart = np.flatnonzero(~known & (problem.numbers != UNLABELED))
            self._certificate = self._certify(
                problem.items[apart], problem.numbers[apart], self.delta, fresh=False
            )

    def _problem(
        self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None, X_unlabeled: Any
    ) -> Problem:
        """Items, class numbers and weights of a fit, checked."""
        items = self._encode(X, first=True)
        more = None if X_unlabeled is None else self._encode(X_unlabeled)
        return make_problem(items, y, sample_weight, more, self.unlabeled)

    def _draw_seed(self) -> int:
        return draw_seed(self.random_state)

    def _votes(self, items: Any) -> tuple[list[Float64Array], list[Float64Array]]:
        """Margins and scores of the rows of every class's pairs, which vote together."""
        threads = effective_threads(self.n_jobs)
        at_once = min(threads, len(self.pairs_))
        prepared = prepared_for([pair.inputs for pair in self.pairs_], items)
        tasks = (
            delayed(pair.votes)(own, threads // at_once)
            for pair, own in zip(self.pairs_, prepared, strict=True)
        )
        results = Parallel(n_jobs=at_once, require="sharedmem")(tasks)
        # Every pair counts the same, however many rows it draws.
        most = math.lcm(*(margins.shape[1] for margins, _ in results))
        results = [
            tuple(np.repeat(part, most // part.shape[1], axis=1) for part in both)
            for both in results
        ]
        # The rows of a class's pairs, which stand side by side, vote together: as many and in
        # the way that was learnt, whatever the parameters have been set to since.
        size = len(results) // (1 if len(self.classes_) == 2 else len(self.classes_))
        starts = range(0, len(results), size)
        margins, scores = (
            [np.hstack([r[part] for r in results[k : k + size]]) for k in starts] for part in (0, 1)
        )
        return margins, scores

    def _decisions(self, X: Any) -> tuple[Float64Array, Float64Array]:
        """Scores and shares of the votes."""
        self._check_fitted()
        margins, each = self._votes(self._encode(X))
        return self._scores(each), self._shares(margins)

    def _scores(self, each: list[Float64Array]) -> Float64Array:
        vote = self.pairs_[0].vote
        scores = np.column_stack([decide(rows, vote) for rows in each])
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def _shares(self, margins: list[Float64Array]) -> Float64Array:
        shares = np.column_stack([vote_shares(rows) for rows in margins])
        if len(self.classes_) == 2:
            return np.column_stack([1.0 - shares, shares])
        # Each class against its rest. Where every class loses by far, shares vanish.
        far = shares.sum(1) < 1e-290
        if far.any():
            logs = np.column_stack([logsumexp(log_ndtr(rows[far]), axis=1) for rows in margins])
            shares[far] = np.exp(logs - logs.max(1, keepdims=True))
        return shares / shares.sum(1, keepdims=True)

    def decision_function(self, X: Any) -> Float64Array:
        """Score of each class against the rest; above 0 where the vote is for the class.

        With one pair and exact features it is u . phi, and else what `vote` says.

        Parameters
        ----------
        X : inputs

        Returns
        -------
        ndarray of shape (n_items,) for two classes, else (n_items, n_classes)
        """
        return self._decisions(X)[0]

    def predict_proba(self, X: Any) -> Float64Array:
        """Share of the Gibbs classifiers that vote for each class.

        For more than two classes the one-versus-rest shares are divided by their sum.

        Parameters
        ----------
        X : inputs

        Returns
        -------
        ndarray of shape (n_items, n_classes)
        """
        return self._decisions(X)[1]

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
