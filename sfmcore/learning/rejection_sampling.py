"""Choosing draws from Q_i(h): rejection, then an exact draw among the proposals."""

import numpy as np

from sfmcore.data.arrays import Float64Array, Int64Array


def choose_proposals(
    log_weights: Float64Array, uniforms: Float64Array, n_draws: int
) -> tuple[Int64Array, Int64Array]:
    """Choose `n_draws` of each item's proposals from P(h | x), so that they follow Q.

    Q(h) is proportional to P(h | x) exp(log_weight), with log weights of at most 0. A proposal
    is accepted with probability exp(log_weight); an accepted one follows Q exactly. Where fewer
    than `n_draws` of the proposals are accepted, the missing draws are taken among all the
    proposals of the item in proportion to their weights (sampling-importance-resampling),
    so the procedure always ends. For a misclassified item at m = 500 the acceptance rate is
    about exp(-500), and plain rejection would not.

    Resampled draws follow Q as the number of proposals grows; where few proposals carry nearly
    all the weight they only approach it.

    Parameters
    ----------
    log_weights : ndarray of shape (n_items, n_proposals)
        ``-kappa_i * E_w[loss]`` of every proposal.
    uniforms : ndarray of shape (n_items, n_proposals + n_draws)
        Random numbers in [0, 1).
    n_draws : int

    Returns
    -------
    chosen : ndarray of shape (n_items, n_draws)
        Numbers of the chosen proposals.
    accepted : ndarray of shape (n_items,)
        How many of the item's proposals passed the rejection step.

    Examples
    --------
    >>> log_weights = np.array([[0.0, -900.0, 0.0], [-900.0, -950.0, -990.0]])
    >>> chosen, accepted = choose_proposals(log_weights, np.full((2, 5), 0.5), n_draws=2)
    >>> chosen.tolist(), accepted.tolist()
    ([[0, 2], [0, 0]], [2, 0])
    """
    n_proposals = log_weights.shape[1]
    passed = uniforms[:, :n_proposals] < np.exp(log_weights)
    accepted = passed.sum(1)
    # The accepted ones first, each group in its own order.
    chosen = np.argsort(~passed, axis=1, kind="stable")[:, :n_draws].astype(np.int64)
    if chosen.shape[1] < n_draws:
        chosen = np.pad(chosen, ((0, 0), (0, n_draws - chosen.shape[1])))
    short = np.flatnonzero(accepted < n_draws)
    if len(short):
        weights = np.exp(log_weights[short] - log_weights[short].max(1, keepdims=True))
        cumulated = np.cumsum(weights, axis=1)
        targets = uniforms[short, n_proposals:] * cumulated[:, -1:]
        resampled = (cumulated[:, None, :-1] <= targets[:, :, None]).sum(2)
        missing = np.arange(n_draws) >= accepted[short, None]
        chosen[short] = np.where(missing, resampled, chosen[short])
    return chosen, accepted
