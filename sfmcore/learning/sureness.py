"""How sure of its label a classifier may be, learnt on items that were strangers to it.

Probabilities that come from weighing relatives against votes are right on average over all classes,
with rare ones favoured, and not where it counts most for a user: how often the label is right. The
probability of the label itself is mapped to another one (beta calibration), and those of the other
classes follow, so that the order of the classes stays what it was (docs/theory.md, section 10).
"""

from dataclasses import dataclass, field

import numpy as np
from scipy import optimize
from scipy.special import expit

from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.data.storable import storable

# Intercept, and weights of log p and -log(1 - p): p as it is.
_AS_IT_IS = (0.0, 1.0, 1.0)
_LARGEST = 1e3
_TINY = float(np.finfo(float).tiny)
# Of the logarithms of the label's probability and that of the class behind it.
_AHEAD = 1e-6
_LAST_STEPS = 3


@storable
@dataclass(frozen=True, eq=False)
class Sureness:
    """Probability of a label that was given p: logit q = c + a log p - b log(1 - p).

    Attributes
    ----------
    numbers : ndarray of shape (3,)
        c, a and b, the latter two at least 0; 0, 1 and 1 leave p as it is.

    References
    ----------
    M. Kull, T. M. Silva Filho, P. Flach, "Beta calibration: a well-founded and easily implemented
    improvement on logistic calibration for binary classifiers", AISTATS 2017, 623-631.

    Examples
    --------
    >>> unsure = Sureness(np.array([-1.0, 1.0, 1.0]))
    >>> log_odds = np.log([[0.8 / 0.2, 0.1 / 0.9, 0.1 / 0.9]])
    >>> unsure.probabilities(log_odds).round(3).tolist()
    [[0.595, 0.202, 0.202]]
    """

    numbers: Float64Array = field(default_factory=lambda: np.array(_AS_IT_IS))

    @classmethod
    def learn(
        cls, log_odds: Float64Array, numbers: Int64Array, weights: Float64Array
    ) -> "Sureness":
        """Learn the three numbers; few items move them little from what leaves p as it is.

        Parameters
        ----------
        log_odds : ndarray of shape (n_items, n_classes)
            Of every class against all others, for items as strangers.
        numbers : ndarray of shape (n_items,), int64
            Class of each item.
        weights : ndarray of shape (n_items,)

        Returns
        -------
        Sureness
        """
        labels = log_odds.argmax(axis=1)
        right = (labels == numbers).astype(float)
        columns = _columns(log_odds[np.arange(len(labels)), labels])
        start = np.array(_AS_IT_IS)

        def loss(made: Float64Array) -> tuple[float, Float64Array]:
            logits = columns @ made
            lost = weights @ (np.logaddexp(0.0, logits) - right * logits)
            slope = columns.T @ (weights * (expit(logits) - right))
            away = made - start
            return float(lost + 0.5 * away @ away), slope + away

        bounds = [(-_LARGEST, _LARGEST), (0.0, _LARGEST), (0.0, _LARGEST)]
        found: Float64Array = optimize.minimize(
            loss, start, jac=True, method="L-BFGS-B", bounds=bounds
        ).x
        # From near the minimum of a convex function Newton's steps lead to it, however the sums of
        # the loss were rounded on the way.
        free = np.array([True, *(found[1:] > 0.0)])
        for _ in range(_LAST_STEPS):
            spread = expit(columns @ found)
            spread *= weights * (1.0 - spread)
            curvature = np.eye(len(start)) + (columns * spread[:, None]).T @ columns
            step = np.linalg.solve(curvature[np.ix_(free, free)], loss(found)[1][free])
            found[free] -= step
            found[1:] = np.maximum(found[1:], 0.0)
        return cls(found)

    def probabilities(self, log_odds: Float64Array) -> Float64Array:
        """Probability of every class, of which the label's is the mapped one.

        The other classes share what is left as they did before. Where that would lift one of them
        above the label, the label gets a little more than it.

        Parameters
        ----------
        log_odds : ndarray of shape (n_items, n_classes)
            Of every class against all others.

        Returns
        -------
        ndarray of shape (n_items, n_classes)
        """
        shares: Float64Array = expit(log_odds)
        if np.array_equal(self.numbers, _AS_IT_IS):
            return shares
        label = log_odds.argmax(axis=1)[:, None]
        odds = np.take_along_axis(log_odds, label, axis=1)
        np.put_along_axis(shares, label, 0.0, axis=1)
        # Not 1 - p, of which nothing is left where p is near 1.
        rest = expit(-odds[:, 0])
        second = shares.max(axis=1)
        mapped = _columns(odds[:, 0]) @ self.numbers
        # q = second * (1 - q) / rest, or more.
        least = np.log(np.maximum(second, _TINY)) - np.log(np.maximum(rest, _TINY)) + _AHEAD
        mapped = np.maximum(mapped, least)
        shares *= (expit(-mapped) / np.maximum(rest, _TINY))[:, None]
        np.put_along_axis(shares, label, expit(mapped)[:, None], axis=1)
        return shares

    def summary(self) -> str:
        """A line that says what becomes of a probability."""
        if np.array_equal(self.numbers, _AS_IT_IS):
            return "probabilities of labels are as the weights give them"
        before = np.array([0.5, 0.9])
        after = expit(_columns(np.log(before) - np.log1p(-before)) @ self.numbers)
        became = " and ".join(f"{p:.2f} became {q:.2f}" for p, q in zip(before, after, strict=True))
        return f"probabilities of labels are calibrated on held-out training items: {became}"

    def get_arrays(self) -> dict[str, np.ndarray]:
        """The numbers, for the model file."""
        return {"sureness": self.numbers}

    @classmethod
    def of_array(cls, numbers: np.ndarray) -> "Sureness":
        """Take back what :meth:`get_arrays` gave.

        Parameters
        ----------
        numbers : ndarray

        Raises
        ------
        ValueError
            If it does not fit.
        """
        if numbers.shape != (3,) or numbers.dtype != np.float64:
            raise ValueError("sureness must be three numbers")
        if not np.all(np.abs(numbers) <= _LARGEST) or np.any(numbers[1:] < 0):
            raise ValueError(f"sureness must be at most {_LARGEST:g}, the last two from 0")
        return cls(numbers)


def _columns(log_odds: Float64Array) -> Float64Array:
    """1, log p and -log(1 - p), side by side."""
    return np.column_stack(
        [np.ones(len(log_odds)), -np.logaddexp(0.0, -log_odds), np.logaddexp(0.0, log_odds)]
    )
