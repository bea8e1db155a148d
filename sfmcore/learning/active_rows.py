"""The minimum of J(u) of one class among many, from the rows that have a say in it."""

import numpy as np

from sfmcore.bounds.objective import Objective
from sfmcore.data.arrays import BoolArray, Float64Array
from sfmcore.kernels import _objective
from sfmcore.learning.search import (
    first_steps,
    minimise,
    rough_surrogate_minimum,
    scaled_to_minimum,
)

# Rows of other classes that a search begins with, beside as many for each row of the class.
_LEAST = 500
_FOR_EACH = 20
# Steps after which it is seen which rows have a say: of about seventy that a search takes.
_FIRST_STEPS = 15
# A row of another class is far where its loss is below 3e-5: its part in the gradient is below
# 2e-4 of that of a row on the boundary. While u still moves, those a little further stay as well.
_FAR = 4.0
_FAR_AT_FIRST = 5.0
_MOST_ROUNDS = 4
# A class of a smaller share of the rows has a second start.
_RARE = 0.1


def minimise_from(objective: Objective, direction: Float64Array) -> Float64Array:
    """Minimum of J(u) that L-BFGS reaches from a direction.

    Of many rows most are of other classes, far on their own side, and have no say: Phi is flat
    there. Which these are the direction does not tell, but a few steps do. The search then leaves
    them out, looks at all rows where it ends, and goes on with those that were left out and are
    not far; so its time follows the rows of a class and hardly all rows.

    Parameters
    ----------
    objective : Objective
        Of which u_0 is zero. Rows are left out only if they are dense and all have a label.
    direction : ndarray of shape (n_features,)
        Its length does not matter.

    Returns
    -------
    ndarray of shape (n_features,)
    """
    n_rows = len(objective.signs)
    positive = objective.signs > 0
    n_positive = int(positive.sum())
    most = _LEAST + _FOR_EACH * n_positive
    every = not isinstance(objective.features, np.ndarray) or not objective.signs.all()
    if every or n_rows - n_positive <= 2 * most:
        start = scaled_to_minimum(objective, direction)
        if not every and n_positive < _RARE * n_rows:
            start = _further_down(objective, start)
        return minimise(objective, [start])
    scores = _scores(objective, direction)
    scores[positive] = np.inf
    active = np.zeros(n_rows, dtype=bool)
    # The nearest, and of equal ones the first.
    active[np.argsort(-scores, kind="stable")[: most + n_positive]] = True
    part = _restricted(objective, active)
    u = _further_down(part, scaled_to_minimum(part, direction))
    active = positive | (_scores(objective, u) > -_FAR_AT_FIRST)
    for number in range(_MOST_ROUNDS):
        part = _restricted(objective, active)
        # Rows that come in may leave the u before in a valley that is no longer the deepest.
        starts = [scaled_to_minimum(part, direction)] if number > 0 else []
        u = minimise(part, [*starts, u])
        near = ~active & (_scores(objective, u) > -_FAR)
        if not near.any():
            break
        active |= near
    return u


def _further_down(objective: Objective, start: Float64Array) -> Float64Array:
    """Where a few steps lead from the start or from the surrogate's minimum, whichever is lower.

    Of a rare class among hundreds the direction often leads to where the class is never said, and
    J(u) is flat: of forty of 1,000 classes of 20 items, 31 % of the items were recognised.
    """
    starts = [start, rough_surrogate_minimum(objective)]
    points = [first_steps(objective, one, _FIRST_STEPS) for one in starts]
    return min(points, key=lambda u: objective(u)[0])


def _scores(objective: Objective, u: Float64Array) -> Float64Array:
    scores: Float64Array = _objective.scores(objective.features, u, objective.n_threads)
    return scores


def _restricted(objective: Objective, rows: BoolArray) -> Objective:
    """M J(u) on some of the rows, up to a constant.

    Weights of an objective are shares of its rows, and it divides |u - u_0|^2 by its own m: C times
    the share of the weights, and m as it was, leave the sum as it was.
    """
    weights = objective.weights[rows]
    share = float(weights.sum())
    return Objective(
        objective.features[rows],
        objective.signs[rows],
        objective.C * share,
        objective.n_items,
        prior_mean=objective.prior_mean,
        sample_weight=weights,
        n_threads=objective.n_threads,
    )
