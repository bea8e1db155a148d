"""The classifier: pairs of generative models and a PAC-Bayes linear classifier over them."""

import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt

from sfmcore.bounds.certificate_report import COVERAGE, COVERAGE_SHARE, Coverage
from sfmcore.data.arrays import BoolArray, Float64Array, Int64Array
from sfmcore.data.checks import check_choice, check_number, check_whole
from sfmcore.data.known_items import KnownItems
from sfmcore.data.targets import UNLABELED
from sfmcore.estimators.certified import CertifiedClassifier
from sfmcore.estimators.composition import ComposedEstimator, Model, without_keywords
from sfmcore.estimators.confidence import Confidence
from sfmcore.estimators.persistence import load_classifier, save_classifier
from sfmcore.estimators.team import held_out_shares, learn_team
from sfmcore.evaluation.parts import known_part
from sfmcore.features.column_kernel import ColumnKernel
from sfmcore.features.feature_map import Draws
from sfmcore.learning.label_sets import LabelSets
from sfmcore.learning.members import Candidate
from sfmcore.learning.pair import Pair, warn_of_limits
from sfmcore.learning.problem import Problem, draw_seed, make_problem
from sfmcore.learning.settings import Settings
from sfmcore.parallel.threads import effective_threads
from sfmcore.preparation.base import Preparation


