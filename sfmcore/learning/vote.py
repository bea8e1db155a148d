"""From the scores of many draws and pairs to one decision."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.special import log_ndtr, logsumexp, ndtri_exp

from sfmcore.bounds.objective import upper_tail
from sfmcore.data.arrays import Float64Array
from sfmcore.learning.pair import Pair, votes_of
from sfmcore.preparation.base import applied

_NONE = np.empty((0, 0))


def vote_shares(margins: Float64Array) -> Float64Array:
    """Probability that the Gibbs classifier says +1, its row drawn at random as well.

    Parameters
    ----------
    margins : ndarray of shape (n_items, n_rows)
        u . phi of every row of an item, features of unit length.

    Returns
    -------
    ndarray of shape (n_items,)

    Examples
    --------
    >>> vote_shares(np.array([[0.0, 0.0], [8.0, -8.0]])).round(3).tolist()
    [0.5, 0.5]
    """
    return upper_tail(-margins).mean(1)


def majority(margins: Float64Array) -> Float64Array:
    """Decision of the majority vote B_Q: above 0 where more than half of the votes are +1.

    The value is the margin of a single row that would have the same share of votes, so it does
    not saturate where the share rounds to 1.

    Parameters
    ----------
    margins : ndarray of shape (n_items, n_rows)
        As in :func:`vote_shares`.

    Returns
    -------
    ndarray of shape (n_items,)

    Examples
    --------
    >>> majority(np.array([[3.0, 3.0], [20.0, 22.0], [9.0, -1.0]])).round(2).tolist()
    [3.0, 20.03, 0.2]
    >>> (majority(np.array([[25.0, -9.0], [-25.0, 9.0]])) > 0).tolist()
    [True, False]
    """
    if margins.shape[1] == 1:
        return margins[:, 0]
    votes_for, votes_against = (
        logsumexp(log_ndtr(sign * margins), axis=1) - np.log(margins.shape[1]) for sign in (1, -1)
    )
    # The smaller share is the one that is not rounded away.
    decided = np.where(votes_for < votes_against, ndtri_exp(votes_for), -ndtri_exp(votes_against))
    if margins.shape[1] == 2:
        # Two rows that are sure of the contrary leave a share that rounds to 1/2. The surer one
        # has it, as certificates take for granted.
        surer = margins.sum(1)
        size = np.maximum(np.abs(decided), np.finfo(float).tiny)
        decided = np.where(surer == 0, decided, np.copysign(size, surer))
    return decided


def decide(rows: Float64Array, vote: str) -> Float64Array:
    """One score of every item: above 0 where its rows decide for +1.

    Parameters
    ----------
    rows : ndarray of shape (n_items, n_rows)
        Margins, or scores with raw features.
    vote : {"majority", "normalised", "raw"}

    Returns
    -------
    ndarray of shape (n_items,)

    Examples
    --------
    >>> decide(np.array([[9.0, -1.0]]), "majority").round(2).tolist()
    [0.2]
    >>> decide(np.array([[9.0, -1.0]]), "normalised").tolist()
    [4.0]
    """
    return majority(rows) if vote == "majority" else rows.mean(1)


def team_votes(
    pairs: Sequence[Pair],
    n_targets: int,
    items: Any,
    n_threads: int,
    made: Sequence[Any] | None = None,
) -> tuple[list[Float64Array], list[Float64Array]]:
    """Margins and scores of the rows of every class's pairs, which vote together.

    Parameters
    ----------
    pairs : sequence of Pair
        Class by class, as many of each.
    n_targets : int
        Classes that are told from the rest.
    items : batch of items
        As encoded.
    n_threads : int
    made : sequence of batch of items, optional
        Items as each pair's preparation makes them, where that was done before.

    Returns
    -------
    margins, scores : list of ndarray of shape (n_items, n_rows)
        One for each class against the rest; see :func:`sfmcore.learning.pair.votes_of`.
    """
    sharing: dict[int, list[int]] = {}
    for number, pair in enumerate(pairs):
        sharing.setdefault(id(pair.mapping), []).append(number)
    groups = list(sharing.values())
    if made is None:
        made = applied([pair.preparation for pair in pairs], items)
    prepared = [made[numbers[0]] for numbers in groups]
    at_once = min(n_threads, len(groups))
    tasks = (
        delayed(votes_of)([pairs[number] for number in numbers], own, n_threads // at_once)
        for numbers, own in zip(groups, prepared, strict=True)
    )
    results: list[tuple[Float64Array, Float64Array]] = [(_NONE, _NONE)] * len(pairs)
    for numbers, votes in zip(
        groups, Parallel(n_jobs=at_once, require="sharedmem")(tasks), strict=True
    ):
        for number, own in zip(numbers, votes, strict=True):
            results[number] = own
    # Every pair counts the same, however many rows it draws.
    most = math.lcm(*(margins.shape[1] for margins, _ in results))
    results = [(_repeated(margins, most), _repeated(scores, most)) for margins, scores in results]
    size = len(results) // n_targets
    starts = range(0, len(results), size)
    margins, scores = (
        [np.hstack([r[part] for r in results[k : k + size]]) for k in starts] for part in (0, 1)
    )
    return margins, scores


def _repeated(rows: Float64Array, n_rows: int) -> Float64Array:
    """Every row of an item as often as makes it `n_rows`."""
    return np.repeat(rows, n_rows // rows.shape[1], axis=1)


def class_shares(margins: Sequence[Float64Array]) -> Float64Array:
    """Shares of the Gibbs classifiers that vote for each class, of each item adding up to 1.

    Parameters
    ----------
    margins : sequence of ndarray of shape (n_items, n_rows)
        Of each class against the rest; of two classes those of the second.

    Returns
    -------
    ndarray of shape (n_items, n_classes)

    Examples
    --------
    >>> class_shares([np.array([[0.0]]), np.array([[0.0]]), np.array([[-40.0]])]).tolist()
    [[0.5, 0.5, 0.0]]
    """
    shares = np.column_stack([vote_shares(rows) for rows in margins])
    if len(margins) == 1:
        return np.column_stack([1.0 - shares, shares])
    # Each class against its rest. Where every class loses by far, shares vanish.
    far = shares.sum(1) < 1e-290
    if far.any():
        logs = np.column_stack([logsumexp(log_ndtr(rows[far]), axis=1) for rows in margins])
        shares[far] = np.exp(logs - logs.max(1, keepdims=True))
    return shares / shares.sum(1, keepdims=True)
