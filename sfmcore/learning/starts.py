"""Starting points of the search for u."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from sfmcore.bounds.objective import Objective
from sfmcore.data.arrays import Float64Array
from sfmcore.features.column_kernel import ColumnMap
from sfmcore.features.feature_map import FeatureMap
from sfmcore.learning.search import finalists, mean_direction, random_starts, surrogate_minimum

Starts = Callable[[Objective, FeatureMap | ColumnMap], Sequence[Float64Array]]
"""Gives the starts of the search for the u of an objective over the rows of a map."""


def several_starts(n_restarts: int, random: np.random.Generator) -> Starts:
    """Informed starts and random ones; of many, only the most promising.

    They are the minimum of the convex surrogate, the weights of the MAP classifier, the mean of the
    signed rows, and points drawn from [-20, 20]^d.

    Parameters
    ----------
    n_restarts : int
        Random starts.
    random : numpy.random.Generator
        Its state moves on from one search to the next.
    """

    def starts(objective: Objective, mapping: FeatureMap | ColumnMap) -> Sequence[Float64Array]:
        return finalists(objective, _informed(objective, mapping, n_restarts, random))

    return starts


def surrogate_start() -> Starts:
    """One start, the minimum of the convex surrogate, found from that of the search before.

    For searches at several values of C. The u of another C is no start: where one class is rare,
    it may say the other for every item, and J is flat there.
    """
    last: Float64Array | None = None

    def starts(objective: Objective, mapping: FeatureMap | ColumnMap) -> Sequence[Float64Array]:
        nonlocal last
        last = surrogate_minimum(objective, last)
        return [last]

    return starts


def map_direction(objective: Objective, mapping: FeatureMap) -> Float64Array:
    """Weights of the MAP classifier, at unit length."""
    # Of the objective's items: u_0 must not depend on labels outside S'.
    positive, negative = (objective.weights[objective.signs == s].sum() for s in (1, -1))
    weights = mapping.map_classifier(float(np.log(positive / negative)))
    return weights / max(float(np.linalg.norm(weights)), 1e-300)


def _informed(
    objective: Objective,
    mapping: FeatureMap | ColumnMap,
    n_restarts: int,
    random: np.random.Generator,
) -> Iterator[Float64Array]:
    surrogate = surrogate_minimum(objective)
    yield surrogate
    # Items that were kept apart may all be of one side: then there is no MAP classifier. Nor is
    # there one in the features of a kernel, or of more models than a pair.
    sides = np.any(objective.signs > 0) and np.any(objective.signs < 0)
    plain = isinstance(mapping, FeatureMap) and mapping.kernel is None and len(mapping.models) == 2
    if sides and plain:
        # Only its direction is known; the surrogate lends it its length.
        assert isinstance(mapping, FeatureMap)
        yield map_direction(objective, mapping) * np.linalg.norm(surrogate)
    yield mean_direction(objective)
    yield from random_starts(n_restarts, mapping.n_features, random)
