"""Weights of extra vectors and similarities, chosen on held-out items."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from sfmcore.data.arrays import Float64Array, Int64Array, UInt64Array
from sfmcore.parallel.blas import blas_threads

N_FOLDS = 4
"""Parts that are held out in turn."""
FEWEST = 40
"""Smallest number of items for choosing weights."""
# Added to the kernel's diagonal, the best for each weight.
_RIDGES = (1e-3, 1e-2, 1e-1)


@dataclass(frozen=True)
class Products:
    """Inner products of one part of the items' rows.

    Attributes
    ----------
    training : ndarray of shape (n_items, n_items)
        Of rows as a training item has them.
    held_out : ndarray of shape (n_items, n_items)
        Of rows as an item has them that was not learnt from, with those of training items. The
        same where nothing is learnt from single items.
    lengths : ndarray of shape (n_items,)
        Squared lengths of the rows of `held_out`.
    """

    training: Float64Array
    held_out: Float64Array
    lengths: Float64Array

    @classmethod
    def of(cls, rows: Float64Array) -> "Products":
        """Those of rows that are the same for all items.

        Parameters
        ----------
        rows : ndarray of shape (n_items, n_columns)

        Examples
        --------
        >>> Products.of(np.array([[1.0, 0.0], [1.0, 2.0]])).lengths.tolist()
        [1.0, 5.0]
        """
        products = rows @ rows.T
        return cls(products, products, np.diag(products).copy())

    def __mul__(self, weight: float) -> "Products":
        return Products(weight * self.training, weight * self.held_out, weight * self.lengths)

    def __add__(self, other: "Products") -> "Products":
        return Products(
            self.training + other.training,
            self.held_out + other.held_out,
            self.lengths + other.lengths,
        )

    def of_unit_length(self) -> "Products":
        """Products of the rows divided by their lengths; rows of zeros stay."""
        mine = _inverse_roots(np.diag(self.training))
        theirs = _inverse_roots(self.lengths)
        return Products(
            self.training * mine[:, None] * mine,
            self.held_out * theirs[:, None] * mine,
            self.lengths * theirs**2,
        )


def choose_weight(
    base: Products,
    part: Products,
    weights: Sequence[float],
    targets: Float64Array,
    folds: Int64Array,
    *,
    gamma: float,
) -> float:
    """The smallest weight of a part that held-out items do not speak against.

    Kernel ridge regression on the classes, with a Gaussian kernel on rows of unit length. The
    weight with the smallest squared error counts as no better than a smaller one whose error is
    within a standard error of their difference (the rule of one standard error; Breiman et al.,
    "Classification and Regression Trees", 1984, section 3.4.3).

    Parameters
    ----------
    base : Products
        Of what counts 1.
    part : Products
    weights : sequence of float
        Rising.
    targets : ndarray of shape (n_items, n_classes)
        1 for the class of an item.
    folds : ndarray of shape (n_items,), int64
        Part that each item is held out with.
    gamma : float
        Of the kernel exp(-gamma |a - b|^2).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise, signal = (Products.of(rng.normal(size=(80, 2))) for _ in range(2))
    >>> classes = np.arange(80) % 2
    >>> told = Products.of(np.eye(2)[classes])
    >>> rest = {"targets": np.eye(2)[classes], "folds": np.arange(80) // 2 % 4, "gamma": 0.7}
    >>> choose_weight(noise, told, (0.0, 1.0), **rest)
    1.0
    >>> choose_weight(told, noise, (0.0, 1.0), **rest)
    0.0
    """
    with blas_threads():  # whose bits may follow its threads
        errors = [
            _errors((base + part * weight).of_unit_length(), targets, folds, gamma)
            for weight in weights
        ]
    best = min(errors, key=np.mean)
    for weight, own in zip(weights, errors, strict=True):
        difference = own - best
        if difference.mean() <= difference.std() / np.sqrt(len(difference)):
            return weight
    raise AssertionError("the best weight is as good as itself")


def _errors(
    products: Products, targets: Float64Array, folds: Int64Array, gamma: float
) -> Float64Array:
    """Squared error of every item where it is held out, with the best ridge."""
    training = np.exp(2.0 * gamma * (products.training - 1.0))
    held_out = np.exp(2.0 * gamma * (products.held_out - 1.0))
    errors = np.zeros((len(_RIDGES), len(targets)))
    for fold in range(N_FOLDS):
        test, train = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        if not len(test) or not len(train):
            continue
        mean = targets[train].mean(axis=0)
        own, theirs = training[np.ix_(train, train)], held_out[np.ix_(test, train)]
        for number, ridge in enumerate(_RIDGES):
            factor = linalg.cho_factor(own + ridge * np.eye(len(train)), lower=True)
            found = theirs @ linalg.cho_solve(factor, targets[train] - mean) + mean
            errors[number, test] = np.sum((targets[test] - found) ** 2, axis=1)
    return min(errors, key=np.mean)


def sample_of_classes(
    classes: Int64Array, keys: UInt64Array, most: int
) -> tuple[Int64Array, Float64Array, Int64Array]:
    """Distinct items with their classes, and the part that each is held out with.

    What an item holds decides, so that neither order nor repetition of items does.

    Parameters
    ----------
    classes : ndarray of shape (n_items,), int64
        -1 for an item without label, which is not taken.
    keys : ndarray of shape (n_items,), uint64
        Digests that equal items share, and that are random otherwise.
    most : int
        Items, at most.

    Returns
    -------
    places : ndarray of shape (n_sample,), int64
    targets : ndarray of shape (n_sample, n_classes)
        An item that stands under several labels has an equal share of each.
    folds : ndarray of shape (n_sample,), int64

    Examples
    --------
    >>> keys = np.array([3, 9, 3, 5], dtype=np.uint64)
    >>> places, targets, folds = sample_of_classes(np.array([0, 1, 1, -1]), keys, 10)
    >>> places.tolist(), targets.tolist()
    ([0, 1], [[0.5, 0.5], [0.0, 1.0]])
    """
    labelled = np.flatnonzero(classes >= 0)
    distinct, first, of = np.unique(keys[labelled], return_index=True, return_inverse=True)
    targets = np.zeros((len(distinct), int(classes.max(initial=-1)) + 1))
    targets[of, classes[labelled]] = 1.0
    targets /= targets.sum(axis=1, keepdims=True)
    places, targets = labelled[first[:most]], targets[:most]
    main = targets.argmax(axis=1)
    folds = np.zeros(len(places), dtype=np.int64)
    for number in np.unique(main):
        own = np.flatnonzero(main == number)
        folds[own] = np.arange(len(own)) % N_FOLDS
    return places, targets, folds


def _inverse_roots(squares: Float64Array) -> Float64Array:
    some = squares > 0
    roots: Float64Array = np.where(some, 1.0 / np.sqrt(np.where(some, squares, 1.0)), 0.0)
    return roots
