"""Weights of the votes and the relatives of an item, learnt on held-out votes.

Evidence of relatives decides where it is strong, and the vote over states and words where there is
none. How much each counts is one set of numbers for all classes, so that a class of few items is
weighed as well as a large one: a conditional logit, P(c | x) proportional to exp(w . e(x, c)), over
columns e of evidence for each class (:mod:`sfmcore.learning.evidence`) and the vote for it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy import optimize
from scipy.special import logsumexp

from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.data.similarities import Similarities
from sfmcore.data.storable import storable
from sfmcore.learning.evidence import N_COLUMNS, ReferenceClasses, evidence
from sfmcore.learning.sureness import Sureness
from sfmcore.learning.weight_posterior import WeightPosterior
from sfmcore.parallel.blas import blas_threads

# The vote; and the vote, and the class's size, where no class has a relative.
_N_VOTES = 3
# Evidence that may count for more, or less, in small classes: a clear relative, the nearest one,
# and all of them. A class of ten has fewer relatives for its members than one of a thousand.
_BY_SIZE = [1, 3, N_COLUMNS - 1]
N_WEIGHTS = N_COLUMNS + _N_VOTES + len(_BY_SIZE) + 1
"""Numbers that are learnt."""
# What the numbers weigh, in their order.
_NAMES = (
    *("nearest relative beyond 10", "nearest relative beyond 30", "nearest relative beyond 100"),
    *("nearest relative", "second relative", "second relative beyond 15"),
    *("third relative", "third relative beyond 15", "all relatives"),
    *("vote", "vote without relatives", "size without relatives"),
    *("nearest relative beyond 30 in small classes", "nearest relative in small classes"),
    *("all relatives in small classes", "small classes"),
)
_SHOWN = 3
# Column of evidence that tells how near the nearest relative is.
_NEAR = 1
# Of the numbers, against the mean log-likelihood of an item. Items of one group say much the same:
# there it is as many times that as an item's group has items.
_RIDGE = 1e-3
# An item counts by its class's size to the power of minus this: rare classes shall be found.
_POWER = 0.35
# Where items count as unevenly as that, by the sizes of their classes, the favour for rare classes
# shows in the probabilities. With like sizes there is nothing to mend, and held-out items, whose
# labels the models have seen, promise a little too much.
_UNEVEN = 0.02
_CHUNK = 256
_NEWTON_STEPS = 3
_LARGEST = 1e9


@dataclass(frozen=True)
class WeighedParts:
    """Logits of items are factors * votes + relatives + constants.

    Attributes
    ----------
    factors : ndarray of shape (n_items, n_classes)
        What a vote counts for.
    relatives : ndarray of shape (n_items, n_classes)
        What the relatives of each class add.
    constants : ndarray of shape (n_items, n_classes)
        What the sizes of the classes add.
    worth : ndarray of shape (n_classes, N_COLUMNS)
        What each column of the evidence of relatives counts for, before the scales.
    scales : ndarray of shape (n_items, n_classes)
        What logits are multiplied by: 1 where weights are taken for certain.
    """

    factors: Float64Array
    relatives: Float64Array
    constants: Float64Array
    worth: Float64Array
    scales: Float64Array


@storable
@dataclass(frozen=True)
class Weighing:
    """Weights of evidence and votes, the same for all classes.

    Attributes
    ----------
    weights : ndarray of shape (N_WEIGHTS,)
    members : ReferenceClasses
    sureness : Sureness
        What the probability of the label itself is worth.
    posterior : WeightPosterior or None
        Uncertainty of the weights, where items are in groups; None elsewhere.
    """

    weights: Float64Array
    members: ReferenceClasses
    sureness: Sureness = field(default_factory=Sureness)
    posterior: WeightPosterior | None = None

    def scores(self, votes: Float64Array, similarities: Similarities) -> Float64Array:
        """Log-odds of every class against all others.

        Parameters
        ----------
        votes : ndarray of shape (n_items, n_classes)
            Scores of every class against the rest.
        similarities : Similarities

        Returns
        -------
        ndarray of shape (n_items, n_classes)
            Above 0 where a class is more probable than all others together.
        """
        out = np.empty_like(votes)
        for start in range(0, len(votes), _CHUNK):
            part = slice(start, start + _CHUNK)
            columns = _columns(votes[part], similarities[part], self.members)
            # Not a product of BLAS: an item's sum is of its own numbers, whatever is beside it.
            logits = np.sum(columns * self.weights, axis=2)
            if self.posterior is not None:
                scales, centre = self.posterior.scales(columns, logits)
                logits = scales * (logits - centre)
            out[part] = logits
        return log_odds(out)

    def probabilities(self, scores: Float64Array) -> Float64Array:
        """Probability of every class.

        Parameters
        ----------
        scores : ndarray of shape (n_items, n_classes)
            Of :meth:`scores`.
        """
        return self.sureness.probabilities(scores)

    def parts(self, votes: Float64Array, similarities: Similarities) -> "WeighedParts":
        """Components of the logits of items.

        Parameters
        ----------
        votes : ndarray of shape (n_items, n_classes)
            As of :meth:`scores`. They matter only where there is a posterior.
        similarities : Similarities
        """
        columns = _columns(votes, similarities, self.members)
        w, first = self.weights, N_COLUMNS + _N_VOTES
        small = 1.0 / np.sqrt(1.0 + self.members.sizes)
        worth = np.tile(w[:N_COLUMNS], (self.members.n_classes, 1))
        worth[:, _BY_SIZE] += small[:, None] * w[first:-1]
        relatives = np.sum(columns[:, :, :N_COLUMNS] * worth, axis=2)
        alone = 1.0 - columns[:, :, _NEAR].max(axis=1)
        factors = w[N_COLUMNS] + w[N_COLUMNS + 1] * alone
        constants = columns[:, :, N_COLUMNS + 2] * w[N_COLUMNS + 2] + small * w[-1]
        scales = np.ones(votes.shape)
        if self.posterior is not None:
            scales, centre = self.posterior.scales(columns, np.sum(columns * w, axis=2))
            constants = constants - centre
        return WeighedParts(
            scales * factors[:, None], scales * relatives, scales * constants, worth, scales
        )

    def summary(self) -> str:
        """A line that says how many numbers there are, and which of them count most."""
        largest = np.argsort(-np.abs(self.weights), kind="stable")[:_SHOWN]
        named = ", ".join(f"{_NAMES[k]} {self.weights[k]:+.2f}" for k in largest)
        line = (
            f"relatives are weighed against the votes by {N_WEIGHTS} numbers, the largest of which "
            f"are: {named}"
        )
        if self.posterior is not None:
            line += "; groups were given, so probabilities are averaged over their uncertainty"
        return line

    def get_arrays(self) -> dict[str, np.ndarray]:
        """Weights and memberships, for the model file."""
        return {
            "weights": self.weights,
            "references": self.members.references,
            "classes": self.members.classes,
            **self.sureness.get_arrays(),
            **({} if self.posterior is None else self.posterior.get_arrays()),
        }

    @classmethod
    def of_arrays(
        cls, arrays: Mapping[str, np.ndarray], n_classes: int, n_references: int
    ) -> "Weighing":
        """Take back what :meth:`get_arrays` gave.

        Raises
        ------
        KeyError, ValueError
            If an array is missing, or does not fit.
        """
        if n_references == 0:
            raise ValueError("relatives are weighed, and there are no references")
        weights, references, classes = (
            arrays[name] for name in ("weights", "references", "classes")
        )
        if weights.shape != (N_WEIGHTS,) or weights.dtype != np.float64:
            raise ValueError(f"weights of relatives must be {N_WEIGHTS} numbers")
        if not np.all(np.abs(weights) <= _LARGEST):
            raise ValueError(f"weights of relatives must be at most {_LARGEST:g}")
        limits = {"references": (references, n_references), "classes": (classes, n_classes)}
        for name, (own, most) in limits.items():
            if own.ndim != 1 or own.dtype != np.int64 or len(own) != len(references):
                raise ValueError(f"{name} of memberships must be int64, one for each")
            if np.any((own < 0) | (own >= most)):
                raise ValueError(f"{name} of memberships must be from 0 to {most - 1}")
        # None before format 10.
        sureness = Sureness.of_array(arrays["sureness"]) if "sureness" in arrays else Sureness()
        # None before format 12.
        posterior = (
            WeightPosterior.of_array(arrays["posterior"], N_WEIGHTS)
            if "posterior" in arrays
            else None
        )
        return cls(weights, ReferenceClasses(references, classes, n_classes), sureness, posterior)


def learn_weighing(
    votes: Float64Array,
    similarities: Similarities,
    members: ReferenceClasses,
    numbers: Int64Array,
    weights: Float64Array,
    *,
    groups: Int64Array | None = None,
) -> Weighing:
    """Learn what counts how much from items whose votes and relatives are those of strangers.

    Parameters
    ----------
    votes : ndarray of shape (n_items, n_classes)
        Of classifiers that did not learn from the item.
    similarities : Similarities
        To other references than the item itself.
    members : ReferenceClasses
    numbers : ndarray of shape (n_items,), int64
        Class of each item.
    weights : ndarray of shape (n_items,)
    groups : ndarray of shape (n_items,), int64, optional
        Group of each item, where new items will be of others. What the probability of a label is
        worth is then not learnt: items of known groups promise too much. Nor is it where the sizes
        of the classes differ little. Only with groups are probabilities averaged over the
        uncertainty of the weights.

    Returns
    -------
    Weighing
    """
    columns = _columns(votes, similarities, members)
    sizes = np.bincount(numbers, weights, minlength=members.n_classes)
    shares = weights * sizes[numbers] ** -_POWER
    shares = shares / shares.sum()
    true = columns[np.arange(len(numbers)), numbers]
    target = shares @ true
    size = 1.0 if groups is None else _mean_size(groups, weights)
    ridge = _RIDGE * size

    def loss(w: Float64Array) -> tuple[float, Float64Array]:
        scores = columns @ w
        logs = scores - logsumexp(scores, axis=1, keepdims=True)
        own = logs[np.arange(len(numbers)), numbers]
        expected = np.einsum("ik,ikd->d", np.exp(logs) * shares[:, None], columns)
        value = -float(shares @ own) + 0.5 * ridge * float(w @ w)
        return value, expected - target + ridge * w

    with blas_threads():  # whose bits may follow its threads
        w: Float64Array = optimize.minimize(
            loss, np.zeros(N_WEIGHTS), jac=True, method="L-BFGS-B"
        ).x
        # From near the minimum of a convex function Newton's steps lead to it, however the sums of
        # the loss were rounded on the way.
        for _ in range(_NEWTON_STEPS):
            w = w - np.linalg.solve(_curvature(columns, shares, w, ridge), loss(w)[1])
        scores = columns @ w
    if groups is not None:
        curvature = _curvature(columns, shares, w, ridge)
        return Weighing(
            w, members, posterior=WeightPosterior.of(curvature, float(weights.sum()) / size)
        )
    if _unevenness(shares, weights) < _UNEVEN:
        return Weighing(w, members)
    return Weighing(w, members, Sureness.learn(log_odds(scores), numbers, weights))


def _mean_size(groups: Int64Array, weights: Float64Array) -> float:
    """Size of an item's group, on average over the items."""
    _, own = np.unique(groups, return_inverse=True)
    return float(weights @ np.bincount(own, weights)[own] / weights.sum())


