"""Extra vectors and similarities of sequences from a fitted preparation."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfmbio.alignments.references import References
from sfmbio.properties.learnt import Properties
from sfmbio.words.ends import N_END_COLUMNS, N_LENGTH_COLUMNS, end_vectors, length_vectors
from sfmbio.words.principal_words import PrincipalWords
from sfmcore.data.arrays import Float32Array, Int64Array
from sfmcore.data.ragged import Ragged
from sfmcore.data.with_vectors import WithVectors, vectors_of
from sfmcore.preparation.base import FittedPreparation


@dataclass(frozen=True)
class BesideStates(FittedPreparation):
    """Extra data of the sequences, as far as there are any.

    They are words, ends, length, properties and relatives.

    Attributes
    ----------
    words : PrincipalWords or None
    references : References or None
    end_weight, length_weight : float
        Squared lengths of the vectors of the ends and of the length; 0 for none.
    properties : Properties or None
    """

    words: PrincipalWords | None
    references: References | None
    end_weight: float = 0.0
    length_weight: float = 0.0
    properties: Properties | None = None

    def apply(self, items: Ragged) -> Any:
        """Sequences with all of it beside them.

        Parameters
        ----------
        items : Ragged
        """
        vectors = self.vectors(items)
        similar = None if self.references is None else self.references.similarities(items)
        if vectors.shape[1] == 0 and similar is None:
            return items
        return WithVectors(items, vectors, similar)

    def apply_to_training(self, items: Ragged) -> Any:
        """The same, where the alignments are tasks.

        Parameters
        ----------
        items : Ragged
        """
        if self.references is None:
            return self.apply(items)
        similar = self.references.similarities_by_tasks(items)
        return WithVectors(items, self.vectors(items), similar)

    def vectors(self, items: Ragged) -> Float32Array:
        """Words, ends, length and properties side by side, of shape (n_items, n_vectors).

        Parameters
        ----------
        items : Ragged
        """
        parts = [vectors_of(items if self.words is None else self.words.apply(items))]
        if self.end_weight > 0:
            parts.append(end_vectors(items, self.end_weight))
        if self.length_weight > 0:
            parts.append(length_vectors(items, self.length_weight))
        if self.properties is not None:
            parts.append(self.properties.vectors(items))
        return parts[0] if len(parts) == 1 else np.hstack(parts)

    @property
    def n_vectors(self) -> int:
        """Number of directions of the words, and of columns of ends, length and properties."""
        columns = 0 if self.words is None else self.words.n_vectors
        columns += N_END_COLUMNS if self.end_weight > 0 else 0
        columns += N_LENGTH_COLUMNS if self.length_weight > 0 else 0
        return columns + (0 if self.properties is None else self.properties.n_vectors)

    @property
    def n_references(self) -> int:
        """Number of references."""
        return 0 if self.references is None else len(self.references.items)

    @property
    def relative_weight(self) -> float:
        """Weight of the similarities in the kernel."""
        return 1.0 if self.references is None else self.references.weight

    def summary(self) -> list[str]:
        """References and their profiles, and what else counts how much."""
        lines = [] if self.references is None else [self.references.summary()]
        weights = {
            "words": 0.0 if self.words is None else self.words.weight**2,
            "ends": self.end_weight,
            "length": self.length_weight,
            "properties": 0.0 if self.properties is None else self.properties.weight,
        }
        named = [f"{name} {weight:.3g}" for name, weight in weights.items() if weight > 0]
        if named:
            lines.append(f"squared lengths, against 1 of the states: {', '.join(named)}")
        return lines

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
        """Directions, references, scales of properties and weights."""
        arrays = {} if self.words is None else self.words.get_arrays()
        if self.properties is not None:
            arrays |= self.properties.get_arrays()
        if self.references is not None:
            arrays |= self.references.get_arrays()
        weights = [self.end_weight, self.length_weight, self.relative_weight]
        return {**arrays, "weights_beside": np.array(weights)}