class SFMClassifier(CertifiedClassifier, ComposedEstimator):
    """Classify by pairs of generative models and a PAC-Bayes linear classifier.

    For each class one model is fitted to its items and one to the rest. An item becomes the
    features of its hidden variables under both, and a linear Gibbs classifier over these minimises
    a PAC-Bayes risk bound. :class:`SFMClassifierCV` chooses the parameters that matter for rows of
    numbers by cross-validation.

    Parameters
    ----------
    model : GenerativeModel, ColumnKernel or list of them, default=None
        Unfitted; any object that follows :class:`sfmcore.models.base.GenerativeModel`, or a kernel
        on the columns (:class:`sfmcore.features.column_kernel.ColumnKernel`). Each model of a list
        gets its own pairs, and all vote. None: a mixture of four Gaussians.
    prepare : Preparation, default=None
        Transformation of X before the models. None: columns are standardised for models of rows
        of real numbers, and items are not changed for others.
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
    n_shared_models : int, default=0
        0: each class has a pair of models, of its items and of the rest, as in the paper. Above 0,
        with more than two classes: all share one map, made of a model of all items and one of each
        class or, if there are more classes than this, of each of as many groups of similar
        classes. Each class then learns its own u over the same rows, and time hardly grows with
        the number of classes. Requires ``coupling=0``; with draws the models stay as EM left them.
    gamma : float, default=1.0
        Width of the kernel ``exp(-gamma |a - b|^2)`` on features of unit length.
    kernel_rank : int, default=0
        Maximum number of principal directions of the features that the kernel uses; 0 for all
        features. Makes predictions faster and the model file smaller, with a slightly less exact
        kernel.
    C : float or "bound", default=20.0
        Weight of the risk in J(u), or learnt by minimising the bound.
    prior : {"zero", "map"}, default="zero"
        u_0, the mean of the prior: zero, or the weights of the MAP classifier of the two models,
        scaled to the length at which J(u) around zero is lowest.
    prior_fraction : float, default=0.0
        Share of the training items that u_0 is learnt on; 0 leaves u_0 at zero.
    max_iter : int, default=20
        Maximum number of iterations of Algorithm 1; with "exact" there is nothing to iterate.
    tol : float, default=1e-3
        Relative change of J(u) at which the iterations stop.
    optimizer : {"lbfgs", "gradient"}, default="lbfgs"
        Minimise J(u) in each iteration, or take one gradient step as in the paper.
    learning_rate_u, learning_rate_C : float, default=1.0
        First step sizes of "gradient".
    n_restarts : int, default=0
        Random starts in [-20, 20]^d in addition to the informed ones. The three starts with the
        lowest J after 30 steps continue to their minimum.
    sampler : {"auto", "enumeration", "rejection"}, default="auto"
        Sampler of coupled draws: enumeration of all values of the hidden variables if they are
        few, or Gibbs-rejection.
    max_proposals : int, default=50
        Proposals per item and iteration when coupled by rejection.
    refit : bool, default=True
        Learn u once more at the end, on draws from P(h | x) as in prediction.
    vote : {"majority", "normalised", "raw"}, default="majority"
        Label by the majority of the Gibbs classifiers over draws and pairs (B_Q); or by the mean
        of u . phi, with features of unit length or, as in the paper, with raw ones.
    calibrate : bool, default=True
        Calibrate scores on held-out votes, so that `predict_proba` gives probabilities instead of
        shares of votes. Does not change labels.
    delta : float, default=0.05
        Bound and certificate hold with probability 1 - delta.
    certificate_fraction : float, default=0.0
        Share of the labelled items, drawn without looking at the labels, that is withheld for a
        certificate: `fit` certifies upper bounds on the true risk with them, and calibrates sets
        of labels on them.
    certify_by : {"counting", "pac-bayes"}, default="counting"
        "counting": nothing is learnt from the withheld items, and the errors on them are counted.
        "pac-bayes": models, conditioning and u_0 do not use them, and only u is learnt on them;
        the bounds are those of docs/theory.md, section 9.
    unlabeled : "auto", None or a value, default="auto"
        Marker of unlabelled items in `y`. "auto": a missing value (None, NaN, NA) or
        an empty string. None: nothing.
    unlabeled_weight : float, default=0.1
        Weight in J(u) of the disagreement on unlabelled items, compared with 1 for the risk on
        labelled ones; from 0 to 1 (1 in the paper). With few labels a larger weight makes the
        classifier more confident, and can draw it to the larger class.
    random_state : int, RandomState instance or None, default=None
        The same integer gives the same bits, whatever `n_jobs`.
    n_jobs : int or None, default=None
        Threads; -1 for all.
    verbose : int, default=0
        Above 0, a progress bar on standard error if that is a terminal.
    **short_names
        Parameters of `model` and `prepare`: `n_components`, `n_init`, `em_max_iter`, `em_tol` and
        `scaling` are short for ``model__n_components``, ``model__n_init``, ``model__max_iter``,
        ``model__tol`` and ``prepare__scaling``, also in `set_params`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Only if X had names that are all strings.
    pairs_ : list of sfmcore.learning.pair.Pair
        `n_pairs` learnt pairs of each model for each class against the rest, class by class; for
        two classes only those of the second.
    n_iter_ : int
        Largest number of iterations of Algorithm 1.
    weighted_ : bool
        Whether `fit` was given weights.
    certificate_ : CertificateReport
        Only with `certificate_fraction`.
    known_items_ : KnownItems or None
        Digests of the items that it was made from; None for model files before format 9.

    References
    ----------
    X. Li, T. S. Lee, Y. Liu, "Stochastic Feature Mapping for PAC-Bayes Classification",
    arXiv:1204.2609.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> model = SFMClassifier(random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.95
    True

    Other models, and parameters of theirs by name:

    >>> from sfmcore.models.gmm import DiagonalGMM
    >>> model = SFMClassifier(DiagonalGMM(2), random_state=0).set_params(model__n_components=3)
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    kind: ClassVar[str] = "classifier"
    """Description of the content of its model files."""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {"best": {}}
    """Named sets of parameters."""

    @without_keywords
    def __init__(
        self,
        model: Model | Sequence[Model] | None = None,
        prepare: Preparation | None = None,
        *,
        n_pairs: int = 1,
        n_draws: Draws = "exact",
        coupling: float = 0.0,
        conditioning: bool | None = None,
        clip: float = 2.0,
        n_landmarks: int = 0,
        n_shared_models: int = 0,
        gamma: float = 1.0,
        kernel_rank: int = 0,
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
        calibrate: bool = True,
        delta: float = 0.05,
        certificate_fraction: float = 0.0,
        certify_by: Literal["counting", "pac-bayes"] = "counting",
        unlabeled: Any = "auto",
        unlabeled_weight: float = 0.1,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        **short_names: Any,
    ) -> None:
        self.model = model
        self.prepare = prepare
        self.n_pairs = n_pairs
        self.n_draws = n_draws
        self.coupling = coupling
        self.conditioning = conditioning
        self.clip = clip
        self.n_landmarks = n_landmarks
        self.n_shared_models = n_shared_models
        self.gamma = gamma
        self.kernel_rank = kernel_rank
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
        self.calibrate = calibrate
        self.delta = delta
        self.certificate_fraction = certificate_fraction
        self.certify_by = certify_by
        self.unlabeled = unlabeled
        self.unlabeled_weight = unlabeled_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.take_keywords(short_names)

    @classmethod
    def from_preset(cls, preset: str, **parameters: Any) -> Self:
        """Return a classifier with the parameters of a preset, changed as given.

        Parameters
        ----------
        preset : str
            "best", or another of the classifier's presets.
        **parameters
            Parameters that differ from the preset.

        Raises
        ------
        ValueError
            If there is no such preset.

        Examples
        --------
        >>> from sfmbio import ProteinClassifier
        >>> ProteinClassifier.from_preset("paper", coupling=0.0).n_draws
        5
        """
        if preset not in cls.presets:
            raise ValueError(f"preset must be one of {', '.join(cls.presets)}, got {preset!r}")
        return cls(**{**cls.presets[preset], **parameters})

    def fit(
        self,
        X: Any,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        *,
        X_unlabeled: Any = None,
        groups: Sequence[Hashable] | None = None,
    ) -> Self:
        """Learn a pair of models and a classifier for every class.

        Parameters
        ----------
        X : inputs
        y : array-like of shape (n_items,)
            Labels, of at least two classes; items marked as `unlabeled` have none, and their
            disagreement enters J(u) (Theorem 2).
        sample_weight : array-like of shape (n_items,), optional
            A weight of 2 is an item given twice, 0 an item left out. The scale counts: weights of
            mean 1 leave as much to learn from as none.
        X_unlabeled : inputs, optional
            More items without label.
        groups : sequence of shape (n_items,), optional
            What is alike beyond its class, such as the superfamily of a domain. Confidence is then
            learnt for items of groups that training did not see: a group is held out as a whole.

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
        self.learn(self.problem(X, y, sample_weight, X_unlabeled=X_unlabeled, groups=groups))
        warn_of_limits(self.pairs_)
        return self

    def problem(
        self,
        X: Any,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        *,
        X_unlabeled: Any = None,
        groups: Sequence[Hashable] | None = None,
    ) -> Problem:
        """Check the parameters, encode the inputs and number the labels: the first part of `fit`.

        Parameters
        ----------
        X, y, sample_weight, X_unlabeled, groups
            As of :meth:`fit`.
        """
        self.check_parameters()
        items = self.preparation.encode(X, self, reset=True)
        more = None if X_unlabeled is None else self.preparation.encode(X_unlabeled, self)
        return make_problem(items, y, sample_weight, more, self.unlabeled, groups)

    def learn(
        self,
        problem: Problem,
        candidates: Sequence[Candidate] | None = None,
        confidence: Confidence | None = None,
    ) -> Self:
        """Learn the pairs: the second part of `fit`, without its warnings.

        Parameters
        ----------
        problem : Problem
        candidates : sequence of Candidate, optional
            Ways to learn pairs that vote together, instead of this classifier's own.
        confidence : Confidence, optional
            What their votes are worth, where that is known already.
        """
        seed = draw_seed(self.random_state)
        known = problem.seen_by_models(self.certificate_fraction, seed)
        if candidates is None:
            candidates = self.candidates(problem.n_classes)
        rest: dict[str, Any] = {"seed": seed, "confidence": confidence}
        if known is None or self.certify_by == "pac-bayes":
            return self._learn(problem, candidates, known=known, **rest)
        self._learn(known_part(problem, known), candidates, known=None, **rest)
        kept = np.flatnonzero(~known & (problem.numbers != UNLABELED))
        self._count(problem.items[kept], problem.numbers[kept])
        return self

    def _learn(
        self,
        problem: Problem,
        candidates: Sequence[Candidate],
        *,
        known: BoolArray | None,
        seed: int,
        confidence: Confidence | None,
    ) -> Self:
        pairs, confidence = learn_team(
            problem,
            candidates,
            n_pairs=self.n_pairs,
            calibrate=self.calibrate,
            confidence=confidence,
            known=known,
            seed=seed,
            n_threads=effective_threads(self.n_jobs),
            show_progress=self.verbose > 0,
        )
        keys = self.keys_of(problem.items, pairs)
        self.restore(
            problem.classes,
            pairs,
            weighted=problem.weighted,
            known=KnownItems.of(keys, known),
            confidence=confidence,
        )
        if known is not None:
            kept = np.flatnonzero(~known & (problem.numbers != UNLABELED))
            items, numbers = problem.items[kept], problem.numbers[kept]
            self._certificate = self.certify_encoded(items, numbers, self.delta, fresh=False)
        return self

    def held_out_shares(self, problem: Problem) -> tuple[list[Pair], Float64Array]:
        """Probabilities of labelled items by votes that did not learn from them, of one fit.

        The classifier is not fitted by it, and keeps no items for a certificate.

        Parameters
        ----------
        problem : Problem

        Returns
        -------
        pairs : list of Pair
            That were learnt on the way.
        shares : ndarray of shape (n_items, n_classes)
        """
        return held_out_shares(
            problem,
            self.candidates(problem.n_classes),
            n_pairs=self.n_pairs,
            seed=draw_seed(self.random_state),
            n_threads=effective_threads(self.n_jobs),
            show_progress=self.verbose > 0,
        )

    def _count(self, items: Any, numbers: Int64Array) -> None:
        """Certify on items that nothing was learnt from; measure sets and typicality on them."""
        made = self.prepared(items)
        judged = self.judge(items, made)
        self.label_sets_ = LabelSets.of(judged.shares, numbers, np.ones(len(numbers)))
        if self.typicality_ is not None:
            self.typicality_ = self.typicality_.measured_on(made[0], judged.votes, judged.scores)
        risks = self.certify_judged(
            judged, numbers, self.delta * (1.0 - COVERAGE_SHARE), fresh=True
        )
        assured = self.label_sets_.assured(COVERAGE, self.delta * COVERAGE_SHARE)
        self._certificate = replace(risks, delta=self.delta, coverage=Coverage(COVERAGE, assured))
        if self.known_items_ is not None:
            self.known_items_ = self.known_items_.with_kept(self.keys_of(items))

    def check_parameters(self) -> None:
        """Refuse parameters that can't be used, before any input is read.

        Raises
        ------
        ValueError
            If one is out of range, or some do not go together.
        """
        self.candidates()

    def settings_values(self, n_classes: int) -> dict[str, Any]:
        """Values of the settings by name.

        Parameters
        ----------
        n_classes : int
            Of the problem, which a default may follow.
        """
        return {name: getattr(self, name) for name in Settings.__dataclass_fields__}

    def candidates(self, n_classes: int = 2) -> list[Candidate]:
        """Ways to learn pairs, one for each model, whose pairs vote together.

        Parameters
        ----------
        n_classes : int, default=2
            Of the problem.

        Raises
        ------
        ValueError
            As :meth:`check_parameters`.
        """
        self.check_parts()
        check_whole("n_pairs", self.n_pairs, 1)
        check_choice("certify_by", self.certify_by, ("counting", "pac-bayes"))
        check_choice("calibrate", self.calibrate, (True, False))
        check_number(
            "certificate_fraction",
            self.certificate_fraction,
            "from 0 to below 1",
            lambda share: 0 <= share < 1,
        )
        elsewhere = self.prior_fraction > 0 or self.prior != "zero"
        if self.certificate_fraction > 0 and self.certify_by == "pac-bayes" and elsewhere:
            raise ValueError(
                "certify_by='pac-bayes' learns u_0 on all items but those kept for the "
                "certificate: leave prior_fraction at 0 and prior at 'zero'"
            )
        settings = Settings(**self.settings_values(n_classes))
        if any(isinstance(model, ColumnKernel) for model in self.models):
            settings.check_without_models()
        preparation = self.preparation
        return [Candidate(model, preparation, settings) for model in self.models]

    def further_arrays(self) -> dict[str, np.ndarray]:
        """Arrays that its model file holds beside those of the pairs; here none."""
        return {}

    def take_further_arrays(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Take back what :meth:`further_arrays` gave, once all else is restored.

        Parameters
        ----------
        arrays : mapping of str to ndarray
            Empty for a file of a format before 7.

        Raises
        ------
        KeyError, ValueError
            If an array is missing, or does not fit.
        """
        for name in arrays:
            raise ValueError(f"{name} is no part of a {self.kind}")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted classifier to a model file (arrays and JSON, no pickle).

        Parameters
        ----------
        path : str or path-like

        Raises
        ------
        NotFittedError
            If it is not fitted.
        ValueError
            If a label is neither a string nor an integer, or a parameter was set after fitting to
            what does not fit.
        ModelFileError
            If the file can't be written.
        """
        save_classifier(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], types: Sequence[type] = ()) -> Self:
        """Read a classifier that :meth:`save` wrote.

        Parameters
        ----------
        path : str or path-like
        types : sequence of type, optional
            Your own classes of models and preparations that the file may name; those of this
            package are known.

        Raises
        ------
        ModelFileError
            If the file is damaged, truncated, of another kind or of a newer version.
        """
        classifier = cls()
        load_classifier(classifier, path, types)
        return classifier
