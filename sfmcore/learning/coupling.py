"""Drawing hidden variables from Q_i (Eq. post_fact), where the classifier feeds back.

Q_i(h) is proportional to P(h | x_i) exp(-kappa_i loss_i(h)). With few values of h it is
enumerated; otherwise proposals from P(h | x_i) are accepted or resampled.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfmcore.bounds.objective import upper_tail
from sfmcore.data.arrays import Float32Array, Float64Array, UInt64Array
from sfmcore.data.streams import PROPOSAL_CHOICE
from sfmcore.features.feature_map import FeatureMap
from sfmcore.kernels import _objective, _random
from sfmcore.learning.rejection_sampling import choose_proposals
from sfmcore.models.base import GenerativeModel

_MOST_CONFIGURATIONS = 1024


@dataclass(frozen=True)
class CoupledSampler:
    """Draws from Q_i for the items of a batch.

    Parameters
    ----------
    mapping : FeatureMap
        Models that P(h | x) is taken from.
    u : ndarray of shape (n_features,)
        Mean of the classifier that feeds back.
    n_draws : int
    max_proposals : int
        Of each item, for :meth:`by_rejection`.
    seed : int
    n_threads : int
    """

    mapping: FeatureMap
    u: Float64Array
    n_draws: int
    max_proposals: int
    seed: int
    n_threads: int

    def by_rejection(
        self,
        items: Any,
        signs: npt.NDArray[np.int8],
        exponents: Float64Array,
        keys: UInt64Array,
    ) -> tuple[Float32Array, int, int]:
        """Raw rows by Gibbs-rejection, with the numbers of accepted and of made proposals.

        Parameters
        ----------
        items : batch of items
        signs : ndarray of shape (n_items,), int8
            0 for an unlabelled item, whose loss is the disagreement.
        exponents : ndarray of shape (n_items,)
            kappa_i.
        keys : ndarray of shape (n_items,), uint64
            Random stream of each item.
        """
        n_items, n_proposals = len(items), self.max_proposals
        raw = self.mapping.raw(items, n_proposals, keys)
        rows = self.mapping.condition(items, raw)
        scores = _objective.scores(rows, self.u, self.n_threads).reshape(n_items, n_proposals)
        log_weights = -exponents[:, None] * expected_loss(scores, signs[:, None])
        own = _random.stream_keys(self.seed, PROPOSAL_CHOICE, keys)
        chosen, accepted = choose_proposals(
            log_weights, _random.uniforms(own, n_proposals + self.n_draws), self.n_draws
        )
        picked = (np.arange(n_items)[:, None] * n_proposals + chosen).ravel()
        return raw[picked], int(accepted.sum()), n_items * n_proposals

    def by_enumeration(
        self,
        items: Any,
        signs: npt.NDArray[np.int8],
        exponents: Float64Array,
        keys: UInt64Array,
    ) -> Float32Array:
        """Raw rows drawn from Q_i itself: all joint values of h are weighed.

        Parameters
        ----------
        items, signs, exponents, keys
            As in :meth:`by_rejection`.
        """
        n_items = len(items)
        halves, shares = self.mapping.enumerated(items)
        first, second = (self._parts(items, half, k) for k, half in enumerate(halves))
        # The row of (h+, h-, 1) has the sum of both halves' products and squares.
        products = first[0][:, :, None] + second[0][:, None, :] + self.u[-1]
        squares = first[1][:, :, None] + second[1][:, None, :] + 1.0
        loss = expected_loss(products / np.sqrt(squares), signs[:, None, None])
        with np.errstate(divide="ignore"):
            log_shares = np.log(shares[0])[:, :, None] + np.log(shares[1])[:, None, :]
        log_weights = (log_shares - exponents[:, None, None] * loss).reshape(n_items, -1)
        weights = np.exp(log_weights - log_weights.max(1, keepdims=True))
        cumulated = np.cumsum(weights, axis=1)
        own = _random.stream_keys(self.seed, PROPOSAL_CHOICE, keys)
        targets = _random.uniforms(own, self.n_draws) * cumulated[:, -1:]
        chosen = (cumulated[:, None, :-1] <= targets[:, :, None]).sum(2)
        sizes = [share.shape[1] for share in shares]
        parts = np.unravel_index(chosen, sizes)
        start = np.arange(n_items)[:, None]
        picked = [
            half[(start * size + part).ravel()]
            for half, size, part in zip(halves, sizes, parts, strict=True)
        ]
        return np.hstack(picked)

    def _parts(
        self, items: Any, half: Float32Array, number: int
    ) -> tuple[Float64Array, Float64Array]:
        """Products u . z and z . z for every value of h of one model; z is not normalised."""
        z, columns = self.mapping.standardised(items, half, number)
        n_items = len(items)
        # np.sum adds in an order of its own, whatever the threads of BLAS.
        products = np.sum(z * self.u[columns], axis=1).reshape(n_items, -1)
        return products, np.sum(z * z, axis=1).reshape(n_items, -1)


def can_enumerate(first: GenerativeModel, second: GenerativeModel) -> bool:
    """Whether the joint values of h of both models are few enough to weigh them all."""
    sizes = first.n_configurations, second.n_configurations
    return None not in sizes and math.prod(n or 0 for n in sizes) <= _MOST_CONFIGURATIONS


def expected_loss(scores: Float64Array, signs: npt.NDArray[np.int8]) -> Float64Array:
    """E_w of the loss of a labelled row, of the disagreement of an unlabelled one."""
    labelled = upper_tail(signs * scores)
    disagreement = 2.0 * upper_tail(scores) * upper_tail(-scores)
    return np.where(signs != 0, labelled, disagreement)
