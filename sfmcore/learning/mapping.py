"""Fitting generative models, and learning the map to their features."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from sfmcore.data.arrays import Float64Array, Int64Array, UInt64Array
from sfmcore.data.rows import Rows
from sfmcore.data.with_vectors import items_of, vectors_of
from sfmcore.features.feature_map import FeatureMap
from sfmcore.learning.settings import Settings
from sfmcore.models.base import GenerativeModel


def fit_model(
    unfitted: GenerativeModel,
    items: Any,
    weights: Float64Array,
    members: Int64Array,
    *,
    seed: Sequence[int],
    n_threads: int,
) -> GenerativeModel:
    """A generative model of some of the items.

    Parameters
    ----------
    unfitted : GenerativeModel
        Cloned.
    items : batch of items
    weights : ndarray of shape (n_items,)
    members : ndarray of shape (n_members,), int64
        Items that it is fitted to.
    seed : sequence of int
        Of its random starts.
    n_threads : int
        The result does not depend on it.
    """
    model: GenerativeModel = clone(unfitted)
    own = int(np.random.SeedSequence(seed).generate_state(1)[0])
    model.set_params(random_state=own, n_jobs=n_threads)
    return model.estimate(items_of(items)[members], weights[members])


def learn_map(
    models: Sequence[GenerativeModel],
    settings: Settings,
    items: Any,
    weights: Float64Array,
    *,
    keys: UInt64Array,
    seed: int,
    n_threads: int,
) -> tuple[FeatureMap, Rows]:
    """Learn the conditioning and the kernel of the features; the map, and all items' rows.

    Parameters
    ----------
    models : sequence of GenerativeModel
        Fitted.
    settings : Settings
    items : batch of items
    weights : ndarray of shape (n_items,)
        An item of weight 0 has a row, and nothing is learnt from it.
    keys : ndarray of shape (n_items,), uint64
        Random stream of each item.
    seed : int
        Of the choice of landmarks.
    n_threads : int
        The result does not depend on it.

    Returns
    -------
    mapping : FeatureMap
    rows : ndarray or csr_array of shape (n_items * n_draws, n_features), float32
    """
    own = models[0].conditioned if settings.conditioning is None else settings.conditioning
    mapping = FeatureMap(
        models,
        conditioned=own,
        clip=settings.clip,
        n_vectors=vectors_of(items).shape[1],
        n_threads=n_threads,
    )
    n_draws = settings.n_draws
    if settings.n_landmarks == 0 and mapping.is_sparse(n_draws):
        return mapping, mapping.training_rows(items, n_draws, keys)
    raw = mapping.raw(items, n_draws, keys)
    mapping.fit_conditioning(items, raw, weights)
    if settings.n_landmarks > 0:
        mapping.fit_kernel(
            items,
            raw,
            weights,
            n_landmarks=settings.n_landmarks,
            gamma=settings.gamma,
            seed=seed,
            rank=settings.kernel_rank,
        )
    return mapping, mapping.condition(items, raw)
