"""The score of a label against the runner-up, as a function of the votes, and its gradient."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.learning.vote import decide


def best_two(scores: Float64Array) -> tuple[Int64Array, Int64Array]:
    """Numbers of the classes with the largest and the second score.

    Parameters
    ----------
    scores : ndarray of shape (n_items,) or (n_items, n_classes)
        As ``decision_function`` gives them.

    Examples
    --------
    >>> [numbers.tolist() for numbers in best_two(np.array([[0.1, 3.0, 2.0]]))]
    [[1], [2]]
    """
    if scores.ndim == 1:
        label = (scores > 0).astype(np.int64)
        return label, 1 - label
    ranked = np.argsort(-scores, axis=1, kind="stable")
    return ranked[:, 0], ranked[:, 1]


@dataclass(frozen=True)
class Contest:
    """A label and its runner-up for every item, by scores that are log-odds or plain.

    Attributes
    ----------
    label, runner_up : ndarray of shape (n_items,), int64
    log_odds : bool
        Whether scores are log-odds of a class against all others, made of logits; else they are
        the classes' own values, or of two classes the one value that is above 0 for the second.
    """

    label: Int64Array
    runner_up: Int64Array
    log_odds: bool

    def score(self, values: Float64Array) -> Float64Array:
        """Score of each label minus that of its runner-up.

        Parameters
        ----------
        values : ndarray of shape (..., n_items, n_classes)
            Logits or values; of two classes the last axis has one entry.

        Returns
        -------
        ndarray of shape (..., n_items)
        """
        if values.shape[-1] == 1:
            return values[..., 0] * np.where(self.label == 1, 1.0, -1.0)
        own, other = self._picked(values)
        if not self.log_odds:
            return own - other
        return own - other + self._rest(values, self.runner_up) - self._rest(values, self.label)

    def gradient(self, values: Float64Array) -> Float64Array:
        """Derivatives of :meth:`score`, of the shape of its values."""
        out = np.zeros_like(values)
        if values.shape[-1] == 1:
            out[..., 0] = np.where(self.label == 1, 1.0, -1.0)
            return out
        items = np.arange(len(self.label))
        out[..., items, self.label] = 1.0
        out[..., items, self.runner_up] = -1.0
        if self.log_odds:
            out += self._shares(values, self.runner_up) - self._shares(values, self.label)
        return out

    def _picked(self, values: Float64Array) -> tuple[Float64Array, Float64Array]:
        items = np.arange(len(self.label))
        return values[..., items, self.label], values[..., items, self.runner_up]

    def _without(self, values: Float64Array, left_out: Int64Array) -> Float64Array:
        rest = values.copy()
        rest[..., np.arange(len(left_out)), left_out] = -np.inf
        return rest

    def _rest(self, values: Float64Array, left_out: Int64Array) -> Float64Array:
        """Logarithm of the sum of all other classes."""
        total: Float64Array = logsumexp(self._without(values, left_out), axis=-1)
        return total

    def _shares(self, values: Float64Array, left_out: Int64Array) -> Float64Array:
        """Derivatives of :meth:`_rest`."""
        rest = self._without(values, left_out)
        shares: Float64Array = np.exp(rest - logsumexp(rest, axis=-1, keepdims=True))
        return shares


def decisions(rows: Sequence[Float64Array], vote: str) -> Float64Array:
    """Score of every class from what its rows say.

    Parameters
    ----------
    rows : sequence of ndarray of shape (..., n_items, n_rows)
        Of each class against the rest.
    vote : str
        See :func:`sfmcore.learning.vote.decide`.

    Returns
    -------
    ndarray of shape (..., n_items, n_targets)
    """
    shape = rows[0].shape[:-1]
    return np.stack([decide(r.reshape(-1, r.shape[-1]), vote).reshape(shape) for r in rows], -1)


def decision_slopes(rows: Float64Array, decided: Float64Array, vote: str) -> Float64Array:
    """Derivatives of :func:`sfmcore.learning.vote.decide` in the rows of one class.

    Parameters
    ----------
    rows : ndarray of shape (..., n_rows)
    decided : ndarray of shape (...,)
        What was decided.
    vote : str

    Examples
    --------
    >>> rows = np.array([[1.0, 3.0]])
    >>> slopes = decision_slopes(rows, decide(rows, "majority"), "majority")
    >>> moved = decide(rows + [[1e-6, 0.0]], "majority") - decide(rows, "majority")
    >>> bool(abs(moved[0] / 1e-6 - slopes[0, 0]) < 1e-4)
    True
    """
    n_rows = rows.shape[-1]
    if vote != "majority" or n_rows == 1:
        return np.full(rows.shape, 1.0 / n_rows)
    # The decision is z with Phi(z) the mean of Phi(rows): densities over densities. Where the
    # share rounds to a half, both are next to nothing.
    exponent = 0.5 * (decided[..., None] ** 2 - rows**2)
    slopes: Float64Array = np.exp(np.minimum(exponent, 0.5 * decided[..., None] ** 2)) / n_rows
    return slopes
