"""The protein classifier: sequences as strings in, labels out."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sklearn.utils import Tags

from sfmbio.preparation import ProteinPreparation
from sfmbio.presets import PRESETS
from sfmbio.sequences.alphabet import N_SYMBOLS
from sfmcore import SFMClassifier
from sfmcore.estimators.composition import Model, with_parameters_of
from sfmcore.models.hmm import CategoricalHMM


class ProteinClassifier(SFMClassifier):
    """Classify unaligned protein sequences by pairs of hidden Markov models.

    For each class HMMs over 22 symbols are fitted to its sequences and to the rest. A sequence
    becomes the features of its hidden states under a pair of them, with a vector of its spaced
    words beside them, and a Gibbs classifier over these, linear in a Gaussian kernel's space,
    minimises a PAC-Bayes risk bound. It is also aligned with the training sequences: of more than
    two classes its relatives are weighed against the votes by what held-out sequences teach
    (:mod:`sfmcore.learning.weighing`), and of two the kernel sees them.

    It is :class:`sfmcore.SFMClassifier` with another model, preparation and defaults; the
    parameters that are not listed here are described there.

    Parameters
    ----------
    model : GenerativeModel or list of them, default=None
        None: hidden Markov models of 10 and of 20 states.
    prepare : Preparation, default=None
        None: ``ProteinPreparation()``.
    n_landmarks : int, default=1000
        Landmarks of a Gaussian kernel on the features (Nystroem), at most; 0 leaves the
        classifier linear in them.
    n_shared_models : int, default=8
        Models of classes, or of groups of classes that look alike, beside one of everything: all
        classes share them. 0: each class has a pair of its own, as in the paper.
    gamma : float, default=0.7
        Width of the kernel exp(-gamma |a - b|^2), of features of unit length.
    kernel_rank : int, default=384
        Principal directions of the features that the kernel sees; 0 for the features whole.
    C : float or "bound", default=300.0
        Weight of the risk in J(u), or learnt by minimising the bound.
    unlabeled_weight : float, default=0.03
        Weight in J(u) of the disagreement on sequences without label.
    **parameters
        Further parameters of :class:`sfmcore.SFMClassifier`, and short names: `n_states`, a number
        or a list of numbers with pairs of each; `n_init`, `em_max_iter` and `em_tol` of Baum-Welch;
        `n_directions`, `word_weight`, `reference_residues`, `most_aligned`, `relative_weight`,
        `end_weight` and `length_weight` of the preparation.

    Attributes
    ----------
    classes_, pairs_, n_iter_, weighted_, certificate_
        As of :class:`sfmcore.SFMClassifier`.
    weighing_ : Weighing or None
        What votes and relatives are worth; None where the votes decide.

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

    kind: ClassVar[str] = "protein classifier"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS
    short_names: ClassVar[Mapping[str, str]] = {
        "n_states": "model__n_states",
        "n_init": "model__n_init",
        "em_max_iter": "model__max_iter",
        "em_tol": "model__tol",
        "n_directions": "prepare__n_directions",
        "word_weight": "prepare__word_weight",
        "reference_residues": "prepare__reference_residues",
        "most_aligned": "prepare__most_aligned",
        "relative_weight": "prepare__relative_weight",
        "end_weight": "prepare__end_weight",
        "length_weight": "prepare__length_weight",
    }

    @with_parameters_of(SFMClassifier)
    def __init__(
        self,
        model: Model | Sequence[Model] | None = None,
        prepare: ProteinPreparation | None = None,
        *,
        n_landmarks: int = 1000,
        n_shared_models: int = 8,
        gamma: float = 0.7,
        kernel_rank: int = 384,
        C: Any = 300.0,
        unlabeled_weight: float = 0.03,
        **parameters: Any,
    ) -> None:
        super().__init__(
            model,
            prepare,
            n_landmarks=n_landmarks,
            n_shared_models=n_shared_models,
            gamma=gamma,
            kernel_rank=kernel_rank,
            C=C,
            unlabeled_weight=unlabeled_weight,
            **parameters,
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        return tags

    def default_model(self) -> list[Model]:
        """Hidden Markov models of 10 and of 20 states."""
        options: dict[str, Any] = {"n_init": 2, "max_iter": 2000, "tol": 5e-6}
        return [CategoricalHMM(number, N_SYMBOLS, **options) for number in (10, 20)]

    def default_preparation(self) -> ProteinPreparation:
        """Encode sequences, with their principal words beside them."""
        return ProteinPreparation()
