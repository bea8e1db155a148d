"""Principal words of sequences, which a fit learns before its models."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.sparse import csr_array

from sfmbio.kernels import _patterns
from sfmbio.words.patterns import N_WORDS, PATTERNS, check_codes, word_vectors
from sfmcore.data.arrays import Float32Array
from sfmcore.data.ragged import Ragged
from sfmcore.data.streams import WORD_SAMPLE
from sfmcore.data.with_vectors import WithVectors
from sfmcore.kernels import _random
from sfmcore.parallel.blas import blas_threads
from sfmcore.parallel.tasks import kept
from sfmcore.preparation.base import FittedPreparation

# Distinct sequences that the directions are learnt from, at most: the cost grows with the cube.
MOST_SEQUENCES = 2000
# Below this share of the largest, a squared length says nothing that single precision keeps.
_SMALLEST = 1e-6
_BLOCK = 250


@dataclass(frozen=True)
class PrincipalWords(FittedPreparation):
    """Directions in which the words of the training sequences vary most, and what they carry.

    Attributes
    ----------
    directions : ndarray of shape (N_WORDS, rank), float32
        Orthonormal columns. Nothing is subtracted, so products of vectors come near those of the
        words themselves.
    weight : float
        Length of a vector whose words lie in these directions, against 1 for phi(x, h).
    n_threads : int
    """

    directions: Float32Array
    weight: float
    n_threads: int = 1

    @classmethod
    def of(
        cls, items: Ragged, *, rank: int, weight: float, seed: int, n_threads: int = 1
    ) -> "PrincipalWords":
        """Learn the directions from distinct sequences.

        Like the choice of sequences, their order follows what they hold, so that a sequence of
        weight 2 is a sequence given twice.

        Parameters
        ----------
        items : Ragged
        rank : int
            Directions, at most; there are no more than distinct sequences.
        weight : float
        seed : int
        n_threads : int, default=1
            The result does not depend on it.
        """
        content, first = np.unique(
            _random.content_keys(items.values, items.offsets), return_index=True
        )
        order = np.argsort(_random.stream_keys(seed, WORD_SAMPLE, content), kind="stable")
        words = word_vectors(items[first[order[:MOST_SEQUENCES]]])
        products = kept("products", partial(_lower, words))
        with blas_threads():  # whose bits may follow its threads
            values, vectors = np.linalg.eigh(products.astype(np.float64))
        # Largest first.
        values, vectors = values[::-1][:rank], vectors[:, ::-1][:, :rank]
        some = values > _SMALLEST * values[0]
        directions = words.T @ (vectors[:, some] / np.sqrt(values[some]))
        return cls(np.ascontiguousarray(directions, dtype=np.float32), weight, n_threads)

    def apply(self, items: Ragged) -> WithVectors:
        """Sequences, each with its vector beside it.

        Parameters
        ----------
        items : Ragged
        """
        check_codes(items)
        vectors = np.zeros((len(items), self.directions.shape[1]), dtype=np.float32)
        start = 0
        for pattern in PATTERNS:
            _patterns.project(
                items.values,
                items.offsets,
                np.array(pattern.places, dtype=np.int32),
                pattern.groups,
                pattern.n_groups,
                self.weight * pattern.weight,
                self.directions[start : start + pattern.n_words],
                vectors,
                self.n_threads,
            )
            start += pattern.n_words
        return WithVectors(items, vectors)

    @property
    def n_vectors(self) -> int:
        """Number of directions."""
        return self.directions.shape[1]

    def get_arrays(self) -> dict[str, np.ndarray]:
        """Directions and weight."""
        return {"directions": self.directions, "word_weight": np.array([self.weight])}


def _lower(rows: csr_array) -> Float32Array:
    """Products of the rows with each other, those above the diagonal zero."""
    made = np.zeros((rows.shape[0], rows.shape[0]), dtype=np.float32)
    for start in range(0, len(made), _BLOCK):
        end = min(start + _BLOCK, len(made))
        made[start:end, :end] = (rows[start:end] @ rows[:end].T).toarray()
    return np.tril(made)


def check_directions(directions: Float32Array) -> Float32Array:
    """Return the directions of a model file.

    Raises
    ------
    ValueError
        If they are none.
    """
    if directions.ndim != 2 or len(directions) != N_WORDS or directions.dtype != np.float32:
        raise ValueError(f"directions must be float32 with {N_WORDS} rows")
    if not np.isfinite(directions).all():
        raise ValueError("directions must be finite")
    return directions
