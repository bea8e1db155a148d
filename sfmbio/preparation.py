"""Preparation of sequences: codes, spaced words, ends, length, properties and relatives."""

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np

from sfmbio.alignments.near_copies import near_copies
from sfmbio.alignments.references import MostAligned, References
from sfmbio.beside_states.beside_states import BesideStates
from sfmbio.beside_states.tuning import tuned
from sfmbio.properties.learnt import Properties
from sfmbio.sequences.encoding import encode_batch
from sfmbio.words.principal_words import PrincipalWords, check_directions
from sfmcore.data.arrays import Float64Array, Int64Array, UInt64Array
from sfmcore.data.checks import check_number, check_whole
from sfmcore.data.near_pairs import NearPairs
from sfmcore.data.ragged import Ragged
from sfmcore.data.streams import HELD_OUT
from sfmcore.kernels import _random
from sfmcore.parallel.tasks import kept
from sfmcore.preparation.base import UNCHANGED, FittedPreparation, Preparation
from sfmcore.preparation.tuning import FEWEST, sample_of_classes

Weight = float | Literal["held_out"]

# Pairs of residues of training sequences and references, at most: ten minutes of one thread, or so.
_MOST_CELLS = 20_000_000_000_000
# Sequences that weights are chosen on, at most: the cost grows with the cube.
_MOST_TUNED = 1200
# Where relatives have no part in the kernel, or too few sequences say which it should be.
_RELATIVE_WEIGHT = 0.3
_LARGEST = 1e6


