"""A learnt feature map with its Gibbs classifier, and how it votes."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sfmcore.data.arrays import Float64Array
from sfmcore.data.storable import storable
from sfmcore.data.streams import PREDICTION
from sfmcore.features.column_kernel import ColumnMap
from sfmcore.features.feature_map import Draws, FeatureMap
from sfmcore.kernels import _random
from sfmcore.preparation.base import UNCHANGED, FittedPreparation

# Items at a time, and numbers in their rows: draws take memory too.
_PREDICTION_CHUNK = 1024
_MOST_NUMBERS = 1 << 25


@storable
@dataclass
class Pair:
    """A feature map with N(u, I), and how it was learnt.

    The map is of two models, or of those that all classes share (the pairs of all classes then hold
    the same map), or of the columns alone.
    """

    mapping: FeatureMap | ColumnMap
    u: Float64Array
    prior_mean: Float64Array
    C: float
    n_draws: Draws
    vote: str
    seed: int
    objective: list[float] = field(default_factory=list)
    """J(u) after each iteration of Algorithm 1, and after the last fit of u."""
    bound: list[float] = field(default_factory=list)
    """B(Q, C) at the same places: what is minimised, not a certificate."""
    acceptance: list[float] = field(default_factory=list)
    """Share of proposals accepted in each iteration; empty without coupling."""
    converged: bool = True
    """Whether Algorithm 1 reached its tolerance."""
    models_converged: int = 2
    """How many of the map's models' EM reached their tolerance; 2 where there is no model."""
    n_iter: int = 1
    """Iterations of Algorithm 1; 1 with exact features, where there is nothing to iterate."""

    preparation: FittedPreparation = UNCHANGED
    """Treatment of items that :meth:`votes` expects."""

    dual: Float64Array | None = None
    """With a kernel from a model file, u as weights of the landmarks."""

    @property
    def weights(self) -> Float64Array:
        """Coefficients of the scores: u, or with a kernel its weights of the landmarks."""
        kernel = self.mapping.kernel
        if kernel is None:
            return self.u
        if kernel.weights is not None:
            return kernel.dual(self.u)
        assert self.dual is not None
        return self.dual

    def votes(self, data: Any, n_threads: int) -> tuple[Float64Array, Float64Array]:
        """Margins and scores of every drawn row of every item; see :func:`votes_of`."""
        return votes_of([self], data, n_threads)[0]


def votes_of(
    pairs: Sequence[Pair], data: Any, n_threads: int
) -> list[tuple[Float64Array, Float64Array]]:
    """Votes of every drawn row of every item, by pairs that share a map.

    Parameters
    ----------
    pairs : sequence of Pair
        Of one map, and learnt alike.
    data : batch of items
    n_threads : int
        The result does not depend on it.

    Returns
    -------
    list of (margins, scores), one for each pair

        margins : ndarray of shape (n_items, n_rows)
            u . phi with features of unit length; its sign is the row's vote.
        scores : ndarray of shape (n_items, n_rows)
            The same with raw features if `vote` is "raw".
    """
    first = pairs[0]
    mapping, n_draws = first.mapping, first.n_draws
    n_rows = 1 if n_draws == "exact" else n_draws
    margins = [np.empty((len(data), n_rows)) for _ in pairs]
    lengths = np.ones((len(data), n_rows))
    weights = [pair.weights for pair in pairs]
    mapping.set_threads(n_threads)
    size = _MOST_NUMBERS // (n_rows * mapping.n_features)
    size = max(1, min(_PREDICTION_CHUNK, size))
    for start in range(0, len(data), size):
        part = slice(start, start + size)
        items = data[part]
        keys = None
        if n_draws != "exact":
            # By content: an item's result does not depend on its place or its neighbours.
            keys = _random.stream_keys(first.seed, PREDICTION, mapping.content_keys(items))
        scores, constants = mapping.scores(items, n_draws, keys, weights)
        for own, values in zip(margins, scores, strict=True):
            own[part] = values.reshape(-1, n_rows)
        if first.vote == "raw":
            lengths[part] = 1.0 / constants.reshape(-1, n_rows)  # the constant, normalised
    return [(own, own * lengths) for own in margins]


def mean_divergence(pairs: Sequence[Pair]) -> float:
    """KL(Q || P) of a classifier that draws one of the pairs, then w: the mean over the pairs."""
    parts = [0.5 * float(np.sum((pair.u - pair.prior_mean) ** 2)) for pair in pairs]
    return float(np.mean(parts))


@storable
@dataclass(frozen=True)
class Limits:
    """Parts of the learning that stopped at their largest number of iterations.

    Attributes
    ----------
    models, n_models : int
        Models whose EM did, of so many.
    pairs, n_pairs : int
        Pairs whose Algorithm 1 did, of so many.
    """

    models: int
    n_models: int
    pairs: int
    n_pairs: int


def limits_of(pairs: Sequence[Pair]) -> Limits:
    """Count what stopped at its largest number of iterations."""
    # Models that several pairs share count once.
    once = {id(pair.mapping): pair for pair in pairs if pair.mapping.models}.values()
    n_models = sum(len(pair.mapping.models) for pair in once)
    return Limits(
        models=n_models - sum(pair.models_converged for pair in once),
        n_models=n_models,
        pairs=sum(not pair.converged for pair in pairs),
        n_pairs=len(pairs),
    )


def warn_of_limits(pairs: Sequence[Pair]) -> None:
    """Warn once if EM or Algorithm 1 of any pair stopped at its largest number of iterations."""
    warn_of([limits_of(pairs)], stacklevel=4)


def warn_of(limits: Sequence[Limits], stacklevel: int = 3) -> None:
    """Warn once of the limits that several fits met."""
    models = sum(one.models for one in limits)
    loops = sum(one.pairs for one in limits)
    parts = []
    if models:
        parts.append(f"EM of {models} of {sum(one.n_models for one in limits)} models")
    if loops:
        parts.append(f"Algorithm 1 of {loops} of {sum(one.n_pairs for one in limits)} pairs")
    if parts:
        text = " and ".join(parts) + " stopped at the largest number of iterations"
        warnings.warn(text, ConvergenceWarning, stacklevel=stacklevel)
