"""Margin by which a class wins the votes."""

import numpy as np

from sfmcore.data.arrays import Float64Array, Int64Array


def votes_evidence(votes: Float64Array, left_out: Int64Array | None = None) -> Float64Array:
    """Columns of evidence; each is larger, the more typical the item is.

    The largest score, and by how much it is above the second. Of two classes how far the score is
    from 0.

    Parameters
    ----------
    votes : ndarray of shape (n_items, n_targets)
        Scores of every class against the rest; of two classes those of the second.
    left_out : ndarray of shape (n_items,), int64, optional
        A class for each item that is taken to be unknown; of two classes that changes nothing.

    Returns
    -------
    ndarray of shape (n_items, n_columns)
        1 column for two classes, else 2.

    Examples
    --------
    >>> votes_evidence(np.array([[3.0, -1.0, -2.0]])).tolist()
    [[3.0, 4.0]]
    >>> votes_evidence(np.array([[3.0, -1.0, -2.0]]), np.array([0])).tolist()
    [[-1.0, 1.0]]
    >>> votes_evidence(np.array([[-3.0]])).tolist()
    [[3.0]]
    """
    if votes.shape[1] == 1:
        return np.abs(votes)
    left = votes.astype(np.float64)
    if left_out is not None:
        left[np.arange(len(left)), left_out] = -np.inf
    largest = np.sort(left, axis=1)[:, -2:]
    return np.column_stack([largest[:, 1], largest[:, 1] - largest[:, 0]])
