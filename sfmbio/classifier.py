"""The protein classifier: sequences as strings in, labels out."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags

from sfmbio.presets import PRESETS
from sfmbio.sequences.alphabet import N_SYMBOLS
from sfmbio.sequences.encoding import encode_batch
from sfmbio.words.principal_words import PrincipalWords, check_directions
from sfmcore.data.arrays import Float64Array
from sfmcore.data.checks import check_number, check_whole
from sfmcore.data.ragged import Ragged
from sfmcore.estimators.domain import DomainClassifier
from sfmcore.features.feature_map import Draws
from sfmcore.learning.pair import Inputs
from sfmcore.learning.settings import Settings
from sfmcore.models.hmm import CategoricalHMM
from sfmcore.parallel.threads import effective_threads


class ProteinClassifier(DomainClassifier):
    """Classify unaligned protein sequences by pairs of hidden Markov models.

    For each class HMMs over 22 symbols are fitted to its sequences and to the rest. A sequence
    becomes the features of its hidden states under a pair of them, with a vector of its spaced
    words beside them, and a Gibbs classifier over these, linear in a Gaussian kernel's space,
    minimises a PAC-Bayes risk bound.

    Parameters
    ----------
    n_states : int or sequence of int, default=(10, 20)
        Hidden states of each HMM. Of several numbers each has pairs of its own.
    n_pairs : int, default=1
        Pairs of HMMs of each number of states for each class against the rest, from different
        random starts; the votes of all are averaged.
    n_directions : int, default=256
        Columns of a vector beside the states: the principal directions of the shares of spaced
        words (:mod:`sfmbio.words.patterns`), which are learnt too; 0 for none.
    word_weight : float, default=1.225
        Length of that vector, against 1 for the features of the states.
    n_init : int, default=2
        Random starts of each Baum-Welch run.
    em_max_iter : int, default=2000
        Iterations of Baum-Welch at most.
    em_tol : float, default=5e-6
        Baum-Welch stops when an iteration gains less than this, in nats a residue.
    n_draws : int or "exact", default="exact"
        Draws of the hidden states per sequence (5 in the paper), or expected features.
        Training and prediction always use the same.
    coupling : float, default=0.0
        How much the classifier feeds back into the hidden states, from 0 to 1 (1 in the paper).
        Needs draws.
    conditioning : bool or None, default=None
        Standardise the features; None means yes for an HMM.
    clip : float, default=2.0
        Largest absolute value of a conditioned feature.
    n_landmarks : int, default=1000
        Landmarks of a Gaussian kernel on the features (Nystroem), at most; 0 leaves the
        classifier linear in them.
    gamma : float, default=0.7
        Width of the kernel exp(-gamma |a - b|^2), of features of unit length.
    C : float or "bound", default=150.0
        Weight of the risk in J(u), or learnt by minimising the bound.
    prior : {"zero", "map"}, default="zero"
        u_0, the mean of the prior: zero, or the weights of the MAP classifier of the two models,
        scaled to the length at which J(u) around zero is lowest.
    prior_fraction : float, default=0.0
        Share of the training items that u_0 is learnt on.
    max_iter : int, default=20
        Iterations of Algorithm 1 at most.
    tol : float, default=1e-3
        Relative change of J(u) at which the iterations stop.
    optimizer : {"lbfgs", "gradient"}, default="lbfgs"
        Minimise J(u) in each iteration, or make one step down the gradient as in the paper.
    learning_rate_u, learning_rate_C : float, default=1.0
        First step sizes of "gradient".
    n_restarts : int, default=0
        Random starts in [-20, 20]^d besides the informed ones.
    sampler : {"auto", "enumeration", "rejection"}, default="auto"
        How coupled draws are made; paths of an HMM can't be enumerated, so "auto" rejects.
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
        Share of the labelled sequences, drawn without a look at the labels, that models,
        conditioning and u_0 do not see. u alone is learnt on them, and `fit` certifies the risk
        on them.
    unlabeled : "auto", None or a value, default="auto"
        What stands in `y` for a sequence without label. "auto": a missing value (None, NaN, NA)
        or an empty string. None: nothing.
    unlabeled_weight : float, default=0.03
        Weight in J(u) of the disagreement on sequences without label, against 1 for the risk on
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
    >>> sequences = ["AVLIAVLLIVAVL", "LLAVIVALLIAV", "KDEKRDEKKDER", "EKDRKKEDEKRD"]
    >>> model = ProteinClassifier(n_states=2, random_state=0)
    >>> model = model.fit(sequences, ["membrane", "membrane", "charged", "charged"])
    >>> model.predict(["VLLAVIL", "DEKKDRE"]).tolist()
    ['membrane', 'charged']
    """

    _kind: ClassVar[str] = "protein classifier"
    _presets: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS

    def __init__(
        self,
        n_states: int | Sequence[int] = (10, 20),
        *,
        n_pairs: int = 1,
        n_directions: int = 256,
        word_weight: float = 1.225,
        n_init: int = 2,
        em_max_iter: int = 2000,
        em_tol: float = 5e-6,
        n_draws: Draws = "exact",
        coupling: float = 0.0,
        conditioning: bool | None = None,
        clip: float = 2.0,
        n_landmarks: int = 1000,
        gamma: float = 0.7,
        C: float | Literal["bound"] = 150.0,
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
        unlabeled_weight: float = 0.03,
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
        self.n_states = n_states
        self.n_directions = n_directions
        self.word_weight = word_weight
        self.n_init = n_init
        self.em_max_iter = em_max_iter
        self.em_tol = em_tol

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        return tags

    def _settings(self) -> Settings:
        for name in ("n_init", "em_max_iter"):
            check_whole(name, getattr(self, name), 1)
        for number in self._numbers_of_states():
            check_whole("n_states", number, 1)
        check_whole("n_directions", self.n_directions, 0)
        check_number(
            "word_weight", self.word_weight, "above 0, of at most 1e6", lambda w: 0 < w <= 1e6
        )
        check_number("em_tol", self.em_tol, "of at least 0", lambda tol: tol >= 0)
        return super()._settings()

    def _numbers_of_states(self) -> list[Any]:
        given: Any = self.n_states
        if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
            return [given]
        if len(given) == 0:
            raise ValueError("n_states must hold at least one number of states")
        return list(given)

    def _members(self) -> list[Self]:
        return [clone(self).set_params(n_states=number) for number in self._numbers_of_states()]

    def _fit_inputs(self, items: Ragged, weights: Float64Array) -> PrincipalWords | None:
        """Learn the directions; a sequence of weight 0 is not seen."""
        if self.n_directions == 0:
            return None
        return PrincipalWords.of(
            items[np.flatnonzero(weights > 0)],
            rank=self.n_directions,
            weight=float(self.word_weight),
            seed=self._draw_seed(),
            n_threads=effective_threads(self.n_jobs),
        )

    def _arrays_of_inputs(self, inputs: Inputs) -> dict[str, np.ndarray]:
        assert isinstance(inputs, PrincipalWords)
        return {"directions": inputs.directions, "word_weight": np.array([inputs.weight])}

    def _inputs_of_arrays(self, arrays: dict[str, np.ndarray]) -> PrincipalWords:
        # The parameters repeat it, and are checked.
        if not np.array_equal(arrays["word_weight"], [self.word_weight]):
            raise ValueError("word_weight must be that of the parameters")
        return PrincipalWords(
            check_directions(arrays["directions"]),
            float(self.word_weight),
            effective_threads(self.n_jobs),
        )

    def _make_model(self, inputs: Inputs | None) -> CategoricalHMM:
        return CategoricalHMM(
            self._numbers_of_states()[0],
            N_SYMBOLS,
            n_init=self.n_init,
            max_iter=self.em_max_iter,
            tol=self.em_tol,
        )

    def _encode(self, X: Any, *, first: bool = False) -> Ragged:
        return encode_batch(X)
