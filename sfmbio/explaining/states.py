"""Evidence of hidden states for every residue, by forward-backward."""

import numpy as np

from sfmcore.data.arrays import Float64Array
from sfmcore.data.ragged import Ragged
from sfmcore.explaining.rows import ColumnEvidence
from sfmcore.kernels import _occupancy
from sfmcore.models.base import GenerativeModel
from sfmcore.models.hmm import CategoricalHMM


def add_states(columns: ColumnEvidence, items: Ragged, out: Float64Array, n_threads: int) -> None:
    """Add the evidence of the states of one map's models to every residue.

    A residue has what its states count for in giving it, and half of what the steps to it and from
    it do. What is taken off for states that every sequence has is spread evenly.

    Parameters
    ----------
    columns : ColumnEvidence
    items : Ragged
    out : ndarray of shape (n_residues,)
        Added to.
    n_threads : int
        The result does not depend on it.
    """
    total, taken_off = np.zeros(len(items)), np.zeros(len(items))
    placed = np.zeros(len(items.values))
    for number, own in enumerate(columns.mapping.models):
        model = check_model(own)
        counts, base = columns.features(number)
        taken_off += base
        expected = columns.expected[:, columns.mapping.columns_of(number)]
        total += np.sum(counts * expected, axis=1)
        starts, steps, symbols, logs = np.split(counts, model_sections(model), axis=1)
        n_steps = model.n_states**2
        first = model.n_states
        steps_seen = expected[:, first : first + n_steps].astype(np.float64)
        logs_seen = expected[:, -n_steps:]
        some = steps_seen > 0
        # The logarithm of the posterior's step, which is the same wherever the step is made.
        steps = steps + logs * np.where(some, logs_seen / np.where(some, steps_seen, 1.0), 0.0)
        _occupancy.by_symbol(
            items.values,
            items.offsets,
            model.start_,
            model.transition_,
            model.emission_,
            np.ascontiguousarray(starts),
            np.ascontiguousarray(steps),
            np.ascontiguousarray(symbols),
            placed,
            n_threads,
        )
    before = np.concatenate([[0.0], np.cumsum(placed)])
    # And so is what rounding the counts to single precision has changed.
    taken_off += before[items.offsets[1:]] - before[items.offsets[:-1]] - total
    out += placed - np.repeat(taken_off / np.maximum(items.lengths, 1), items.lengths)


def check_model(model: GenerativeModel) -> CategoricalHMM:
    """Return a hidden Markov model as such.

    Parameters
    ----------
    model : GenerativeModel

    Raises
    ------
    ValueError
        If it is another model.
    """
    if not isinstance(model, CategoricalHMM):
        raise ValueError(f"evidence of residues requires hidden Markov models, not {model!r}")
    return model


def model_sections(model: CategoricalHMM) -> list[int]:
    """Positions where starts, steps and emissions end among the features of a model."""
    S, V = model.n_states, model.n_symbols
    return [S, S + S * S, S + S * S + S * V]
