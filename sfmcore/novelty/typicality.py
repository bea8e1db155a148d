"""Conformal p-values: how many training items, held out, look as strange as an item does."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sfmcore.data.arrays import Float64Array, Int64Array, below
from sfmcore.data.storable import storable
from sfmcore.data.with_vectors import similarities_of
from sfmcore.learning.evidence import ReferenceClasses
from sfmcore.novelty.relatives import N_COLUMNS as N_OF_RELATIVES
from sfmcore.novelty.relatives import N_WITH_VOTES, relatives_evidence
from sfmcore.novelty.rows import MOST_CODES, plain_rows
from sfmcore.novelty.surroundings import N_COLUMNS as N_OF_ROWS
from sfmcore.novelty.surroundings import Surroundings
from sfmcore.novelty.votes import votes_evidence

MOST_SCORES = 4096
"""Scores of held-out items that are kept, at most."""
_LARGEST = 1e12


@storable
@dataclass(frozen=True)
class Typicality:
    """Typicality of an item among those that a classifier was learnt from.

    Attributes
    ----------
    weights : ndarray of shape (n_columns,)
        Of the columns of evidence, at least 0: those of relatives or votes, then those of the rows.
    scores : ndarray of shape (n_scores,)
        Those of training items by evidence that does not know the item itself, sorted.
    surroundings : Surroundings or None
        None where items are neither codes nor rows of numbers.
    n_codes : int
        See :func:`sfmcore.novelty.rows.count_codes`.
    members : ReferenceClasses or None
        None where there are no similarities.
    votes : bool
        Whether the votes are part of the evidence: with relatives, or by themselves.
    n_classes : int
    """

    weights: Float64Array
    scores: Float64Array
    surroundings: Surroundings | None
    n_codes: int
    members: ReferenceClasses | None
    votes: bool
    n_classes: int

    def p_values(
        self,
        made: Any,
        votes: Float64Array | None = None,
        scores: Float64Array | None = None,
        *,
        n_threads: int = 1,
    ) -> Float64Array:
        """P-value of every item under the hypothesis that it is like the training items.

        p = (1 + number of kept scores that are no larger) / (1 + number of kept scores). Of items
        drawn like the training items, a share of at most p has a p-value of p or less, about: see
        docs/theory.md for what makes it differ.

        Parameters
        ----------
        made : batch of items
            As the preparation of the first pair makes them.
        votes : ndarray of shape (n_items, n_classes), optional
            Scores of every class against the rest, before relatives are weighed; needed if
            `votes` is set.
        scores : ndarray of shape (n_items, n_classes), optional
            Log-odds of every class by votes and relatives; needed then, too.
        n_threads : int, default=1
            The result does not depend on it.

        Returns
        -------
        ndarray of shape (n_items,)
            Above 0, at most 1.

        Raises
        ------
        ValueError
            If the votes are missing, or the items are of another kind than the training items.
        """
        return conformal_p_values(
            self.scores, self.weigh(self.evidence(made, votes, scores, n_threads=n_threads))
        )

    def measured_on(self, made: Any, votes: Float64Array, scores: Float64Array) -> "Typicality":
        """The same with p-values from other items, which nothing was learnt from.

        Parameters
        ----------
        made, votes, scores
            Of those items; see :meth:`p_values`.
        """
        found = np.sort(self.weigh(self.evidence(made, votes, scores)))
        if len(found) > MOST_SCORES:
            found = found[np.linspace(0, len(found) - 1, MOST_SCORES).astype(np.int64)]
        return replace(self, scores=found)

    def weigh(self, columns: Float64Array) -> Float64Array:
        """Weighted sums of columns of evidence; larger for what is more typical."""
        # Not a product of BLAS: an item's sum is of its own numbers, whatever is beside it.
        return np.asarray(np.sum(columns * self.weights, axis=1))

    def evidence(
        self,
        made: Any,
        votes: Float64Array | None = None,
        scores: Float64Array | None = None,
        *,
        n_threads: int = 1,
    ) -> Float64Array:
        """Columns of evidence of items; see :meth:`p_values`."""
        if self.votes and (votes is None or (scores is None and self.members is not None)):
            raise ValueError("typicality needs the votes, and got none")
        parts = []
        if self.votes and self.members is None:
            assert votes is not None
            parts.append(votes_evidence(votes if votes.ndim == 2 else votes[:, None]))
        if self.members is not None:
            similar = similarities_of(made)
            if similar is None:
                raise ValueError("typicality needs similarities beside the items")
            if not self.votes:
                votes = scores = None
            parts.append(relatives_evidence(similar, self.members, votes, scores))
        if self.surroundings is not None:
            rows = plain_rows(made, self.n_codes)
            if rows is None or rows.shape[1] != len(self.surroundings.centre):
                raise ValueError("the items have other columns than the training items had")
            parts.append(self.surroundings.evidence(rows, n_threads))
        return np.hstack(parts)

    def get_arrays(self) -> dict[str, np.ndarray]:
        """All of it, for the model file."""
        arrays: dict[str, np.ndarray] = {
            "weights": self.weights,
            "scores": self.scores,
            "kind": np.array([self.n_codes, int(self.votes)], dtype=np.int64),
        }
        if self.members is not None:
            arrays |= {"references": self.members.references, "classes": self.members.classes}
        if self.surroundings is not None:
            own = self.surroundings.get_arrays()
            arrays |= {f"surroundings/{name}": array for name, array in own.items()}
        return arrays

    @classmethod
    def of_arrays(
        cls, arrays: Mapping[str, np.ndarray], n_classes: int, n_references: int
    ) -> "Typicality":
        """Take back what :meth:`get_arrays` gave.

        Parameters
        ----------
        arrays : mapping of str to ndarray
        n_classes : int
        n_references : int
            Of the preparation; 0 where there are no similarities.

        Raises
        ------
        KeyError, ValueError
            If an array is missing, or does not fit.
        """
        kind, weights, scores = (arrays[name] for name in ("kind", "weights", "scores"))
        if kind.shape != (2,) or kind.dtype != np.int64 or kind[1] not in (0, 1):
            raise ValueError("kind of typicality must be a number of codes, and 0 or 1")
        if not 1 <= kind[0] <= MOST_CODES:
            raise ValueError(f"typicality must count from 1 to {MOST_CODES} codes")
        votes = bool(kind[1])
        members = surroundings = None
        n_columns = 0
        if "references" in arrays:
            members = _members_of(arrays["references"], arrays["classes"], n_classes, n_references)
            n_columns = N_WITH_VOTES if votes else N_OF_RELATIVES
        elif votes:
            n_columns = 1 if n_classes == 2 else 2
        own = below(arrays, "surroundings/")
        if own:
            surroundings = Surroundings.of_arrays(own, n_classes)
            n_columns += N_OF_ROWS
        if votes and members is not None and n_classes < 3:
            raise ValueError(
                "votes and relatives of more than two classes only tell what is typical"
            )
        if n_columns == 0 or weights.shape != (n_columns,) or weights.dtype != np.float64:
            raise ValueError(f"weights of typicality must be {n_columns} numbers, at least one")
        if not np.all((weights >= 0) & (weights <= _LARGEST)):
            raise ValueError(f"weights of typicality must be from 0 to {_LARGEST:g}")
        if scores.ndim != 1 or scores.dtype != np.float64 or len(scores) == 0:
            raise ValueError("scores of typicality must be numbers, at least one")
        if len(scores) > MOST_SCORES:
            raise ValueError(f"scores of typicality must be at most {MOST_SCORES}")
        if not np.all(np.isfinite(scores)) or np.any(np.diff(scores) < 0):
            raise ValueError("scores of typicality must be finite and sorted")
        return cls(weights, scores, surroundings, int(kind[0]), members, votes, n_classes)


def conformal_p_values(calibration: Float64Array, scores: Float64Array) -> Float64Array:
    """(1 + number of calibration scores that are no larger) / (1 + number of them).

    Parameters
    ----------
    calibration : ndarray of shape (n_calibration,)
        Sorted.
    scores : ndarray of shape (n_items,)

    References
    ----------
    V. Vovk, A. Gammerman, G. Shafer, "Algorithmic Learning in a Random World", Springer 2005.

    Examples
    --------
    >>> conformal_p_values(np.array([1.0, 2.0, 3.0]), np.array([0.5, 2.0, 9.0])).tolist()
    [0.25, 0.75, 1.0]
    """
    counts = np.searchsorted(calibration, scores, side="right")
    return np.asarray((1.0 + counts) / (1.0 + len(calibration)), dtype=np.float64)


def _members_of(
    references: Int64Array, classes: Int64Array, n_classes: int, n_references: int
) -> ReferenceClasses:
    limits = {"references": (references, n_references), "classes": (classes, n_classes)}
    for name, (own, most) in limits.items():
        if own.ndim != 1 or own.dtype != np.int64 or len(own) != len(references):
            raise ValueError(f"{name} of typicality must be int64, one for each membership")
        if np.any((own < 0) | (own >= most)):
            raise ValueError(f"{name} of typicality must be from 0 to {most - 1}")
    return ReferenceClasses(references, classes, n_classes)
