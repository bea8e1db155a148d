"""Probabilities of the classes from the votes, learnt on items whose votes are those of strangers.

The share of the Gibbs classifiers that vote for a class says how sure the classifier is, and not
how often it is right: u has seen its items. Here log P(c | x) is, up to a constant, one increasing
function of the score of class c, the same for all classes, so that the order of the classes, and
the label, stay what they were (docs/theory.md, section 10).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import optimize
from scipy.special import log_ndtr, logsumexp

from sfmcore.data.arrays import BoolArray, Float64Array, Int64Array
from sfmcore.data.storable import storable

_LARGEST = 1e6
# A factor of a label, from the inverse of this to this.
_MOST = 16.0
# Where the search begins: shares of votes as they are.
_START = (0.0, 1.0)


@storable
@dataclass(frozen=True, eq=False)
class Calibration:
    """Evidence of a score for a class: log P = f (slope s + share log Phi(s)), up to a constant.

    Attributes
    ----------
    slope : float
        Of the score itself, at least 0.
    share : float
        Of the logarithm of the share of the votes, at least 0; 1, beside a slope of 0, takes the
        shares as they are.
    factors : ndarray of shape (n_classes,)
        f, by the label that the item gets: some labels are more often right than their scores say.
        The label stays the same. All 1 unless held-out items speak for others.
    n_items : int
        Items that all of it was learnt from.

    Examples
    --------
    >>> made = Calibration(slope=0.0, share=1.0, factors=np.ones(2), n_items=100)
    >>> made.probabilities(np.array([0.0, 40.0])).round(3).tolist()
    [[0.5, 0.5], [0.0, 1.0]]
    """

    slope: float
    share: float
    factors: Float64Array
    n_items: int

    def log_probabilities(self, scores: Float64Array) -> Float64Array:
        """Logarithm of the probability of every class.

        Parameters
        ----------
        scores : ndarray of shape (n_items,) or (n_items, n_classes)
            Of each class against the rest; of two classes those of the second.

        Returns
        -------
        ndarray of shape (n_items, n_classes)
        """
        sides = _sides(scores)
        logits = self.slope * sides + self.share * log_ndtr(sides)
        logits *= self.factors[sides.argmax(axis=1), None]
        return logits - logsumexp(logits, axis=1, keepdims=True)

    def probabilities(self, scores: Float64Array) -> Float64Array:
        """Probability of every class; see :meth:`log_probabilities`."""
        return np.exp(self.log_probabilities(scores))

    def summary(self) -> str:
        """A line that says what was learnt from how much."""
        return (
            f"probabilities are calibrated on held-out votes of {self.n_items} training items: "
            f"slope {self.slope:.3g}, share {self.share:.3g}"
            + (f", factors {_range(self.factors)}" if np.any(self.factors != 1.0) else "")
        )

    def get_arrays(self) -> dict[str, np.ndarray]:
        """Both numbers, and how many items they are from, for the model file."""
        return {
            "weights": np.array([self.slope, self.share]),
            "factors": self.factors,
            "n_items": np.array([self.n_items], dtype=np.int64),
        }

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, np.ndarray], n_classes: int) -> "Calibration":
        """Take back what :meth:`get_arrays` gave.

        Parameters
        ----------
        arrays : mapping of str to ndarray
        n_classes : int

        Raises
        ------
        KeyError, ValueError
            If an array is missing, or does not fit.
        """
        weights, factors, n_items = (arrays[name] for name in ("weights", "factors", "n_items"))
        if weights.shape != (2,) or weights.dtype != np.float64:
            raise ValueError("the weights of a calibration must be two numbers")
        if not np.all((weights >= 0) & (weights <= _LARGEST)):
            raise ValueError(f"the weights of a calibration must be from 0 to {_LARGEST:g}")
        if factors.shape != (n_classes,) or factors.dtype != np.float64:
            raise ValueError("a calibration must have a factor for every class")
        if not np.all((factors >= 1 / _MOST) & (factors <= _MOST)):
            raise ValueError(f"the factors of a calibration must be from 1/{_MOST:g} to {_MOST:g}")
        if n_items.shape != (1,) or n_items.dtype != np.int64 or n_items[0] < 1:
            raise ValueError("a calibration must be of a number of items")
        return cls(float(weights[0]), float(weights[1]), factors, int(n_items[0]))


def learn_calibration(
    scores: Float64Array, numbers: Int64Array, weights: Float64Array
) -> Calibration:
    """Learn slope and share, the minimum of the mean logarithmic loss, and then the factors.

    Every label's own factor is taken if together they lower the loss by more than so many numbers
    would of themselves (Akaike's criterion).

    An item counts as if a little of it were of every other class, 1 / (n + K) of each for n items
    of K classes, as Platt (1999) has it. Votes that make no mistake on few items would else promise
    never to make one.

    Parameters
    ----------
    scores : ndarray of shape (n_items,) or (n_items, n_classes)
        By classifiers that did not learn from the item.
    numbers : ndarray of shape (n_items,), int64
        Class of each item.
    weights : ndarray of shape (n_items,)

    Returns
    -------
    Calibration

    References
    ----------
    J. Platt, "Probabilistic outputs for support vector machines and comparisons to regularized
    likelihood methods", Advances in Large Margin Classifiers (1999), 61-74.
    """
    sides = _sides(scores)
    columns = np.stack([sides, log_ndtr(sides)], axis=2)
    n_items, n_classes = sides.shape
    total = weights.sum()
    little = 1.0 / (total + n_classes)
    targets = np.full((n_items, n_classes), little)
    targets[np.arange(n_items), numbers] = 1.0 - (n_classes - 1) * little
    targets *= weights[:, None] / total
    wanted = np.sum(targets[:, :, None] * columns, axis=(0, 1))
    shares = (weights / total)[:, None]

    def loss(both: Float64Array) -> tuple[float, Float64Array]:
        logits = np.sum(columns * both, axis=2)
        norms = logsumexp(logits, axis=1, keepdims=True)
        expected = np.sum((np.exp(logits - norms) * shares)[:, :, None] * columns, axis=(0, 1))
        return float(np.sum(shares * norms) - wanted @ both), expected - wanted

    found = optimize.minimize(
        loss, np.array(_START), jac=True, method="L-BFGS-B", bounds=[(0.0, _LARGEST)] * 2
    ).x
    logits = np.sum(columns * found, axis=2)
    factors = _factors(logits, targets, sides.argmax(axis=1), total)
    return Calibration(float(found[0]), float(found[1]), factors, n_items)


def _factors(
    logits: Float64Array, targets: Float64Array, labels: Int64Array, total: float
) -> Float64Array:
    """Factor of the logits of every label; all 1 if others are not worth their number."""
    n_classes = logits.shape[1]
    factors = np.ones(n_classes)
    gain = 0.0
    for label in range(n_classes):
        own = labels == label
        if not own.any():
            continue

        def loss(log_factor: float, own: BoolArray = own) -> float:
            scaled = float(np.exp(log_factor)) * logits[own]
            logs = scaled - logsumexp(scaled, axis=1, keepdims=True)
            return -float(np.sum(targets[own] * logs))

        limit = float(np.log(_MOST))
        best = optimize.minimize_scalar(loss, bounds=(-limit, limit), method="bounded")
        if best.fun < loss(0.0):
            factors[label] = float(np.exp(best.x))
            gain += total * (loss(0.0) - best.fun)
    # One of them says what slope and share say together.
    return factors if gain > n_classes - 1 else np.ones(n_classes)


def _range(values: Float64Array) -> str:
    return f"{values.min():.3g} to {values.max():.3g}"


def _sides(scores: Float64Array) -> Float64Array:
    """Scores of all classes: two have opposite ones."""
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
