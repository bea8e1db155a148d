"""Evidence of an item's relatives for every class: columns with weights that all classes share."""

from dataclasses import dataclass

import numpy as np

from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.data.similarities import Similarities
from sfmcore.data.storable import storable

# Relatives of a class that are looked at one by one, the nearest first.
_NEAREST = 3
# Similarities at which evidence is largely in: a weak, a clear and a close relative.
_SCALES = (10.0, 30.0, 100.0)
_FURTHER_SCALE = 15.0
_UNIT = 50.0
# Similarities within so much of each other add to each other; those below hardly count.
_SOFTNESS = 4.0

_LARGEST_BITS = 2**31 - 1

# Similarities that are sorted at a time: a sort of all of them would take 80 bytes for each.
_MOST_ENTRIES = 1 << 22

N_COLUMNS = len(_SCALES) + 1 + 2 * (_NEAREST - 1) + 1
"""Columns of the evidence of one class."""


@storable
@dataclass(frozen=True)
class ReferenceClasses:
    """Classes of the references.

    Attributes
    ----------
    references, classes : ndarray of shape (n_memberships,), int64
        Both together tell a membership; one reference may belong to several classes, or to none.
    n_classes : int
    """

    references: Int64Array
    classes: Int64Array
    n_classes: int

    @classmethod
    def of(cls, own: Int64Array, numbers: Int64Array, n_classes: int) -> "ReferenceClasses":
        """Take the classes of the items that the references are.

        Parameters
        ----------
        own : ndarray of shape (n_items,), int64
            The reference that each item is, or -1.
        numbers : ndarray of shape (n_items,), int64
            Class of each item, or -1.
        n_classes : int
        """
        known = (own >= 0) & (numbers >= 0)
        pairs = np.unique(np.column_stack([own[known], numbers[known]]), axis=0)
        return cls(pairs[:, 0].copy(), pairs[:, 1].copy(), n_classes)

    @property
    def sizes(self) -> Int64Array:
        """References of each class, shape (n_classes,)."""
        return np.bincount(self.classes, minlength=self.n_classes).astype(np.int64)


def evidence(similarities: Similarities, members: ReferenceClasses) -> Float64Array:
    """Evidence of every class for every item.

    Of the nearest relative of the class, how far its similarity is beyond three scales, so that
    more of the same soon says nothing more, and the similarity itself, of the second and the third
    the same in short, and all relatives of the class together as a soft maximum.

    Parameters
    ----------
    similarities : Similarities
    members : ReferenceClasses

    Returns
    -------
    ndarray of shape (n_items, n_classes, N_COLUMNS)
        0 where a class has no relative.

    Examples
    --------
    >>> found = Similarities.of(np.float32([[30, 0, 3], [0, 0, 0]]))
    >>> members = ReferenceClasses(np.array([0, 1, 2]), np.array([0, 1, 1]), 2)
    >>> evidence(found, members).shape
    (2, 2, 9)
    >>> evidence(found, members)[0, :, 1].round(3).tolist()
    [0.632, 0.095]
    """
    out = np.empty((len(similarities), members.n_classes, N_COLUMNS))
    first = 0
    while first < len(similarities):
        most = similarities.offsets[first] + _MOST_ENTRIES
        last = int(np.searchsorted(similarities.offsets, most, side="right")) - 1
        last = max(last, first + 1)
        _fill(out[first:last], similarities[first:last], members)
        first = last
    return out


def _fill(out: Float64Array, similarities: Similarities, members: ReferenceClasses) -> None:
    nearest, total = _nearest(similarities, members)
    first = nearest[:, :, 0]
    for column, scale in enumerate(_SCALES):
        out[:, :, column] = 1.0 - np.exp(-first / scale)
    column = len(_SCALES)
    out[:, :, column] = first / _UNIT
    for place in range(1, _NEAREST):
        further = nearest[:, :, place]
        out[:, :, column + 1] = further / _UNIT
        out[:, :, column + 2] = 1.0 - np.exp(-further / _FURTHER_SCALE)
        column += 2
    out[:, :, column + 1] = total / _UNIT


