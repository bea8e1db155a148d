"""What is done with sequences before their models: codes, and what is put beside them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfmbio.alignments.references import References
from sfmbio.sequences.encoding import encode_batch
from sfmbio.words.principal_words import PrincipalWords, check_directions
from sfmcore.data.arrays import Float64Array, Int64Array, UInt64Array
from sfmcore.data.checks import check_number, check_whole
from sfmcore.data.ragged import Ragged
from sfmcore.data.with_vectors import WithVectors, vectors_of
from sfmcore.kernels import _random
from sfmcore.preparation.base import UNCHANGED, FittedPreparation, Preparation

# Pairs of residues of training sequences and references, at most: ten minutes of one thread, or so.
_MOST_CELLS = 20_000_000_000_000


@dataclass(frozen=True)
class WordsAndRelatives(FittedPreparation):
    """Principal words and similarities to references, whichever of them there are.

    Attributes
    ----------
    words : PrincipalWords or None
    references : References or None
    """

    words: PrincipalWords | None
    references: References | None

    def apply(self, items: Ragged) -> Any:
        """Sequences with both beside them.

        Parameters
        ----------
        items : Ragged
        """
        made = items if self.words is None else self.words.apply(items)
        if self.references is None:
            return made
        return WithVectors(items, vectors_of(made), self.references.similarities(items))

    def apply_to_training(self, items: Ragged) -> Any:
        """The same, where the alignments are tasks.

        Parameters
        ----------
        items : Ragged
        """
        made = items if self.words is None else self.words.apply(items)
        if self.references is None:
            return made
        return WithVectors(items, vectors_of(made), self.references.similarities_by_tasks(items))

    @property
    def n_vectors(self) -> int:
        """Number of directions of the words."""
        return 0 if self.words is None else self.words.n_vectors

    @property
    def n_references(self) -> int:
        """Number of references."""
        return 0 if self.references is None else len(self.references.items)

    @property
    def relative_weight(self) -> float:
        """Weight of the similarities in the kernel."""
        return 1.0 if self.references is None else self.references.weight

    def summary(self) -> list[str]:
        """How many references there are, and how many of them are profiles."""
        return [] if self.references is None else [self.references.summary()]

    def own_references(self, items: Ragged) -> Int64Array:
        """The reference that each sequence is; -1 if it is none.

        Parameters
        ----------
        items : Ragged
        """
        if self.references is None:
            return np.full(len(items), -1)
        return self.references.own(items)

    def get_arrays(self) -> dict[str, np.ndarray]:
        """Directions, references and weights."""
        arrays = {} if self.words is None else self.words.get_arrays()
        if self.references is not None:
            arrays |= self.references.get_arrays()
        return arrays


class ProteinPreparation(Preparation):
    """Encode sequences, and put their spaced words and their relatives beside them.

    Parameters
    ----------
    n_directions : int, default=256
        Columns of a vector of words: the principal directions of the shares of spaced words
        (:mod:`sfmbio.words.patterns`), which are learnt; 0 for none.
    word_weight : float, default=0.7
        Length of the vector, against 1 for the features of the states.
    reference_residues : int, default=3000000
        Residues of the training sequences that every sequence is aligned with
        (:mod:`sfmbio.alignments.references`), at most; 0 for no alignments. Where the training
        sequences are longer together, some of them are taken: fewer where residues of training
        sequences times those of references would be more than 2e13, ten minutes of one thread or
        so.
    most_aligned : int, default=0
        References that a sequence is aligned with, at most: those with the best scores without
        gaps, which take a fifth of the time (:mod:`sfmbio.alignments.candidates`); 0 for all.
    relative_weight : float, default=0.3
        Squared length of the row of similarities in the kernel, against 1 for words and states.

    Examples
    --------
    >>> plain = ProteinPreparation(n_directions=0, reference_residues=0)
    >>> plain.encode(["MKV", "LLA"], estimator=None)
    Ragged(2 items, 6 codes)
    """

    makes_codes = True
    # Files of format 5 and before it know no alignments, and some of format 6 those with all only.
    earlier: ClassVar[Mapping[str, Any]] = {"reference_residues": 0, "most_aligned": 0}

    def __init__(
        self,
        n_directions: int = 256,
        word_weight: float = 0.7,
        reference_residues: int = 3_000_000,
        most_aligned: int = 0,
        relative_weight: float = 0.3,
    ) -> None:
        self.n_directions = n_directions
        self.word_weight = word_weight
        self.reference_residues = reference_residues
        self.most_aligned = most_aligned
        self.relative_weight = relative_weight

    def check_parameters(self) -> None:
        """Refuse parameters that are out of range."""
        check_whole("n_directions", self.n_directions, 0)
        check_whole("reference_residues", self.reference_residues, 0)
        check_whole("most_aligned", self.most_aligned, 0)
        for name in ("word_weight", "relative_weight"):
            check_number(
                name, getattr(self, name), "above 0, of at most 1e6", lambda w: 0 < w <= 1e6
            )

    def encode(self, X: Any, estimator: Any, *, reset: bool = False) -> Ragged:
        """Sequences as codes; see :func:`sfmbio.sequences.encoding.encode_batch`."""
        return encode_batch(X)

    def fit(
        self, items: Ragged, weights: Float64Array, *, seed: int, n_threads: int
    ) -> FittedPreparation:
        """Learn the directions, and choose the references; a sequence of weight 0 is not seen."""
        if self.n_directions == 0 and self.reference_residues == 0:
            return UNCHANGED
        seen = items[np.flatnonzero(weights > 0)]
        words = references = None
        if self.n_directions > 0:
            words = PrincipalWords.of(
                seen,
                rank=self.n_directions,
                weight=float(self.word_weight),
                seed=seed,
                n_threads=n_threads,
            )
        if self.reference_residues > 0:
            references = References.of(
                seen,
                most_residues=min(self.reference_residues, _MOST_CELLS // max(1, len(seen.values))),
                weight=float(self.relative_weight),
                seed=seed,
                n_threads=n_threads,
                most_aligned=self.most_aligned,
            )
        return WordsAndRelatives(words, references)

    def of_arrays(self, arrays: Mapping[str, np.ndarray], n_threads: int) -> FittedPreparation:
        """Take back what was learnt."""
        words = references = None
        if self.n_directions > 0:
            # The parameters repeat it, and are checked.
            if not np.array_equal(arrays["word_weight"], [self.word_weight]):
                raise ValueError("word_weight must be that of the parameters")
            directions = check_directions(arrays["directions"])
            words = PrincipalWords(directions, float(self.word_weight), n_threads)
        if self.reference_residues > 0:
            references = References.of_arrays(
                arrays, float(self.relative_weight), n_threads, self.most_aligned
            )
        if words is None and references is None:
            return UNCHANGED
        return WordsAndRelatives(words, references)

    def content_keys(self, items: Ragged) -> UInt64Array:
        """Digests of the codes, without a look at what is put beside them."""
        return _random.content_keys(items.values, items.offsets)