class ProteinPreparation(Preparation):
    """Encode sequences, and add their spaced words, properties and relatives.

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
    most_aligned : int or "auto", default="auto"
        References that a sequence is aligned with, at most: those with the best scores without
        gaps, which take a fifth of the time (:mod:`sfmbio.alignments.candidates`); 0 for all. By
        default 512 of more than 4,096 references, and otherwise all. Where one of them is a clear
        relative, only the best 32 are aligned, and the others keep their scores without gaps.
    relative_weight : float or "held_out", default="held_out"
        Squared length of the row of similarities in the kernel, against 1 for all else. By default
        0.1, 0.3, 1 or 3, whichever serves held-out sequences; always 0.3 where there are more than
        two classes. Their votes see similarities only with a certificate, or where classes share
        no models.
    end_weight : float or "held_out", default="held_out"
        Squared length of the vector of both ends (:mod:`sfmbio.words.ends`), against 1 for the
        features of the states; 0 for none. By default 0, 0.25, 0.5, 1 or 2, whichever serves
        held-out sequences.
    length_weight : float, default=0.1
        Squared length of the vector of the sequence's length; 0 for none.
    property_weight : float or "held_out", default="held_out"
        Squared length of the vector of physico-chemical properties (:mod:`sfmbio.properties`):
        charge, hydrophobicity, moments and composition; 0 for none. By default 0, 0.25 or 0.5,
        whichever serves held-out sequences; always 0 where there are more than two classes.

    Examples
    --------
    >>> plain = ProteinPreparation(n_directions=0, reference_residues=0)
    >>> plain.encode(["MKV", "LLA"], estimator=None)
    Ragged(2 items, 6 codes)
    """

    makes_codes = True
    # Files of format 5 and before it know no alignments, those of format 6 no ends, and those of
    # format 10 no properties.
    earlier: ClassVar[Mapping[str, Any]] = {
        "reference_residues": 0,
        "most_aligned": 0,
        "relative_weight": _RELATIVE_WEIGHT,
        "end_weight": 0.0,
        "length_weight": 0.0,
        "property_weight": 0.0,
    }

    def __init__(
        self,
        n_directions: int = 256,
        word_weight: float = 0.7,
        reference_residues: int = 3_000_000,
        most_aligned: MostAligned = "auto",
        relative_weight: Weight = "held_out",
        end_weight: Weight = "held_out",
        length_weight: float = 0.1,
        property_weight: Weight = "held_out",
    ) -> None:
        self.n_directions = n_directions
        self.word_weight = word_weight
        self.reference_residues = reference_residues
        self.most_aligned = most_aligned
        self.relative_weight = relative_weight
        self.end_weight = end_weight
        self.length_weight = length_weight
        self.property_weight = property_weight

    def check_parameters(self) -> None:
        """Refuse parameters that are out of range."""
        check_whole("n_directions", self.n_directions, 0)
        check_whole("reference_residues", self.reference_residues, 0)
        if self.most_aligned != "auto":
            check_whole("most_aligned", self.most_aligned, 0)
        for name in ("word_weight", "relative_weight"):
            if not (name == "relative_weight" and self.relative_weight == "held_out"):
                what = f"above 0, of at most {_LARGEST:g}"
                check_number(name, getattr(self, name), what, lambda w: 0 < w <= _LARGEST)
        for name in ("end_weight", "length_weight", "property_weight"):
            if not (name != "length_weight" and getattr(self, name) == "held_out"):
                what = f"from 0, of at most {_LARGEST:g}"
                check_number(name, getattr(self, name), what, lambda w: 0 <= w <= _LARGEST)

    def encode(self, X: Any, estimator: Any, *, reset: bool = False) -> Ragged:
        """Sequences as codes; see :func:`sfmbio.sequences.encoding.encode_batch`."""
        return encode_batch(X)

    def fit(
        self, items: Ragged, weights: Float64Array, *, seed: int, n_threads: int
    ) -> FittedPreparation:
        """Learn directions and scales, and choose references; what weighs 0 is not seen."""
        end_weight, property_weight = (
            0.0 if weight == "held_out" else float(weight)
            for weight in (self.end_weight, self.property_weight)
        )
        fixed = end_weight, float(self.length_weight)
        tunes = self._looks_at_ends or self._looks_at_properties
        if not (
            self.n_directions or self.reference_residues or tunes or any(fixed) or property_weight
        ):
            return UNCHANGED
        seen = items[np.flatnonzero(weights > 0)]
        words = references = None
        if self.n_directions > 0:
            learn = partial(
                PrincipalWords.of,
                seen,
                rank=self.n_directions,
                weight=float(self.word_weight),
                seed=seed,
                n_threads=n_threads,
            )
            # The references take longer: a run that is killed among them has the words.
            words = kept(
                "words",
                learn,
                pack=PrincipalWords.get_arrays,
                unpack=lambda arrays: self._words_of(arrays, n_threads),
            )
        if self.reference_residues > 0:
            own = self.relative_weight
            references = References.of(
                seen,
                most_residues=min(self.reference_residues, _MOST_CELLS // max(1, len(seen.values))),
                weight=_RELATIVE_WEIGHT if own == "held_out" else float(own),
                seed=seed,
                n_threads=n_threads,
                most_aligned=self.most_aligned,
            )
        properties = None
        if property_weight > 0:
            properties = Properties.of(seen, weight=property_weight, seed=seed, n_threads=n_threads)
        return BesideStates(words, references, *fixed, properties)

    def tune(
        self,
        fitted: FittedPreparation,
        items: Ragged,
        classes: Int64Array,
        weights: Float64Array,
        *,
        seed: int,
    ) -> FittedPreparation:
        """Choose weights of ends, properties and relatives by sequences that are held out."""
        if not isinstance(fitted, BesideStates):
            return fitted
        are_two = classes.max(initial=-1) <= 1
        tunes_relatives = fitted.references is not None and self.relative_weight == "held_out"
        tunes_relatives &= are_two
        tunes_properties = self._looks_at_properties and are_two
        if not (self._looks_at_ends or tunes_relatives or tunes_properties):
            return fitted
        # What an item holds decides, so that neither order nor repetition of items does.
        keys = _random.stream_keys(seed, HELD_OUT, self.content_keys(items))
        known = np.where(weights > 0, classes, -1)
        places, targets, folds = sample_of_classes(known, keys, _MOST_TUNED)
        if len(places) < FEWEST:
            return fitted
        properties = None
        if tunes_properties:
            seen = items[np.flatnonzero(weights > 0)]
            properties = Properties.of(seen, weight=1.0, seed=seed)
        return tuned(
            fitted,
            items[places],
            targets,
            folds,
            ends=self._looks_at_ends,
            relatives=tunes_relatives,
            properties=properties,
        )

    @property
    def _looks_at_ends(self) -> bool:
        return self.end_weight == "held_out"

    @property
    def _looks_at_properties(self) -> bool:
        return self.property_weight == "held_out"

    def of_arrays(self, arrays: Mapping[str, np.ndarray], n_threads: int) -> FittedPreparation:
        """Take back what was learnt."""
        parameters = self.end_weight, self.length_weight, self.relative_weight
        chosen = arrays.get("weights_beside", np.array(parameters))
        if chosen.shape != (3,) or chosen.dtype != np.float64:
            raise ValueError("weights_beside must be three numbers")
        if not np.all((chosen >= 0) & (chosen <= _LARGEST)) or chosen[2] == 0:
            raise ValueError(f"weights_beside must be from 0 to {_LARGEST:g}, and the last above 0")
        end_weight, length_weight, relative_weight = (float(number) for number in chosen)
        words = references = None
        if self.n_directions > 0:
            words = self._words_of(arrays, n_threads)
        if self.reference_residues > 0:
            references = References.of_arrays(arrays, relative_weight, n_threads, self.most_aligned)
        properties = None
        if "property_weight" in arrays:
            properties = Properties.of_arrays(arrays, _LARGEST, n_threads)
        nothing = words is None and references is None and properties is None
        if nothing and end_weight == length_weight == 0:
            return UNCHANGED
        return BesideStates(words, references, end_weight, length_weight, properties)

    def _words_of(self, arrays: Mapping[str, np.ndarray], n_threads: int) -> PrincipalWords:
        """Take back the words; the parameters repeat their weight, and are checked."""
        if not np.array_equal(arrays["word_weight"], [self.word_weight]):
            raise ValueError("word_weight must be that of the parameters")
        directions = check_directions(arrays["directions"])
        return PrincipalWords(directions, float(self.word_weight), n_threads)

    def content_keys(self, items: Ragged) -> UInt64Array:
        """Digests of the codes alone, without the extra data."""
        return _random.content_keys(items.values, items.offsets)

    def near_copies(
        self, items: Ragged, *, n_threads: int = 1, show_progress: bool = False
    ) -> NearPairs:
        """Sequences that are nearly identical over nearly all of their length."""
        return near_copies(items, n_threads=n_threads, show_progress=show_progress)
