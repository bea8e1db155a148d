"""The protein classifier: sequences as strings in, labels out."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils import Tags

from sfmbio.alignments.nearest import NearestReferences, several_nearest
from sfmbio.alignments.references import References
from sfmbio.beside_states.beside_states import BesideStates
from sfmbio.catalogue import Catalogue, Nearest, names_of
from sfmbio.explaining import residues
from sfmbio.preparation import ProteinPreparation
from sfmbio.presets import PRESETS
from sfmbio.sequences.alphabet import N_SYMBOLS
from sfmcore import SFMClassifier
from sfmcore.data.with_vectors import items_of, similarities_of
from sfmcore.estimators.composition import Model, with_parameters_of
from sfmcore.explaining.explanation import Explanation
from sfmcore.learning.pair import warn_of_limits
from sfmcore.learning.problem import Problem
from sfmcore.models.hmm import CategoricalHMM
from sfmcore.parallel.threads import effective_threads

# Of two classes all rows of a small set may be landmarks: on the tuning part of peptides the area
# under the curve rose from 0.9735 to 0.9762. Of more it neither helped nor was it cheap.
_LANDMARKS_OF_TWO, _LANDMARKS = 2500, 1000


class ProteinClassifier(SFMClassifier):
    """Classify unaligned protein sequences by pairs of hidden Markov models.

    HMMs over 22 symbols are fitted to all sequences and to those of each class, or of each group of
    similar classes; with two classes there is one of each. A sequence becomes the features of its
    hidden states under them, together with its spaced words, the residues at both ends and its
    length; with two classes also its physico-chemical properties. A Gibbs classifier over these,
    linear in the space of a Gaussian kernel, minimises a PAC-Bayes risk bound for every class. A
    sequence is also aligned with the training sequences: with more than two classes its relatives
    are weighed against the votes, with weights learnt on held-out sequences
    (:mod:`sfmcore.learning.weighing`); with two the kernel uses them.

    It is :class:`sfmcore.SFMClassifier` with another model, preparation and defaults; the
    parameters that are not listed here are described there.

    Parameters
    ----------
    model : GenerativeModel or list of them, default=None
        None: hidden Markov models of 10 and of 20 states.
    prepare : Preparation, default=None
        None: ``ProteinPreparation()``.
    n_landmarks : int or "auto", default="auto"
        Maximum number of landmarks of a Gaussian kernel on the features (Nystroem); 0 leaves the
        classifier linear in them. "auto": 2500 for two classes, and 1000 for more, where every
        class has a u of that size.
    n_shared_models : int, default=8
        Models of classes, or of groups of similar classes, in addition to one of all sequences:
        all classes share them. 0: each class has a pair of its own, as in the paper.
    gamma : float, default=0.7
        Width of the kernel ``exp(-gamma |a - b|^2)`` on features of unit length.
    kernel_rank : int, default=384
        Number of principal directions of the features that the kernel uses; 0 for all features.
    C : float or "bound", default=300.0
        Weight of the risk in J(u), or learnt by minimising the bound.
    unlabeled_weight : float, default=0.03
        Weight in J(u) of the disagreement on sequences without label.
    **parameters
        Further parameters of :class:`sfmcore.SFMClassifier`, and short names: `n_states`, a number
        or a list of numbers with pairs of each; `n_init`, `em_max_iter` and `em_tol` of Baum-Welch;
        `n_directions`, `word_weight`, `reference_residues`, `most_aligned`, `relative_weight`,
        `end_weight`, `length_weight` and `property_weight` of the preparation.

    Attributes
    ----------
    classes_, pairs_, n_iter_, weighted_, certificate_
        As of :class:`sfmcore.SFMClassifier`.
    weighing_ : Weighing or None
        Weights of votes and relatives; None if only the votes decide.

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

    _catalogue: Catalogue | None = None

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
        "property_weight": "prepare__property_weight",
    }

    @with_parameters_of(SFMClassifier)
    def __init__(
        self,
        model: Model | Sequence[Model] | None = None,
        prepare: ProteinPreparation | None = None,
        *,
        n_landmarks: int | Literal["auto"] = "auto",
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
            n_landmarks=n_landmarks,  # type: ignore[arg-type]
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

    def fit(
        self,
        X: Any,
        y: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        *,
        X_unlabeled: Any = None,
        groups: Sequence[Hashable] | None = None,
        ids: Any = None,
        unlabeled_ids: Any = None,
    ) -> Self:
        """Learn a pair of models and a classifier for every class.

        Parameters
        ----------
        X, y, sample_weight, X_unlabeled, groups
            As of :meth:`sfmcore.SFMClassifier.fit`.
        ids, unlabeled_ids : iterable of str, optional
            Names of the sequences in `X` and in `X_unlabeled`, by which :meth:`nearest` calls them;
            they change nothing of what is learnt. Biopython's records have their own. A sequence
            without a name, or for which None is given, is called by its place, such as ``X[17]``.

        Returns
        -------
        self : object

        Raises
        ------
        ValueError
            As there, and if there are not as many ids as sequences, or one is empty.
        """
        # What can be gone through only once is asked for its ids, too.
        X, X_unlabeled = (
            list(own) if isinstance(own, Iterator) else own for own in (X, X_unlabeled)
        )
        problem = self.problem(X, y, sample_weight, X_unlabeled=X_unlabeled, groups=groups)
        assert problem.n_rows is not None
        names = names_of(X, ids, problem.n_rows, "X", "ids")
        if X_unlabeled is not None:
            n_more = int(np.sum(problem.places >= problem.n_rows))
            names += names_of(X_unlabeled, unlabeled_ids, n_more, "X_unlabeled", "unlabeled_ids")
        elif unlabeled_ids is not None:
            raise ValueError("unlabeled_ids name the sequences in X_unlabeled, which is missing")
        self.learn(problem)
        self.name_references(problem, [names[place] for place in problem.places])
        warn_of_limits(self.pairs_)
        return self

    def name_references(self, problem: Problem, names: Sequence[str]) -> None:
        """Let :meth:`nearest` call the training sequences by names; :meth:`fit` does it.

        Parameters
        ----------
        problem : Problem
            What was learnt from.
        names : sequence of str
            One for each of its items.
        """
        if self._references is not None:
            own = self.pairs_[0].preparation.own_references(problem.items)
            self._catalogue = Catalogue.of(own, problem.numbers, names, len(self._references.items))

    def restore(self, *args: Any, **keywords: Any) -> None:
        """Become a fitted classifier; see :meth:`sfmcore.SFMClassifier.restore`."""
        super().restore(*args, **keywords)
        # Its references are those of the pairs: the records that they were are not known yet.
        self._catalogue = None

    def nearest(self, X: Any) -> Nearest:
        """Find the training sequence that each sequence is nearest to.

        Nearest is what the best local alignment scores highest with (Smith and Waterman, BLOSUM62),
        among the training sequences that the model keeps (`reference_residues`): whatever the
        label of the sequence, and whether or not that is the label that is predicted.
        :func:`sfmbio.alignments.nearest.nearest_references` says how it is found.

        Parameters
        ----------
        X : inputs

        Returns
        -------
        Nearest
            Nothing is near to a sequence whose best alignment has an E-value above 10, nor to any
            where the model keeps no training sequences (``reference_residues=0``, the preset
            "paper", files that an earlier version wrote).

        Examples
        --------
        >>> sequences = ["AVLIAVLLIVAVL", "LLAVIVALLIAV", "KDEKRDEKKDER", "EKDRKKEDEKRD"]
        >>> model = ProteinClassifier(n_states=2, random_state=0)
        >>> labels = ["membrane", "membrane", "charged", "charged"]
        >>> found = model.fit(sequences, labels, ids=["a", "b", "c", "d"]).nearest(["KDEKRDEKK"])
        >>> found.ids.tolist(), found.labels.tolist(), found.identity.tolist()
        (['c'], ['charged'], [1.0])
        """
        self.check_fitted()
        preparation = self.pairs_[0].preparation
        return self.nearest_among(preparation.apply(self.preparation.encode(X, self)))

    def nearest_among(self, made: Any) -> Nearest:
        """Result of :meth:`nearest` for sequences whose similarities to the references are known.

        Parameters
        ----------
        made : batch of items
            One of those that :meth:`prepared` makes of encoded sequences.
        """
        return self.several_nearest_among(made, 1)[0]

    def several_nearest_among(self, made: Any, n_nearest: int) -> list[Nearest]:
        """The nearest training sequence as :meth:`nearest_among` finds it, the second, and so on.

        Parameters
        ----------
        made : batch of items
            As there.
        n_nearest : int
        """
        references, similar = self._references, similarities_of(made)
        catalogue = self._catalogue
        if references is None or similar is None or catalogue is None:
            empty = Catalogue([], np.zeros(0, dtype=np.int64))
            none = empty.nearest(NearestReferences.none(len(made)), self.classes_)
            return [none] * n_nearest
        threads = effective_threads(self.n_jobs)
        found = several_nearest(references, items_of(made), similar, n_nearest, n_threads=threads)
        return [catalogue.nearest(one, self.classes_) for one in found]

    def explain(self, X: Any) -> Explanation:
        """Say how much every residue speaks for its sequence's label, against the runner-up.

        The evidence adds up to the score, with a baseline and what no residue can be given
        (docs/explain.md).

        Parameters
        ----------
        X : inputs

        Returns
        -------
        Explanation
            Of residues, as they are encoded: gaps and a final stop are none. `kinds` are states,
            words, ends and relatives; `terms` length, properties, constant, further relatives.

        Raises
        ------
        ValueError
            If an input can't be used, or the models are no hidden Markov models.

        Examples
        --------
        >>> sequences = ["AVLIAVLLIVAVL", "LLAVIVALLIAV", "KDEKRDEKKDER", "EKDRKKEDEKRD"]
        >>> model = ProteinClassifier(n_states=2, random_state=0)
        >>> model = model.fit(sequences, ["membrane", "membrane", "charged", "charged"])
        >>> found = model.explain(["AVLLIVA"])
        >>> terms = sum(found.terms.values()) + found.baseline + found.remainder
        >>> found[0].shape, bool(abs(found[0].sum() + terms[0] - found.score[0]) < 1e-9)
        ((7,), True)
        """
        self.check_fitted()
        made = self.prepared(self.preparation.encode(X, self))
        return self.explain_prepared(made).explanation

    def explain_prepared(
        self, made: Sequence[Any], *, rests: bool = False
    ) -> "residues.ResidueEvidence":
        """Result of :meth:`explain` for sequences that :meth:`prepared` was called with before.

        Parameters
        ----------
        made : sequence of batch of items
        rests : bool, default=False
            Whether to sum up by state and by word too.
        """
        threads = effective_threads(self.n_jobs)
        scores = residues.ResidueScores(self.pairs_, self.classes_, self.weighing_, threads)
        return scores.explain(made, rests=rests)

    @property
    def _references(self) -> References | None:
        preparation = self.pairs_[0].preparation
        return preparation.references if isinstance(preparation, BesideStates) else None

    def further_arrays(self) -> dict[str, np.ndarray]:
        """Ids and classes of the references."""
        return {} if self._catalogue is None else self._catalogue.get_arrays()

    def take_further_arrays(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Take back ids and classes of the references, which files before format 7 do not hold."""
        if not arrays:
            return
        if self._references is None:
            raise ValueError("references have names, and there are no references")
        n_references = len(self._references.items)
        self._catalogue = Catalogue.of_arrays(arrays, n_references, len(self.classes_))

    def settings_values(self, n_classes: int) -> dict[str, Any]:
        """Values of the settings by name, with the landmarks that "auto" stands for."""
        values = super().settings_values(n_classes)
        if values["n_landmarks"] == "auto":
            values["n_landmarks"] = _LANDMARKS_OF_TWO if n_classes == 2 else _LANDMARKS
        return values

    def default_model(self) -> list[Model]:
        """Hidden Markov models of 10 and of 20 states."""
        options: dict[str, Any] = {"n_init": 2, "max_iter": 2000, "tol": 5e-6}
        return [CategoricalHMM(number, N_SYMBOLS, **options) for number in (10, 20)]

    def default_preparation(self) -> ProteinPreparation:
        """Encode sequences, with their principal words beside them."""
        return ProteinPreparation()
