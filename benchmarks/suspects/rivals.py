"""Rankings and sets by others of the same probabilities; cleanlab, where it is installed."""

from importlib.util import find_spec

import numpy as np


def rival_rankings(shares: np.ndarray, given: np.ndarray) -> dict[str, np.ndarray]:
    """Scores by name, larger for what is more suspect.

    Parameters
    ----------
    shares : ndarray of shape (n_items, n_classes)
    given : ndarray of shape (n_items,), int
    """
    every = np.arange(len(given))
    rest = shares.copy()
    rest[every, given] = -1.0
    found = {"normalised margin": rest.max(axis=1) - shares[every, given]}
    if find_spec("cleanlab") is None:
        return found
    from cleanlab.rank import get_label_quality_scores

    shares = shares / shares.sum(axis=1, keepdims=True)
    for method in ("self_confidence", "normalized_margin", "confidence_weighted_entropy"):
        quality = get_label_quality_scores(given, shares, method=method)
        found[f"cleanlab, {method}"] = -quality
    return found


def rival_sets(shares: np.ndarray, given: np.ndarray) -> dict[str, np.ndarray]:
    """Sets of suspects by name, as masks; see :func:`rival_rankings`."""
    found = {"most probable class is another": shares.argmax(axis=1) != given}
    if find_spec("cleanlab") is None:
        return found
    from cleanlab.filter import find_label_issues

    shares = shares / shares.sum(axis=1, keepdims=True)
    for way in ("prune_by_noise_rate", "confident_learning"):
        found[f"cleanlab, {way}"] = find_label_issues(given, shares, filter_by=way, n_jobs=1)
    return found
