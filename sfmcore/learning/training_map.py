"""The feature map of a training set, with its rows, as the settings say."""

from collections.abc import Sequence
from typing import Any

from sfmcore.data.arrays import Float64Array, UInt64Array
from sfmcore.data.rows import Rows
from sfmcore.data.with_vectors import vectors_of
from sfmcore.features.column_kernel import ColumnMap
from sfmcore.features.feature_map import FeatureMap
from sfmcore.learning.settings import Settings
from sfmcore.models.base import GenerativeModel


def map_of_models(
    models: Sequence[GenerativeModel],
    conditioned: bool,
    data: Any,
    weights: Float64Array,
    settings: Settings,
    *,
    seed: int,
    keys: UInt64Array,
    n_threads: int,
) -> tuple[FeatureMap, Rows]:
    """Learn the conditioning and the kernel of the features of two fitted models.

    Parameters
    ----------
    models : sequence of two GenerativeModel
    conditioned : bool
        Whether features are conditioned where the settings do not say.
    data : batch of items
    weights : ndarray of shape (n_items,)
        Weight of each item; 0 keeps it out.
    settings : Settings
    seed : int
    keys : ndarray of shape (n_items,), uint64
        Random stream of each item.
    n_threads : int

    Returns
    -------
    mapping : FeatureMap
    rows : ndarray or csr_array of shape (n_items * n_draws, n_features), float32
    """
    if settings.conditioning is not None:
        conditioned = settings.conditioning
    positive, negative = models
    mapping = FeatureMap(
        positive,
        negative,
        conditioned=conditioned,
        clip=settings.clip,
        n_vectors=vectors_of(data).shape[1],
        n_threads=n_threads,
    )
    if settings.n_landmarks == 0 and mapping.is_sparse(settings.n_draws):
        return mapping, mapping.training_rows(data, settings.n_draws, keys)
    raw = mapping.raw(data, settings.n_draws, keys)
    mapping.fit_conditioning(data, raw, weights)
    if settings.n_landmarks > 0:
        mapping.fit_kernel(
            data,
            raw,
            weights,
            n_landmarks=settings.n_landmarks,
            gamma=settings.gamma,
            seed=seed,
        )
    return mapping, mapping.condition(data, raw)


def map_of_columns(
    data: Float64Array,
    weights: Float64Array,
    settings: Settings,
    *,
    seed: int,
    n_threads: int,
) -> tuple[ColumnMap, Rows]:
    """Take the landmarks of a kernel on the columns; parameters as of :func:`map_of_models`."""
    mapping = ColumnMap.of(
        data,
        weights,
        kernel=settings.kernel,
        n_landmarks=settings.n_landmarks,
        gamma=settings.gamma,
        seed=seed,
        n_threads=n_threads,
    )
    return mapping, mapping.features(data)
