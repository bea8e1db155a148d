"""Sets of labels that hold the true one as often as is asked for (conformal prediction)."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from sfmcore.data.arrays import BoolArray, Float64Array, Int64Array
from sfmcore.data.checks import check_number
from sfmcore.data.storable import storable

# Held-out items of a class that its own p-values need; smaller classes share theirs.
_LEAST_OF_CLASS = 20
# Of each group of items so many values are kept at most, evenly spaced among the sorted ones.
_MOST = 5000


@storable
@dataclass(frozen=True)
class LabelSets:
    """Probabilities that held-out items gave their true class: what a new item's are held against.

    Attributes
    ----------
    probabilities : ndarray of shape (n_values,)
        Rising within a class.
    weights : ndarray of shape (n_values,)
        Items that each value stands for.
    classes : ndarray of shape (n_values,), int64
        True class, rising.
    n_classes : int

    Examples
    --------
    >>> shares = np.array([[0.9, 0.1]] * 60 + [[0.2, 0.8]] * 60)
    >>> made = LabelSets.of(shares, np.arange(120) // 60, np.ones(120))
    >>> made.sets(np.array([[0.95, 0.05], [0.5, 0.5]]), coverage=0.9).tolist()
    [[True, False], [True, False]]
    """

    probabilities: Float64Array
    weights: Float64Array
    classes: Int64Array
    n_classes: int

    @classmethod
    def of(
        cls, probabilities: Float64Array, numbers: Int64Array, weights: Float64Array
    ) -> "LabelSets":
        """Take what held-out items gave their true class.

        Parameters
        ----------
        probabilities : ndarray of shape (n_items, n_classes)
        numbers : ndarray of shape (n_items,), int64
            True classes.
        weights : ndarray of shape (n_items,)
        """
        own = probabilities[np.arange(len(numbers)), numbers]
        values, counts, classes = [], [], []
        for number in range(probabilities.shape[1]):
            members = np.flatnonzero(numbers == number)
            order = members[np.argsort(own[members], kind="stable")]
            # A value stands for itself and those above it, up to the next: of many, every so many.
            starts = np.arange(0, len(order), max(1, -(-len(order) // _MOST)))
            if len(order):
                values.append(own[order][starts])
                counts.append(np.add.reduceat(weights[order], starts))
                classes.append(np.full(len(starts), number, dtype=np.int64))
        return cls(
            np.concatenate(values),
            np.concatenate(counts),
            np.concatenate(classes),
            n_classes=probabilities.shape[1],
        )

    def p_values(self, probabilities: Float64Array) -> Float64Array:
        """How usual the probability of each class would be if it were the true one.

        Parameters
        ----------
        probabilities : ndarray of shape (n_items, n_classes)

        Returns
        -------
        ndarray of shape (n_items, n_classes)
            The share of held-out items of that class, the item among them, whose true class had no
            more: at most a given value with at most that probability, where held-out items are like
            new ones. Classes of fewer than 20 such items count as one.
        """
        out = np.empty(probabilities.shape)
        for number in range(self.n_classes):
            own = self._members(number)
            values, weights = self.probabilities[own], self.weights[own]
            order = np.argsort(values, kind="stable")
            below = np.append(0.0, np.cumsum(weights[order]))
            places = np.searchsorted(values[order], probabilities[:, number], side="right")
            out[:, number] = (1.0 + below[places]) / (1.0 + below[-1])
        return out

    def sets(self, probabilities: Float64Array, coverage: float) -> BoolArray:
        """Every label that can't be excluded; the most probable one is always in.

        Parameters
        ----------
        probabilities : ndarray of shape (n_items, n_classes)
        coverage : float
            How often the true label is to be in, between 0 and 1.

        Returns
        -------
        ndarray of shape (n_items, n_classes), bool

        Raises
        ------
        ValueError
            If the coverage is not between 0 and 1.
        """
        check_number("coverage", coverage, "between 0 and 1", lambda value: 0 < value < 1)
        # Of 9 and 10 items 1 - 0.9 must be below one in ten and not above.
        inside = self.p_values(probabilities) > (1.0 - coverage) * (1.0 + 1e-12)
        inside[np.arange(len(inside)), probabilities.argmax(axis=1)] = True
        return inside

    def assured(self, coverage: float, delta: float = 0.05) -> float:
        """Coverage that new items have with probability 1 - delta over the held-out ones.

        The coverage of all items together, where p-values come from n of them, is at least a
        variable of the beta distribution with parameters n + 1 - k and k, k the whole part of
        (n + 1) (1 - coverage) (Vovk, 2012). P-values come from several groups of items, classes
        or the small ones together: each gets its part of delta, and the lowest limit holds for all.

        Parameters
        ----------
        coverage : float
        delta : float, default=0.05

        References
        ----------
        V. Vovk, "Conditional validity of inductive conformal predictors", Proceedings of Machine
        Learning Research 25 (2012), 475-490.
        """
        groups = {self._members(number).tobytes() for number in range(self.n_classes)}
        sizes = [float(self.weights[np.frombuffer(own, dtype=bool)].sum()) for own in groups]
        return min(_assured(size, coverage, delta / len(sizes)) for size in sizes)

    @property
    def n_items(self) -> float:
        """Held-out items, by their weights."""
        return float(self.weights.sum())

    def _members(self, number: int) -> BoolArray:
        """Values that a class's p-values come from."""
        sizes = np.bincount(self.classes, self.weights, self.n_classes)
        small = sizes < _LEAST_OF_CLASS
        own: BoolArray = small[self.classes] if small[number] else self.classes == number
        return own

    def get_arrays(self) -> dict[str, np.ndarray]:
        """Values, weights and classes, for the model file."""
        return {
            "probabilities": self.probabilities,
            "weights": self.weights,
            "classes": self.classes,
        }

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, np.ndarray], n_classes: int) -> "LabelSets":
        """Take back what :meth:`get_arrays` gave.

        Raises
        ------
        KeyError, ValueError
            If an array is missing, or does not fit.
        """
        names = ("probabilities", "weights", "classes")
        values, weights, classes = (arrays[name] for name in names)
        kinds = (np.float64, np.float64, np.int64)
        for name, own, kind in zip(names, (values, weights, classes), kinds, strict=True):
            if own.ndim != 1 or own.dtype != kind or len(own) != len(values) or not len(own):
                raise ValueError(f"{name} of held-out items must be {kind.__name__}, one for each")
        if not np.all((values >= 0) & (values <= 1)):
            raise ValueError("probabilities of held-out items must be from 0 to 1")
        if not (np.all(weights > 0) and np.isfinite(weights.sum())):
            raise ValueError("weights of held-out items must be above 0")
        if np.any((classes < 0) | (classes >= n_classes)) or np.any(np.diff(classes) < 0):
            raise ValueError(f"classes of held-out items must rise from 0 to {n_classes - 1}")
        return cls(values, weights, classes, n_classes)


def _assured(n_items: float, coverage: float, delta: float) -> float:
    """The quantile of the beta distribution, for one group of items."""
    excluded = np.floor((n_items + 1.0) * (1.0 - coverage) * (1.0 + 1e-12))
    if excluded < 1:
        return 1.0
    return float(betaincinv(n_items + 1.0 - excluded, excluded, delta))
