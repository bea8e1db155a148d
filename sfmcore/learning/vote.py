"""From the scores of many draws and pairs to one decision."""

import numpy as np
from scipy.special import log_ndtr, logsumexp, ndtri_exp

from sfmcore.bounds.objective import upper_tail
from sfmcore.data.arrays import Float64Array


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
    """
    if margins.shape[1] == 1:
        return margins[:, 0]
    votes_for, votes_against = (
        logsumexp(log_ndtr(sign * margins), axis=1) - np.log(margins.shape[1]) for sign in (1, -1)
    )
    # The smaller share is the one that is not rounded away.
    return np.where(votes_for < votes_against, ndtri_exp(votes_for), -ndtri_exp(votes_against))


def decide(rows: Float64Array, vote: str) -> Float64Array:
    """One score of every item: above 0 where its rows decide for +1.

    Parameters
    ----------
    rows : ndarray of shape (n_items, n_rows)
        Margins, or scores with features as they come.
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
