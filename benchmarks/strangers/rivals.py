"""Other scores of how typical an input is, from the same fitted classifier or the same half."""

from typing import Any

import numpy as np
from sklearn.covariance import LedoitWolf
from sklearn.decomposition import PCA

from sfmcore.data.arrays import Float64Array
from sfmcore.data.ragged import Ragged

_MOST_COLUMNS = 200
_CHUNK = 512


def confidence(model: Any, items: Any) -> Float64Array:
    """Share of the votes, or probability, of the predicted class."""
    return np.asarray(model.predict_proba(items).max(axis=1))


def largest_score(model: Any, items: Any) -> Float64Array:
    """Score of the predicted class."""
    scores = model.decision_function(items)
    return np.abs(scores) if scores.ndim == 1 else scores.max(axis=1)


class FeatureDistances:
    """Distances in the features of the classifier's first map.

    Parameters
    ----------
    model : SFMClassifier
        Fitted.
    items : batch of items
        That it was fitted to.
    labels : ndarray of shape (n_items,)
    """

    def __init__(self, model: Any, items: Any, labels: np.ndarray) -> None:
        self._model = model
        self._rows = self._features(items)
        self._reduce = None
        if self._rows.shape[1] > _MOST_COLUMNS:
            rank = min(_MOST_COLUMNS, len(self._rows) // 2)
            self._reduce = PCA(rank, random_state=0).fit(self._rows)
        placed = self._placed(self._rows)
        means = np.array([placed[labels == label].mean(axis=0) for label in np.unique(labels)])
        own = means[np.searchsorted(np.unique(labels), labels)]
        self._precision = LedoitWolf(assume_centered=True).fit(placed - own).precision_
        self._means = means

    def _features(self, items: Any) -> np.ndarray:
        model = self._model
        made = model.prepared(model.preparation.encode(items, model))[0]
        mapping = model.pairs_[0].mapping
        parts = [
            mapping.features(made[start : start + _CHUNK], "exact")
            for start in range(0, len(made), _CHUNK)
        ]
        return np.vstack(parts).astype(np.float64)

    def _placed(self, rows: np.ndarray) -> np.ndarray:
        return rows if self._reduce is None else self._reduce.transform(rows)

    def scores(self, items: Any) -> dict[str, Float64Array]:
        """Nearness to the nearest training row, and to the nearest class mean (Mahalanobis)."""
        rows = self._features(items)
        squares = np.sum(self._rows**2, axis=1) - 2.0 * rows @ self._rows.T
        nearest = squares.min(axis=1) + np.sum(rows**2, axis=1)
        placed = self._placed(rows)
        to_means = []
        for mean in self._means:
            steps = placed - mean
            to_means.append(np.sum((steps @ self._precision) * steps, axis=1))
        return {
            "nearest training row": -nearest,
            "Mahalanobis distance": -np.min(to_means, axis=0),
        }


def best_e_value(train: Ragged, items: Ragged) -> Float64Array:
    """Minus the logarithm of phmmer's best E-value, of at most 10; lower still without a hit."""
    # Only this needs pyhmmer.
    from benchmarks.tables.proteins.best_hit import best_hits

    _, _, e_values = best_hits(train, items, cpus=1)
    return -np.log(np.clip(e_values, 1e-300, 100.0))
