"""What a fitted classifier says of items, all of it at once."""

from collections.abc import Sequence
from typing import NamedTuple

from sfmcore.data.arrays import Float64Array


class Judged(NamedTuple):
    """Predictions of a classifier for items.

    Attributes
    ----------
    scores : ndarray of shape (n_items,) or (n_items, n_classes)
        As of :meth:`FittedClassifier.decision_function`.
    shares : ndarray of shape (n_items, n_classes)
        As of :meth:`FittedClassifier.predict_proba`.
    votes : ndarray of shape (n_items,) or (n_items, n_classes)
        The scores before relatives are weighed against them.
    margins : sequence of ndarray of shape (n_items, n_rows)
        Of the rows that vote, for each class against the rest; one for two classes.
    """

    scores: Float64Array
    shares: Float64Array
    votes: Float64Array
    margins: Sequence[Float64Array] = ()