def _unevenness(shares: Float64Array, weights: Float64Array) -> float:
    """Squared coefficient of variation of what items count for, beside their weights."""
    given = weights / weights.sum()
    return float(np.sum(shares**2 / given) - 1.0)


def _curvature(
    columns: Float64Array, shares: Float64Array, w: Float64Array, ridge: float
) -> Float64Array:
    """Second derivatives of the loss."""
    made = ridge * np.eye(N_WEIGHTS)
    for start in range(0, len(columns), _CHUNK):
        part = slice(start, start + _CHUNK)
        scores = columns[part] @ w
        own = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
        means = np.einsum("ik,ikd->id", own, columns[part])
        weighted = columns[part] * (own * shares[part, None])[:, :, None]
        made += np.einsum("ikd,ike->de", weighted, columns[part], optimize=True)
        made -= (means * shares[part, None]).T @ means
    return made


def _columns(
    votes: Float64Array, similarities: Similarities, members: ReferenceClasses
) -> Float64Array:
    """Evidence and votes, of shape (n_items, n_classes, N_WEIGHTS)."""
    columns = np.empty((*votes.shape, N_WEIGHTS))
    columns[:, :, :N_COLUMNS] = evidence(similarities, members)
    alone = 1.0 - columns[:, :, _NEAR].max(axis=1, keepdims=True)
    columns[:, :, N_COLUMNS] = votes
    columns[:, :, N_COLUMNS + 1] = votes * alone
    sizes = members.sizes
    columns[:, :, N_COLUMNS + 2] = np.log(1.0 + sizes) * alone
    small = 1.0 / np.sqrt(1.0 + sizes)
    columns[:, :, N_COLUMNS + _N_VOTES : -1] = columns[:, :, _BY_SIZE] * small[:, None]
    columns[:, :, -1] = small
    return columns


def log_odds(scores: Float64Array) -> Float64Array:
    """Log-odds of each class against the sum of the others."""
    top = scores.max(axis=1, keepdims=True)
    shares = np.exp(scores - top)
    # Sums without the class itself: a difference would lose what is small.
    rest = np.zeros_like(shares)
    rest[:, 1:] = np.cumsum(shares[:, :-1], axis=1)
    rest[:, :-1] += np.cumsum(shares[:, :0:-1], axis=1)[:, ::-1]
    rest = np.maximum(rest, np.finfo(float).tiny)
    return scores - top - np.log(rest)
