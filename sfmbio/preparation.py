"""What is done with sequences before their models: codes, and principal words beside them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sfmbio.sequences.encoding import encode_batch
from sfmbio.words.principal_words import PrincipalWords, check_directions
from sfmcore.data.arrays import Float64Array
from sfmcore.data.checks import check_number, check_whole
from sfmcore.data.ragged import Ragged
from sfmcore.preparation.base import UNCHANGED, FittedPreparation, Preparation


class ProteinPreparation(Preparation):
    """Encode sequences, and put a vector of their spaced words beside them.

    Parameters
    ----------
    n_directions : int, default=256
        Columns of the vector: the principal directions of the shares of spaced words
        (:mod:`sfmbio.words.patterns`), which are learnt; 0 for none.
    word_weight : float, default=0.7
        Length of the vector, against 1 for the features of the states.

    Examples
    --------
    >>> ProteinPreparation(n_directions=0).encode(["MKV", "LLA"], estimator=None)
    Ragged(2 items, 6 codes)
    """

    makes_codes = True

    def __init__(self, n_directions: int = 256, word_weight: float = 0.7) -> None:
        self.n_directions = n_directions
        self.word_weight = word_weight

    def check_parameters(self) -> None:
        """Refuse parameters that are out of range."""
        check_whole("n_directions", self.n_directions, 0)
        check_number(
            "word_weight", self.word_weight, "above 0, of at most 1e6", lambda w: 0 < w <= 1e6
        )

    def encode(self, X: Any, estimator: Any, *, reset: bool = False) -> Ragged:
        """Sequences as codes; see :func:`sfmbio.sequences.encoding.encode_batch`."""
        return encode_batch(X)

    def fit(
        self, items: Ragged, weights: Float64Array, *, seed: int, n_threads: int
    ) -> FittedPreparation:
        """Learn the directions; a sequence of weight 0 is not seen."""
        if self.n_directions == 0:
            return UNCHANGED
        return PrincipalWords.of(
            items[np.flatnonzero(weights > 0)],
            rank=self.n_directions,
            weight=float(self.word_weight),
            seed=seed,
            n_threads=n_threads,
        )

    def of_arrays(self, arrays: Mapping[str, np.ndarray], n_threads: int) -> FittedPreparation:
        """Take back directions and weight."""
        # The parameters repeat it, and are checked.
        if not np.array_equal(arrays["word_weight"], [self.word_weight]):
            raise ValueError("word_weight must be that of the parameters")
        directions = check_directions(arrays["directions"])
        return PrincipalWords(directions, float(self.word_weight), n_threads)
