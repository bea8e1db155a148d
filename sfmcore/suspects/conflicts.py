"""Equal or nearly equal items under different labels."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import coo_array

from sfmcore.data.arrays import BoolArray, Float64Array, Int64Array, UInt64Array
from sfmcore.data.near_pairs import NearPairs
from sfmcore.data.ragged import Ragged
from sfmcore.features.nystroem import row_keys
from sfmcore.kernels import _random
from sfmcore.preparation.base import Preparation


@dataclass(frozen=True)
class Copies:
    """Which items are equal, and which are nearly so.

    Attributes
    ----------
    content : ndarray of shape (n_items,), int64
        Number that equal items share, and others do not.
    near : NearPairs
        Of these numbers, for items that are nearly the same.
    """

    content: Int64Array
    near: NearPairs


@dataclass(frozen=True)
class Conflicts:
    """Items whose copies have other labels.

    Attributes
    ----------
    found : ndarray of shape (n_items,), bool
        Whether another label is at least as frequent as the item's own among its equal and nearly
        equal items, itself among them.
    label : ndarray of shape (n_items,), int64
        That label, the most frequent one; -1 where nothing was found.
    share : ndarray of shape (n_items,)
        Part of all these items that has another label than the item; 0 where nothing was found.
    other : ndarray of shape (n_items,), int64
        The most similar item of that label, an equal one if there is one; -1 where nothing was
        found.
    """

    found: BoolArray
    label: Int64Array
    share: Float64Array
    other: Int64Array


def find_copies(
    preparation: Preparation, items: Any, *, n_threads: int = 1, show_progress: bool = False
) -> Copies:
    """Find equal items by their digests, and nearly equal ones as the preparation does.

    Parameters
    ----------
    preparation : Preparation
    items : batch of items
        As it encodes them.
    n_threads : int, default=1
        The result does not depend on it.
    show_progress : bool, default=False

    Returns
    -------
    Copies

    Examples
    --------
    >>> from sfmcore.preparation.columns import Columns
    >>> find_copies(Columns(), np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])).content.tolist()
    [0, 1, 0]
    """
    content, first = content_numbers(item_digests(preparation, items))
    near = preparation.near_copies(items[first], n_threads=n_threads, show_progress=show_progress)
    return Copies(content, near)


def content_numbers(digests: UInt64Array) -> tuple[Int64Array, Int64Array]:
    """Number the different items in the order in which they come first.

    Parameters
    ----------
    digests : ndarray of shape (n_items,), uint64

    Returns
    -------
    content : ndarray of shape (n_items,), int64
        See :class:`Copies`.
    first : ndarray of shape (n_contents,), int64
        Place of the first item of each number.

    Examples
    --------
    >>> content, first = content_numbers(np.array([7, 3, 7], dtype=np.uint64))
    >>> content.tolist(), first.tolist()
    ([0, 1, 0], [0, 1])
    """
    _, first, own = np.unique(digests, return_index=True, return_inverse=True)
    order = np.argsort(first)
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return places[own], first[order]


def item_digests(preparation: Preparation, items: Any) -> UInt64Array:
    """Digests that equal items share.

    Parameters
    ----------
    preparation : Preparation
    items : batch of items
        As it encodes them.

    Returns
    -------
    ndarray of shape (n_items,), uint64
    """
    keys = preparation.content_keys(items)
    if keys is not None:
        return keys
    if isinstance(items, Ragged):
        return _random.content_keys(items.values, items.offsets)
    return row_keys(np.asarray(items) + 0.0)  # -0.0 is 0.0


def find_conflicts(copies: Copies, numbers: Int64Array, n_classes: int) -> Conflicts:
    """Find items whose copies have another label at least as often as their own.

    So of five copies with one stray label the stray one is found, and of two that differ both.

    Parameters
    ----------
    copies : Copies
    numbers : ndarray of shape (n_items,), int64
        Class of each item.
    n_classes : int

    Returns
    -------
    Conflicts

    Examples
    --------
    >>> copies = Copies(np.array([0, 0, 0, 1, 2]), NearPairs(*map(np.array, ([1], [2], [0.97]))))
    >>> found = find_conflicts(copies, np.array([1, 1, 0, 1, 0]), 2)
    >>> found.found.tolist(), found.other.tolist()
    ([False, False, True, True, True], [-1, -1, 0, 4, 3])
    """
    n_items, n_contents = len(numbers), int(copies.content.max(initial=-1)) + 1
    counts = np.zeros((n_contents, n_classes), dtype=np.int64)
    np.add.at(counts, (copies.content, numbers), 1)
    rows, columns, similarity = copies.near.both_ways()
    near = coo_array(
        (np.ones(len(rows), dtype=np.int64), (rows, columns)), shape=(n_contents, n_contents)
    )
    around = (counts + near.tocsr() @ counts)[copies.content]
    every = np.arange(n_items)
    own = around[every, numbers]
    rest = around.copy()
    rest[every, numbers] = -1
    label = rest.argmax(axis=1)
    found = (rest[every, label] > 0) & (rest[every, label] >= own)
    share = np.where(found, 1.0 - own / around.sum(axis=1), 0.0)
    neighbours: dict[int, list[tuple[float, int]]] = {}
    for row, column, alike in zip(
        rows.tolist(), columns.tolist(), similarity.tolist(), strict=True
    ):
        neighbours.setdefault(row, []).append((-alike, column))
    # The first item of each content and label stands for all of them.
    first: dict[tuple[int, int], int] = {}
    for item, pair in enumerate(zip(copies.content.tolist(), numbers.tolist(), strict=True)):
        first.setdefault(pair, item)
    other = np.full(n_items, -1, dtype=np.int64)
    for item in np.flatnonzero(found).tolist():
        content, wanted = int(copies.content[item]), int(label[item])
        nearest = [content, *(place for _, place in sorted(neighbours.get(content, [])))]
        other[item] = next(first[place, wanted] for place in nearest if (place, wanted) in first)
    return Conflicts(found, np.where(found, label, -1), share, other)