def _nearest(
    similarities: Similarities, members: ReferenceClasses
) -> tuple[Float64Array, Float64Array]:
    """The largest similarities of each class, largest first, and the soft maximum of all."""
    n_items, n_classes = len(similarities), members.n_classes
    nearest = np.zeros((n_items * n_classes, _NEAREST))
    total = np.zeros(n_items * n_classes)
    entries, cells = _cells(similarities, members)
    values = similarities.values[entries].astype(np.float64)
    begins = np.flatnonzero(np.diff(cells, prepend=-1))
    if len(begins) == 0:
        return nearest.reshape(n_items, n_classes, _NEAREST), total.reshape(n_items, n_classes)
    rank = np.arange(len(cells)) - np.repeat(begins, np.diff(np.append(begins, len(cells))))
    few = rank < _NEAREST
    nearest[cells[few], rank[few]] = values[few]
    # log(1 + sum of (exp(v / s) - 1)), from the largest.
    largest = nearest[cells, 0]
    terms = np.exp((values - largest) / _SOFTNESS) - np.exp(-largest / _SOFTNESS)
    sums = np.add.reduceat(terms, begins)
    peaks = nearest[cells[begins], 0]
    total[cells[begins]] = peaks + _SOFTNESS * np.log(np.exp(-peaks / _SOFTNESS) + sums)
    return nearest.reshape(n_items, n_classes, _NEAREST), total.reshape(n_items, n_classes)


def _cells(similarities: Similarities, members: ReferenceClasses) -> tuple[Int64Array, Int64Array]:
    """Entries once for every class of their reference, and the item's and the class's cell.

    Cell by cell, and the largest of each first.
    """
    order = np.argsort(members.references, kind="stable")
    starts = np.searchsorted(members.references[order], np.arange(similarities.n_references + 1))
    counts = np.diff(starts)[similarities.references]
    entries = np.repeat(np.arange(len(similarities.values)), counts)
    within = np.arange(len(entries)) - np.repeat(np.cumsum(counts) - counts, counts)
    of = order[starts[similarities.references[entries]] + within]
    cells = similarities.items[entries] * members.n_classes + members.classes[of]
    # As integers, numbers above zero have their own order: one key tells both.
    descending = _LARGEST_BITS - similarities.values.view(np.int32).astype(np.int64)
    by_cell = np.argsort((cells << 31) | descending[entries], kind="stable")
    return entries[by_cell], cells[by_cell]


def evidence_of_references(
    similarities: Similarities, members: ReferenceClasses, worth: Float64Array
) -> tuple[Int64Array, Int64Array, Float64Array]:
    """Contribution of every single reference to the weighted evidence of its classes.

    What the nearest, the second and the third relative add is theirs; the soft maximum of all is
    shared in proportion to what each adds to the sum in it.

    Parameters
    ----------
    similarities : Similarities
    members : ReferenceClasses
    worth : ndarray of shape (n_classes, N_COLUMNS)
        Weights of the columns of :func:`evidence`.

    Returns
    -------
    entries, classes : ndarray of shape (n_found,), int64
        Entry of the similarities, and the class that it speaks for.
    amounts : ndarray of shape (n_found,)
        Those of one item and class add up to its evidence times `worth`.

    Examples
    --------
    >>> found = Similarities.of(np.float32([[30, 0, 3]]))
    >>> members = ReferenceClasses(np.array([0, 1, 2]), np.array([0, 1, 1]), 2)
    >>> worth = np.ones((2, N_COLUMNS))
    >>> entries, classes, amounts = evidence_of_references(found, members, worth)
    >>> entries.tolist(), classes.tolist()
    ([0, 1], [0, 1])
    >>> bool(np.allclose(amounts, evidence(found, members)[0].sum(axis=1)))
    True
    """
    entries, cells = _cells(similarities, members)
    classes = cells % members.n_classes
    values = similarities.values[entries].astype(np.float64)
    begins = np.flatnonzero(np.diff(cells, prepend=-1))
    counts = np.diff(np.append(begins, len(cells)))
    rank = np.arange(len(cells)) - np.repeat(begins, counts)
    weights = worth[classes]
    amounts = np.zeros(len(cells))
    first = rank == 0
    for column, scale in enumerate(_SCALES):
        amounts += first * weights[:, column] * (1.0 - np.exp(-values / scale))
    column = len(_SCALES)
    amounts += first * weights[:, column] * values / _UNIT
    for place in range(1, _NEAREST):
        here = rank == place
        amounts += here * weights[:, column + 1] * values / _UNIT
        amounts += here * weights[:, column + 2] * (1.0 - np.exp(-values / _FURTHER_SCALE))
        column += 2
    if len(begins):
        _, total = _nearest(similarities, members)
        largest = np.repeat(values[begins], counts)
        terms = np.exp((values - largest) / _SOFTNESS) - np.exp(-largest / _SOFTNESS)
        shares = terms / np.repeat(np.add.reduceat(terms, begins), counts)
        amounts += shares * weights[:, column + 1] * total.ravel()[cells] / _UNIT
    return entries, classes, amounts
