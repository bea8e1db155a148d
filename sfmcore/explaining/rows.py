"""From the columns of a map's rows to counts of an item, and to its extra vector."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfmcore.data.arrays import Float32Array, Float64Array
from sfmcore.data.with_vectors import items_of, vectors_of
from sfmcore.features.feature_map import Draws, FeatureMap


@dataclass(frozen=True)
class ColumnEvidence:
    """Evidence of the columns of one map's rows, in terms of an item's own numbers.

    An item's evidence is, summed over columns, ``counts * expected + vectors * v - base``, and
    `constant`, with `expected` the expected raw features and v the vectors beside the item.

    Attributes
    ----------
    mapping : FeatureMap
    expected : ndarray of shape (n_items, n_raw), float32
        Raw features, expected under the posterior of the hidden variables.
    counts : ndarray of shape (n_items, n_raw)
        What a unit of each is worth.
    counts_base : ndarray of shape (n_items, n_raw)
        What is taken off for it, which an item of training has in the mean.
    vectors, vectors_base : ndarray of shape (n_items, n_vectors)
        The same of the vectors.
    constant : ndarray of shape (n_items,)
        What the constant column adds.
    """

    mapping: FeatureMap
    expected: Float32Array
    counts: Float64Array
    counts_base: Float64Array
    vectors: Float64Array
    vectors_base: Float64Array
    constant: Float64Array

    def features(self, number: int) -> tuple[Float64Array, Float64Array]:
        """Evidence per unit of each feature of one model, and the sum that is subtracted.

        Parameters
        ----------
        number : int
            Of the model.

        Returns
        -------
        counts : ndarray of shape (n_items, n_features)
        base : ndarray of shape (n_items,)
        """
        columns = self.mapping.columns_of(number)
        counts = np.ascontiguousarray(self.counts[:, columns])
        return counts, np.sum(self.counts_base[:, columns], axis=1)


def column_evidence(
    mapping: FeatureMap,
    data: Any,
    n_draws: Draws,
    raw: Float32Array,
    rows: Float32Array,
    slopes: Float64Array,
    base: Float64Array,
) -> ColumnEvidence:
    """Undo what was done with the raw features: unit length, clipping, deviation, mean, size.

    A feature that was clipped counts as much less for every unit as was cut off. What draws say of
    a feature is shared out as its expectation is.

    Parameters
    ----------
    mapping : FeatureMap
    data : batch of items
    n_draws : int or "exact"
    raw : ndarray of shape (n_rows, n_raw), float32
    rows : ndarray of shape (n_rows, n_linear), float32
        What was made of them. A count is worth what the rounded number says.
    slopes, base : ndarray of shape (n_rows, n_linear)
        Of the rows; see :meth:`sfmcore.explaining.path.LinearPath.slopes`.
    """
    n_rows = len(raw) // max(len(data), 1)
    v = mapping.n_vectors
    said = slopes * rows
    counts_base = _summed(base[:, v:-1], n_rows)
    counted = said[:, v:-1]
    if mapping.conditioned:
        rates = mapping.rates(data, len(raw))[:, None]
        # A row is (raw * rate - mean) / deviation, times a factor: of clipping, length, rounding.
        each = _quotient(counted, raw * rates - mapping.mean)
        counts_base += _summed(each * mapping.mean, n_rows)
        counts = each * rates
        counted = counts * raw
    else:
        counts = _quotient(counted, raw)
    expected = raw
    if n_draws != "exact":
        expected, drawn = mapping.raw(items_of(data), "exact"), _summed(counted, n_rows)
        counts = _quotient(drawn, expected)
        # What is not expected at all, and was drawn, belongs to no place.
        counts_base -= np.where(expected == 0, drawn, 0.0)
    beside = np.repeat(vectors_of(data), n_rows, axis=0)
    return ColumnEvidence(
        mapping,
        expected,
        counts,
        counts_base,
        _summed(_quotient(said[:, :v], beside), n_rows),
        _summed(base[:, :v], n_rows),
        _summed(said[:, -1:] - base[:, -1:], n_rows)[:, 0],
    )


def _quotient(numbers: Float64Array, by: Float64Array | Float32Array) -> Float64Array:
    """Quotients, and 0 where something is divided by 0."""
    return np.divide(numbers, by, out=np.zeros_like(numbers), where=by != 0)


def _summed(rows: Float64Array, n_rows: int) -> Float64Array:
    """Sums over the rows of every item."""
    if n_rows == 1:
        return rows
    return rows.reshape(len(rows) // n_rows, n_rows, rows.shape[1]).sum(axis=1)
