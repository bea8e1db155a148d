"""Fitting generative models, and learning the map to their features."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from sfmcore.data.arrays import Float64Array, Int64Array, UInt64Array
from sfmcore.data.rows import Rows
from sfmcore.data.streams import MAP_SAMPLE
from sfmcore.data.with_vectors import items_of, vectors_of
from sfmcore.features.feature_map import FeatureMap
from sfmcore.kernels import _random
from sfmcore.learning.settings import Settings
from sfmcore.models.base import GenerativeModel
from sfmcore.parallel.halfway import resumable

MOST_NUMBERS = 1 << 27
"""Raw features of training items that are in memory at a time, at most: half a gigabyte."""


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
    with resumable("em"):
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
    classes: Int64Array | None = None,
) -> tuple[FeatureMap, Rows]:
    """Learn the conditioning and the kernel of the features; the map, and all items' rows.

    From all items, or where their raw features take more than half a gigabyte, from as many as
    do not.

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
    classes : ndarray of shape (n_items,), int64, optional
        Class of each item; see :meth:`FeatureMap.fit_kernel`.

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
    n_rows = 1 if n_draws == "exact" else n_draws
    sample = _sample(mapping, items, weights, MOST_NUMBERS // (n_rows * mapping.n_linear), seed)
    few = items if sample is None else items[sample]
    raw = mapping.raw(few, n_draws, keys if sample is None else keys[sample])
    shares = weights if sample is None else weights[sample]
    mapping.fit_conditioning(few, raw, shares)
    if settings.n_landmarks > 0:
        mapping.fit_kernel(
            few,
            raw,
            shares,
            n_landmarks=settings.n_landmarks,
            gamma=settings.gamma,
            seed=seed,
            rank=settings.kernel_rank,
            classes=classes if classes is None or sample is None else classes[sample],
        )
    if sample is None:
        return mapping, mapping.condition(items, raw)
    del raw
    return mapping, mapping.training_rows(items, n_draws, keys)


def _sample(
    mapping: FeatureMap, items: Any, weights: Float64Array, most: int, seed: int
) -> Int64Array | None:
    """Places of the items that conditioning and kernel are learnt from; None for all of them.

    What an item holds decides, so that neither order nor repetition of items does.
    """
    if len(items) <= most:
        return None
    seen = np.flatnonzero(weights > 0)
    content = mapping.content_keys(items)[seen]
    order = np.argsort(_random.stream_keys(seed, MAP_SAMPLE, content), kind="stable")
    return np.sort(seen[order[:most]])
