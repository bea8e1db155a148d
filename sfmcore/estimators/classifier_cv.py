"""The classifier of plain vectors that chooses its own settings."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import PredefinedSplit, check_cv
from sklearn.utils.validation import check_is_fitted

from sfmcore.data.checks import check_choice, check_number, check_whole
from sfmcore.data.streams import ROWS_OF_FIT, ROWS_OF_SEARCH
from sfmcore.estimators.certified import CertifiedClassifier
from sfmcore.estimators.classifier import SFMClassifier
from sfmcore.estimators.confidence import Confidence
from sfmcore.estimators.grids import (
    SHARED,
    as_parameters,
    candidates_by_setting,
    column_settings,
    grid_values,
    is_of_columns,
    mixture_settings,
)
from sfmcore.evaluation.folds import (
    Fold,
    folds_of_labelled,
    folds_of_rows,
    stratified_folds,
    warn_of_few_folds,
)
from sfmcore.evaluation.parts import known_part, part_of_rows
from sfmcore.evaluation.selection import Selection, select
from sfmcore.features.feature_map import Draws
from sfmcore.learning.pair import warn_of_limits
from sfmcore.learning.problem import Problem, draw_seed
from sfmcore.parallel.threads import effective_threads
from sfmcore.preparation.base import Preparation
from sfmcore.preparation.columns import ScalingName

# Of a vote, after the point: sums in another order must not say another thing.
_DIGITS = 3


class SFMClassifierCV(CertifiedClassifier, BaseEstimator):
    """An :class:`SFMClassifier` whose settings are chosen by stratified cross-validation.

    Every parameter of the grid takes a value or a sequence of values, simpler ones first. All
    combinations are tried; the mixtures of a fold are fitted once for each `n_components`, and
    J(u) is searched from the minimum of its convex surrogate, as precisely as ranking the settings
    requires. Every setting gets its own best C; the best settings, the simplest in case of ties,
    are fitted again on all items and vote together. In addition to mixtures, which describe a
    class as a whole, kernels on the columns are tried, which compare single items. Settings of
    each kind compete only with each other for their places in the vote.

    Parameters
    ----------
    n_components : sequence of int, default=(1, 2, 4, 8)
        Gaussians of each mixture.
    scaling : sequence of str or None, default=("standard", "power")
        Scaling of the columns of X: "standard", "power", "uniform", "normal" or None; see
        :class:`SFMClassifier`.
    conditioning : sequence of bool, default=(False, True)
        Whether the features are standardised.
    clip : sequence of float, default=(2.0, 1.0, 0.5)
        Largest absolute value of a conditioned feature; ignored without conditioning.
    n_landmarks : sequence of int, default=(0, 1000)
        Landmarks of a Gaussian kernel on the features; 0 for a classifier linear in them. The
        kernel is nonlinear itself: with it only the first `conditioning` and the first `clip` are
        tried.
    gamma : sequence of float, default=(1.0, 4.0)
        Width of the kernel; ignored without landmarks.
    prior : sequence of "zero" and "map", default=("zero",)
        u_0, the mean of the prior.
    n_draws : sequence of int or "exact", default=("exact",)
        Draws of the hidden components per item, or expected features.
    coupling : sequence of float, default=(0.0,)
        Feedback of the classifier into the hidden components, from 0 to 1; only with draws.
    Cs : sequence of float, default=(2.0, 8.0, 32.0, 128.0, 512.0)
        Weight of the risk in J(u).
    cv : int, splitter or iterable, default=5
        Number of stratified folds, which shrinks to the size of the smallest class; or what
        scikit-learn's `check_cv` takes. A splitter splits the labelled items; a
        `PredefinedSplit` and an iterable name rows of X.
    scoring : {"tandem", "accuracy"}, default="tandem"
        Ranking of the candidates: by the tandem loss of Theorem 2, which changes smoothly, and
        four times which bounds the risk of the vote; or by accuracy, which has many ties.
    n_voters : int, default=16
        Number of best settings with mixtures that vote together, each with its own best C and
        its own pairs: the Gibbs classifier then draws a setting first. 1, with
        ``n_column_voters=0``, takes only the best.
    n_column_voters : int, default=16
        Number of settings with a kernel on the columns that vote in addition; 0 tries none.
    column_scaling : sequence of str or None, default=("standard", "power", "uniform", "normal")
        As `scaling`, for the kernels on the columns.
    column_landmarks : int, default=1000
        Their landmarks; all training rows if there are fewer. Time grows with them.
    gaussian_gamma : sequence of float, default=(0.25, 1.0, 4.0)
        Widths of the kernel ``exp(-gamma |a - b|^2 / d)`` on d columns; may be empty.
    laplacian_gamma : sequence of float, default=(0.25, 0.5, 1.0, 2.0)
        Widths of the kernel ``exp(-gamma |a - b|_1 / d)``; may be empty.
    max_rows_search : int or None, default=1000
        Maximum number of rows for choosing settings: a stratified sample, with at least five rows
        of each class, drawn by the seed. The chosen settings are then fitted on all rows. None for
        no limit; time grows with its square.
    max_rows_fit : int or None, default=10000
        Maximum number of rows for all training, drawn in the same way. During its search each pair
        takes 8 kB per row, and there are 32 pairs per class. None for no limit.
    n_pairs : int, default=1
        Pairs of mixtures, or choices of the landmarks, of each voter; the folds use one.
    n_init, em_max_iter, em_tol, vote, delta : optional
        As in :class:`SFMClassifier`.
    calibrate : bool, default=True
        Calibrate scores on the votes for held-out items of the folds.
    certificate_fraction : float, default=0.0
        As in :class:`SFMClassifier`; the settings too are then chosen without those items.
    certify_by : {"counting", "pac-bayes"}, default="counting"
        As in :class:`SFMClassifier`.
    unlabeled : "auto", None or a value, default="auto"
        As in :class:`SFMClassifier`.
    unlabeled_weight : float, default=0.1
        As in :class:`SFMClassifier`.
    random_state : int, RandomState instance or None, default=None
        The same integer gives the same bits, whatever `n_jobs`.
    n_jobs : int or None, default=None
        Threads; -1 for all.
    verbose : int, default=0
        Above 0, a progress bar on standard error if that is a terminal.

    Attributes
    ----------
    best_params_ : dict
        The best candidate of both kinds: that of rank 1. A kernel on the columns has `kernel` in
        the place of `n_components`.
    voters_ : list of dict
        The settings that vote: those with mixtures and then those without, the best of each kind
        first.
    best_score_ : float
        Accuracy of `best_params_` in cross-validation; NaN if nothing could be cross-validated.
    best_estimator_ : SFMClassifier
        Fitted on all items, with the pairs of all voters.
    cv_results_ : dict of str to ndarray
        ``params``, ``kind`` ("mixtures" or "columns"), ``rank`` among both (1 is the best), and of
        both ``accuracy`` and ``tandem_loss`` ``mean_test_accuracy``, ``std_test_accuracy``,
        ``split0_test_accuracy`` ...; one entry for each candidate, the simplest of a kind first.
    n_splits_ : int
        Number of folds.
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    pairs_ : list of sfmcore.learning.pair.Pair
        Those of `best_estimator_`.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Only if X had names that are all strings.
    n_iter_ : int
        Largest number of iterations of Algorithm 1.
    certificate_ : CertificateReport
        Only with `certificate_fraction`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> model = SFMClassifierCV(n_components=(1, 2), Cs=(8, 64), random_state=0)
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.95
    True
    >>> sorted(model.best_params_)
    ['C', 'gamma', 'kernel', 'n_landmarks', 'scaling']
    """

    def __init__(
        self,
        n_components: Sequence[int] = (1, 2, 4, 8),
        *,
        scaling: Sequence[ScalingName | None] = ("standard", "power"),
        n_landmarks: Sequence[int] = (0, 1000),
        gamma: Sequence[float] = (1.0, 4.0),
        conditioning: Sequence[bool] = (False, True),
        clip: Sequence[float] = (2.0, 1.0, 0.5),
        prior: Sequence[Literal["zero", "map"]] = ("zero",),
        n_draws: Sequence[Draws] = ("exact",),
        coupling: Sequence[float] = (0.0,),
        Cs: Sequence[float] = (2.0, 8.0, 32.0, 128.0, 512.0),
        cv: Any = 5,
        scoring: Literal["tandem", "accuracy"] = "tandem",
        n_voters: int = 16,
        n_column_voters: int = 16,
        column_scaling: Sequence[ScalingName | None] = ("standard", "power", "uniform", "normal"),
        column_landmarks: int = 1000,
        gaussian_gamma: Sequence[float] = (0.25, 1.0, 4.0),
        laplacian_gamma: Sequence[float] = (0.25, 0.5, 1.0, 2.0),
        max_rows_search: int | None = 1000,
        max_rows_fit: int | None = 10_000,
        n_init: int = 1,
        em_max_iter: int = 200,
        em_tol: float = 1e-4,
        n_pairs: int = 1,
        vote: Literal["majority", "normalised", "raw"] = "majority",
        calibrate: bool = True,
        delta: float = 0.05,
        certificate_fraction: float = 0.0,
        certify_by: Literal["counting", "pac-bayes"] = "counting",
        unlabeled: Any = "auto",
        unlabeled_weight: float = 0.1,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.scaling = scaling
        self.n_landmarks = n_landmarks
        self.gamma = gamma
        self.conditioning = conditioning
        self.clip = clip
        self.prior = prior
        self.n_draws = n_draws
        self.coupling = coupling
        self.Cs = Cs
        self.cv = cv
        self.scoring = scoring
        self.n_voters = n_voters
        self.n_column_voters = n_column_voters
        self.column_scaling = column_scaling
        self.column_landmarks = column_landmarks
        self.gaussian_gamma = gaussian_gamma
        self.laplacian_gamma = laplacian_gamma
        self.max_rows_search = max_rows_search
        self.max_rows_fit = max_rows_fit
        self.n_init = n_init
        self.em_max_iter = em_max_iter
        self.em_tol = em_tol
        self.n_pairs = n_pairs
        self.vote = vote
        self.calibrate = calibrate
        self.delta = delta
        self.certificate_fraction = certificate_fraction
        self.certify_by = certify_by
        self.unlabeled = unlabeled
        self.unlabeled_weight = unlabeled_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        *,
        X_unlabeled: Any = None,
    ) -> Self:
        """Choose the settings, and fit the classifier with them.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)
        y : array-like of shape (n_items,)
            Labels, of at least two classes; items marked as `unlabeled` have none.
        sample_weight : array-like of shape (n_items,), optional
            A weight of 2 is an item given twice, 0 an item left out.
        X_unlabeled : array-like of shape (n_more, n_features), optional
            More items without label.

        Returns
        -------
        self : SFMClassifierCV

        Raises
        ------
        ValueError
            As :meth:`SFMClassifier.fit`, or if a grid is empty or no sequence, or `cv` tests
            nothing.

        Warns
        -----
        UserWarning
            If the smallest class allows fewer folds than asked for.
        ConvergenceWarning
            Once, if EM or Algorithm 1 stopped at its limit in the last fit.
        """
        parameters = self.get_params(deep=False)
        check_whole("n_column_voters", self.n_column_voters, 0)
        settings = mixture_settings(parameters)
        if self.n_column_voters > 0:
            settings += column_settings(parameters)
        Cs = grid_values("Cs", self.Cs)
        check_whole("n_voters", self.n_voters, 1)
        for name in ("max_rows_search", "max_rows_fit"):
            if getattr(self, name) is not None:
                check_whole(name, getattr(self, name), 1)
        check_choice("scoring", self.scoring, ("tandem", "accuracy"))
        for C in Cs:
            check_number("Cs", C, "above 0 in every value", lambda value: value > 0)
        seed = draw_seed(self.random_state)
        estimator = SFMClassifier(
            **{name: parameters[name] for name in SHARED},
            random_state=seed,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            calibrate=False,  # the folds say what votes are worth
        )
        for setting in settings:
            clone(estimator).set_params(**as_parameters(setting)).check_parameters()
        candidates = candidates_by_setting(settings, parameters)
        problem = estimator.problem(X, y, sample_weight, X_unlabeled=X_unlabeled)
        problem = part_of_rows(problem, self.max_rows_fit, (seed, ROWS_OF_FIT))
        known = problem.seen_by_models(self.certificate_fraction, seed)
        part = known_part(problem, known)
        part = part_of_rows(part, self.max_rows_search, (seed, ROWS_OF_SEARCH))
        folds = self._folds(part, seed)
        result = select(
            candidates,
            settings,
            part,
            [float(C) for C in Cs],
            folds,
            seed=seed,
            n_threads=effective_threads(self.n_jobs),
            show_progress=self.verbose > 0,
        )
        voters = self._keep(result, len(folds))
        estimator.set_params(**as_parameters(self.best_params_))
        estimator.learn(
            problem,
            candidates_by_setting(self.voters_, parameters),
            self._confidence(result, voters, part, folds),
        )
        estimator.set_params(calibrate=self.calibrate)
        self.best_estimator_ = estimator
        self.become(estimator)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(estimator, name):
                setattr(self, name, getattr(estimator, name))
            elif hasattr(self, name):  # of an earlier fit
                delattr(self, name)
        warn_of_limits(estimator.pairs_)
        return self

    def _folds(self, problem: Problem, seed: int) -> list[Fold]:
        """Train and test items of every fold; the tested ones have labels."""
        cv = 5 if self.cv is None else self.cv
        if isinstance(cv, Integral):
            check_whole("cv", cv, 2)
            folds = stratified_folds(problem.numbers, int(cv), seed)
            warn_of_few_folds(int(cv), len(folds))
            return folds
        # A string can be split, too; `check_cv` refuses it. A PredefinedSplit holds rows of X.
        if hasattr(cv, "split") and not isinstance(cv, str | PredefinedSplit):
            folds = folds_of_labelled(cv, problem)
        else:
            folds = folds_of_rows(check_cv(cv).split(), problem)
        if not any(len(test) for _, test in folds):
            # A generator that an earlier fit has used up, for example.
            raise ValueError("cv has no fold that tests an item with a label")
        return folds

    def _confidence(
        self, result: Selection, voters: list[int], problem: Problem, folds: list[Fold]
    ) -> Confidence:
        """Calibration from the voters' answers about the items that a fold held out."""
        tested = [number for number, (_, test) in enumerate(folds) if len(test)]
        if not self.calibrate or not tested or not voters:
            return Confidence()
        votes = result.votes_of(voters, self.vote)
        scores = np.concatenate([votes[number] for number in tested])
        items = np.concatenate([folds[number][1] for number in tested])
        return Confidence.of_votes(
            np.round(scores, _DIGITS), problem.numbers[items], problem.weights[items]
        )

    def _keep(self, result: Selection, n_splits: int) -> list[int]:
        """Set the attributes that say what was tried and chosen; the numbers of the voters."""
        self.n_splits_ = n_splits
        ranking = result.ranking(self.scoring)
        columns = np.array([is_of_columns(params) for params in result.candidates])
        of_settings = columns[:: result.n_Cs]
        voters = [
            *result.voters(self.scoring, self.n_voters, ~of_settings),
            *result.voters(self.scoring, self.n_column_voters, of_settings),
        ]
        self.voters_ = [result.candidates[number] for number in voters]
        self.best_params_ = result.candidates[ranking[0]]
        figures = {"accuracy": result.accuracies, "tandem_loss": result.tandem_losses}
        self.best_score_ = float(result.mean(result.accuracies)[ranking[0]])
        ranks = np.empty(len(result.candidates), dtype=np.int32)
        ranks[ranking] = np.arange(1, len(ranks) + 1)
        self.cv_results_: dict[str, Any] = {
            "params": result.candidates,
            "kind": np.where(columns, "columns", "mixtures"),
            "rank": ranks,
        }
        for name in sorted({name for params in result.candidates for name in params}):
            # As scikit-learn has it: masked where a kind has no such parameter.
            column = np.ma.masked_all(len(result.candidates), dtype=object)
            for number, params in enumerate(result.candidates):
                if name in params:
                    column[number] = params[name]
            self.cv_results_[f"param_{name}"] = column
        for name, values in figures.items():
            spread = values.std(1) if n_splits else np.full(len(values), np.nan)
            self.cv_results_[f"mean_test_{name}"] = result.mean(values)
            self.cv_results_[f"std_test_{name}"] = spread
            for number in range(n_splits):
                self.cv_results_[f"split{number}_test_{name}"] = values[:, number]
        return voters

    @property
    def preparation(self) -> Preparation:  # type: ignore[override]
        """That of the best setting: all encode alike."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.preparation
