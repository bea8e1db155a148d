"""The classifier of plain vectors: pairs of diagonal Gaussian mixtures."""

from typing import Any, Literal

import numpy as np

from sfmcore.estimators.base import BaseSFMClassifier
from sfmcore.features.feature_map import Draws
from sfmcore.learning.settings import Settings
from sfmcore.preparation.columns import ScalingName, VectorInputs


class SFMClassifier(VectorInputs, BaseSFMClassifier):
    """Classify vectors by pairs of Gaussian mixtures and a PAC-Bayes linear classifier.

    For each class one mixture with diagonal covariances is fitted to its items and one to the
    rest. An item becomes the features of its hidden components under both, and a linear Gibbs
    classifier over these minimises a PAC-Bayes risk bound. Or, without mixtures, the features
    are those of a kernel on the columns. :class:`SFMClassifierCV` chooses the parameters that
    matter by cross-validation.

    Parameters
    ----------
    n_components : int, default=4
        Gaussians of each mixture; 0 for no mixtures but a kernel on the columns, which needs
        `n_landmarks` and has nothing that could be drawn or conditioned.
    scaling : {"standard", "power", "uniform", "normal", None}, default="standard"
        Subtract the mean of every column and divide by its deviation; or bend it by Yeo and
        Johnson's power in between, so that it looks more normal; or take the ranks of its
        numbers among those of training, as they are or as normal scores; or leave it as it is.
    n_init : int, default=2
        Random starts of each EM run.
    em_max_iter : int, default=200
        Iterations of EM at most.
    em_tol : float, default=1e-4
        EM stops when an iteration gains less than this, in nats an item.
    n_pairs : int, default=1
        Pairs of mixtures for each class against the rest, from different random starts; their
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
        Landmarks of a kernel on the features (Nystroem); 0 leaves the classifier linear in them.
    gamma : float, default=1.0
        Width of the kernel exp(-gamma |a - b|^2), of features of unit length. On d columns it
        is divided by d.
    kernel : {"gaussian", "laplacian"}, default="gaussian"
        On the columns also exp(-gamma |a - b|_1 / d); that on a mixture's features is Gaussian.
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
        Random starts in [-20, 20]^d besides the informed ones.
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
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if X had names that are all strings.
    pairs_ : list of sfmcore.learning.pair.Pair
        `n_pairs` learnt pairs for each class against the rest, class by class; for two classes
        only those of the second.
    n_iter_ : int
        Largest number of iterations of Algorithm 1.
    certificate_ : CertificateReport
        Only with `certificate_fraction`.

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
    """

    _fewest_components = 0

    def __init__(
        self,
        n_components: int = 4,
        *,
        scaling: ScalingName | None = "standard",
        n_init: int = 2,
        em_max_iter: int = 200,
        em_tol: float = 1e-4,
        n_pairs: int = 1,
        n_draws: Draws = "exact",
        coupling: float = 0.0,
        conditioning: bool | None = None,
        clip: float = 2.0,
        n_landmarks: int = 0,
        gamma: float = 1.0,
        kernel: Literal["gaussian", "laplacian"] = "gaussian",
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
        super().__init__(
            n_pairs=n_pairs,
            n_draws=n_draws,
            coupling=coupling,
            conditioning=conditioning,
            clip=clip,
            n_landmarks=n_landmarks,
            gamma=gamma,
            C=C,
            prior=prior,
            prior_fraction=prior_fraction,
            max_iter=max_iter,
            tol=tol,
            optimizer=optimizer,
            learning_rate_u=learning_rate_u,
            learning_rate_C=learning_rate_C,
            n_restarts=n_restarts,
            sampler=sampler,
            max_proposals=max_proposals,
            refit=refit,
            vote=vote,
            delta=delta,
            certificate_fraction=certificate_fraction,
            unlabeled=unlabeled,
            unlabeled_weight=unlabeled_weight,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.n_components = n_components
        self.scaling = scaling
        self.kernel = kernel
        self.n_init = n_init
        self.em_max_iter = em_max_iter
        self.em_tol = em_tol

    def _settings(self) -> Settings:
        self._check_inputs()
        settings = super()._settings()
        if self.n_components > 0:
            if settings.kernel != "gaussian":
                raise ValueError(
                    "the kernel on the features of mixtures is Gaussian: leave kernel at "
                    "'gaussian', or set n_components=0 for a kernel on the columns"
                )
            return settings
        if settings.n_landmarks == 0:
            raise ValueError(
                "n_components=0 leaves a kernel on the columns, which needs n_landmarks above 0"
            )
        if settings.n_draws != "exact":
            raise ValueError(
                "without mixtures nothing is drawn: leave n_draws at 'exact', or set "
                "n_components above 0"
            )
        if settings.conditioning:
            raise ValueError(
                "the features of a kernel are not conditioned: leave conditioning at None, or "
                "set n_components above 0"
            )
        return settings
