"""Reasons for the label of one record after another, as plain values for a table and a page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfmbio.catalogue import Nearest
from sfmbio.explaining.residues import KINDS, ResidueEvidence
from sfmcore.data.arrays import Float64Array
from sfmcore.data.names import shown_controls
from sfmcore.data.ragged import Ragged
from sfmcore.data.storable import storable

N_NEAREST = 3
"""Training records that a sequence is compared with."""


@storable
@dataclass(frozen=True)
class Neighbour:
    """A training record that a sequence is near to.

    Attributes
    ----------
    name : str
    label : str
        Empty for a record without label.
    identity, e_value : float
    """

    name: str
    label: str
    identity: float
    e_value: float


@storable
@dataclass(frozen=True)
class Reasons:
    """Why a record has its label.

    Attributes
    ----------
    name : str
    codes : ndarray of shape (length,), uint8
    label, runner_up : str
    score, baseline, remainder : float
    evidence : ndarray of shape (length,)
    kinds : dict of str to ndarray of shape (length,)
    terms : dict of str to float
    states, words : list of (str, float)
        Those that say most.
    nearest : list of Neighbour
        At most :data:`N_NEAREST`.
    """

    name: str
    codes: np.ndarray
    label: str
    runner_up: str
    score: float
    baseline: float
    remainder: float
    evidence: Float64Array
    kinds: dict[str, Float64Array]
    terms: dict[str, float]
    states: list[tuple[str, float]]
    words: list[tuple[str, float]]
    nearest: list[Neighbour]

    @property
    def sums(self) -> dict[str, float]:
        """Sum of the residues' evidence of every kind."""
        return {kind: float(own.sum()) for kind, own in self.kinds.items()}


def reasons_of(
    names: Sequence[str], items: Ragged, found: ResidueEvidence, nearest: Sequence[Nearest]
) -> Iterator[Reasons]:
    """Reasons of every record of a batch.

    Parameters
    ----------
    names : sequence of str
    items : Ragged
    found : ResidueEvidence
        With what it rests on.
    nearest : sequence of Nearest
        The nearest training records, the second nearest, and so on.
    """
    made = found.explanation
    for place, name in enumerate(names):
        own = slice(made.offsets[place], made.offsets[place + 1])
        near = [
            Neighbour(
                one.ids[place],
                "" if one.labels[place] is None else str(one.labels[place]),
                float(one.identity[place]),
                float(one.e_value[place]),
            )
            for one in nearest
            if one.ids[place] is not None
        ]
        yield Reasons(
            name=name,
            codes=items[place],
            label=_text(made.label[place]),
            runner_up=_text(made.runner_up[place]),
            score=float(made.score[place]),
            baseline=float(made.baseline[place]),
            remainder=float(made.remainder[place]),
            evidence=made.evidence[own],
            kinds={kind: made.kinds[kind][own] for kind in KINDS},
            terms={term: float(values[place]) for term, values in made.terms.items()},
            states=found.resting[place].states,
            words=found.resting[place].words,
            nearest=near,
        )


def _text(label: Any) -> str:
    return shown_controls(str(label))
