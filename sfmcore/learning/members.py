"""Ways to learn pairs, whose votes are taken together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from sfmcore.data.arrays import Float64Array, Int64Array
from sfmcore.features.column_kernel import ColumnKernel
from sfmcore.learning.settings import Settings
from sfmcore.models.base import GenerativeModel
from sfmcore.parallel.tasks import kept, parts_of
from sfmcore.preparation.base import UNCHANGED, FittedPreparation, Preparation


@dataclass(frozen=True)
class Candidate:
    """A way to learn pairs, before anything is learnt.

    Attributes
    ----------
    model : GenerativeModel or ColumnKernel
        Unfitted.
    preparation : Preparation
        Unfitted. Candidates that share one object share what it learns.
    settings : Settings
    """

    model: GenerativeModel | ColumnKernel
    preparation: Preparation
    settings: Settings


@dataclass(frozen=True)
class Member:
    """A way to learn pairs, with its fitted preparation.

    Attributes
    ----------
    model : GenerativeModel or ColumnKernel
        Unfitted.
    settings : Settings
    preparation : FittedPreparation, optional
        What is done with the items first.
    """

    model: GenerativeModel | ColumnKernel
    settings: Settings
    preparation: FittedPreparation = UNCHANGED

    @classmethod
    def of(cls, candidate: Candidate, preparation: FittedPreparation) -> "Member":
        """Give the model the parameters that it has and the preparation knows."""
        model = clone(candidate.model)
        own = model.get_params()
        known = {name: v for name, v in preparation.model_parameters.items() if name in own}
        return cls(model.set_params(**known), candidate.settings, preparation)


def prepared_members(
    candidates: Sequence[Candidate],
    items: Any,
    numbers: Int64Array,
    weights: Float64Array,
    *,
    seed: int,
    n_threads: int,
) -> list[Member]:
    """Fit the preparations of the candidates, each once.

    Candidates of one model and one preparation have one model as members, too.

    Parameters
    ----------
    candidates : sequence of Candidate
    items : batch of items
        As encoded.
    numbers : ndarray of shape (n_items,), int64
        Class of each item; -1 for an item without label.
    weights : ndarray of shape (n_items,)
        An item of weight 0 is not seen.
    seed : int
    n_threads : int
        The result does not depend on it.
    """
    fitted: dict[int, FittedPreparation] = {}
    for own in (candidate.preparation for candidate in candidates):
        if id(own) not in fitted:
            fitted[id(own)] = _fitted(own, len(fitted), items, numbers, weights, seed, n_threads)
    members: dict[tuple[int, int], Member] = {}
    for one in candidates:
        parts = id(one.model), id(one.preparation)
        if parts not in members:
            members[parts] = Member.of(one, fitted[id(one.preparation)])
    return [
        replace(members[id(one.model), id(one.preparation)], settings=one.settings)
        for one in candidates
    ]


def applied_to_training(members: Sequence[Member], items: Any) -> list[Any]:
    """All training items as the preparation of each member makes them; equal ones do it once.

    Parameters
    ----------
    members : sequence of Member
    items : batch of items
        As encoded.
    """
    made: dict[int, Any] = {}
    for own in (member.preparation for member in members):
        if id(own) not in made:
            with parts_of(f"items {len(made)}"):
                made[id(own)] = own.apply_to_training(items)
    return [made[id(member.preparation)] for member in members]


def _fitted(
    preparation: Preparation,
    number: int,
    items: Any,
    numbers: Int64Array,
    weights: Float64Array,
    seed: int,
    n_threads: int,
) -> FittedPreparation:
    def pack(fitted: FittedPreparation) -> dict[str, np.ndarray] | None:
        return None if fitted is UNCHANGED else fitted.get_arrays()

    def unpack(arrays: dict[str, np.ndarray] | None) -> FittedPreparation:
        return UNCHANGED if arrays is None else preparation.of_arrays(arrays, n_threads)

    def fit() -> FittedPreparation:
        learn = partial(preparation.fit, items, weights, seed=seed, n_threads=n_threads)
        return preparation.tune(
            kept("fit", learn, pack, unpack), items, numbers, weights, seed=seed
        )

    return kept(f"preparation {number}", fit, pack, unpack)
