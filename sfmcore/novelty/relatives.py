"""Similarity of an item to the training items, and agreement with the votes."""

import numpy as np
from scipy.special import expit

from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.data.similarities import Similarities
from sfmcore.learning.evidence import N_COLUMNS as N_OF_CLASS
from sfmcore.learning.evidence import ReferenceClasses, evidence

N_COLUMNS = 2
"""Columns of evidence of the relatives alone."""
N_WITH_VOTES = 5
"""Columns of evidence of relatives and votes."""

# All relatives of a class together, of the columns of a class, and the unit that they are in.
_TOGETHER = N_OF_CLASS - 1
_UNIT = 50.0
# Items at a time: each has a few numbers for every class.
_CHUNK = 256
_TINY = 1e-30


def relatives_evidence(
    similarities: Similarities,
    members: ReferenceClasses,
    votes: Float64Array | None,
    scores: Float64Array | None,
    left_out: Int64Array | None = None,
) -> Float64Array:
    """Columns of evidence; each is larger, the more typical the item is.

    How near the relatives of the nearest class are, and how much farther those of the second; with
    votes also how near the relatives of the class voted for are, by how much it wins, and how
    probable the likeliest class is by votes and relatives.

    Parameters
    ----------
    similarities : Similarities
    members : ReferenceClasses
    votes : ndarray of shape (n_items, n_classes), or None
        Scores of every class against the rest, of more than two classes.
    scores : ndarray of shape (n_items, n_classes), or None
        Log-odds of every class by votes and relatives; there if the votes are.
    left_out : ndarray of shape (n_items,), int64, optional
        A class for each item that is taken to be unknown.

    Returns
    -------
    ndarray of shape (n_items, N_COLUMNS) or (n_items, N_WITH_VOTES)

    Examples
    --------
    >>> found = Similarities.of(np.float32([[30, 0], [0, 0]]))
    >>> members = ReferenceClasses(np.array([0, 1]), np.array([0, 1]), 3)
    >>> relatives_evidence(found, members, None, None).round(2).tolist()
    [[3.43, 3.43], [0.0, 0.0]]
    >>> relatives_evidence(found, members, None, None, left_out=np.array([0, 0])).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    n_items = len(similarities)
    out = np.empty((n_items, N_COLUMNS if votes is None else N_WITH_VOTES))
    for start in range(0, n_items, _CHUNK):
        part = slice(start, start + _CHUNK)
        own = out[part]
        places = np.arange(len(own))
        near = np.log1p(_UNIT * evidence(similarities[part], members)[:, :, _TOGETHER])
        if left_out is not None:
            near[places, left_out[part]] = 0.0
        sorted_near = np.sort(near, axis=1)
        own[:, 0] = sorted_near[:, -1]
        # Without one of two classes there is no second.
        second = sorted_near[:, -2] if members.n_classes > 2 else sorted_near[:, -1]
        own[:, 1] = sorted_near[:, -1] - second
        if votes is not None and scores is not None:
            left = votes[part].copy()
            if left_out is not None:
                left[places, left_out[part]] = -np.inf
            own[:, 2] = near[places, left.argmax(axis=1)]
            sorted_votes = np.sort(left, axis=1)
            own[:, 3] = sorted_votes[:, -1] - sorted_votes[:, -2]
            gone = None if left_out is None else left_out[part]
            own[:, 4] = _largest_log_odds(scores[part], gone)
    return out


def _largest_log_odds(scores: Float64Array, left_out: Int64Array | None) -> Float64Array:
    """Log-odds of the likeliest class against all others; one class may be left out."""
    shares = expit(scores)
    if left_out is not None:
        shares[np.arange(len(shares)), left_out] = 0.0
    places = shares.argmax(axis=1)
    best = shares[np.arange(len(shares)), places]
    shares[np.arange(len(shares)), places] = 0.0
    # Sums, where a difference from 1 would lose what is small.
    rest = shares.sum(axis=1)
    return np.asarray(np.log(np.maximum(best, _TINY)) - np.log(np.maximum(rest, _TINY)))
