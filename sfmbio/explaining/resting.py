"""Basis of a sequence's evidence: the most important states and words."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from sfmbio.explaining.states import check_model
from sfmbio.sequences.alphabet import SYMBOLS
from sfmbio.words.patterns import word_names, word_vectors
from sfmbio.words.principal_words import PrincipalWords
from sfmcore.data.arrays import Float32Array, Float64Array
from sfmcore.data.ragged import Ragged
from sfmcore.explaining.rows import ColumnEvidence
from sfmcore.models.hmm import CategoricalHMM

N_SHOWN = 5
"""States, and words, of each sequence."""
# Residues that name a state: those it gives most often beyond the mean of its model's states.
_N_NAMED = 4

Sums = tuple[str, list[str], Float64Array]


@dataclass(frozen=True)
class Resting:
    """States and words of one sequence with the largest evidence, for or against, largest first.

    Attributes
    ----------
    states, words : list of (str, float)
    """

    states: list[tuple[str, float]]
    words: list[tuple[str, float]]

    @classmethod
    def of(cls, sums: Sequence[Sums], n_items: int) -> list["Resting"]:
        """Take the largest of each sequence.

        Parameters
        ----------
        sums : sequence of (kind, names, values)
            Of :func:`state_sums` and :func:`word_sums`.
        n_items : int
        """
        found = {}
        for kind in ("states", "words"):
            own = [one for one in sums if one[0] == kind]
            if kind == "words" and own:
                # The same words, whatever the map.
                own = [(kind, own[0][1], np.sum([values for _, _, values in own], axis=0))]
            names = [name for _, some, _ in own for name in some]
            values = np.hstack([values for _, _, values in own]) if own else np.zeros((n_items, 0))
            order = np.argsort(-np.abs(values), axis=1, kind="stable")[:, :N_SHOWN]
            found[kind] = [
                [(names[k], float(row[k])) for k in some if row[k] != 0]
                for some, row in zip(order, values, strict=True)
            ]
        return [cls(*pair) for pair in zip(found["states"], found["words"], strict=True)]


def state_sums(columns: ColumnEvidence, items: Ragged) -> Sums:
    """Evidence of every state of a map's models: its starts, its residues and the steps from it.

    Parameters
    ----------
    columns : ColumnEvidence
    items : Ragged
    """
    names, parts = [], []
    for number, one in enumerate(columns.mapping.models):
        model = check_model(one)
        S, own = model.n_states, columns.mapping.columns_of(number)
        each = columns.counts[:, own] * columns.expected[:, own] - columns.counts_base[:, own]
        ends = np.cumsum([S, S * S, S * model.n_symbols])
        blocks = np.split(each, ends, axis=1)
        parts.append(sum(block.reshape(len(items), S, -1).sum(axis=2) for block in blocks))
        names += [f"model {number} ({S} states) {name}" for name in state_names(model)]
    return "states", names, np.hstack(parts)


def word_sums(words: PrincipalWords, items: Ragged, worth: Float32Array) -> Sums:
    """Evidence of every spaced word.

    Parameters
    ----------
    words : PrincipalWords
    items : Ragged
    worth : ndarray of shape (n_items, N_WORDS), float32
    """
    vectors = word_vectors(items)
    values = words.weight * vectors.multiply(worth).toarray().astype(np.float64)
    return "words", _all_words(), values


def state_names(model: CategoricalHMM) -> list[str]:
    """Names of the states by the residues that each gives more often than others do.

    Examples
    --------
    >>> model = CategoricalHMM(2, 22).update(np.ones(2 * (1 + 2 + 22)))
    >>> model.emission_ = np.eye(2, 22) * 0.5 + 0.5 / 22
    >>> [name[:10] for name in state_names(model)]
    ['state 0 [A', 'state 1 [C']
    """
    usual = model.emission_.mean(axis=0)
    surplus = model.emission_ - usual
    order = np.argsort(-surplus, axis=1, kind="stable")[:, :_N_NAMED]
    return [
        f"state {number} [" + "".join(SYMBOLS[code] for code in row) + "]"
        for number, row in enumerate(order)
    ]


@cache
def _all_words() -> list[str]:
    return word_names()
