"""Feature maps and pairs of a model file, as plain values and arrays, and back."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone

from sfmcore.data.arrays import below
from sfmcore.data.checks import check_choice, check_number, check_whole
from sfmcore.data.similarities import Similarities
from sfmcore.features.column_kernel import ColumnMap
from sfmcore.features.feature_map import FeatureMap
from sfmcore.features.nystroem import NystroemMap
from sfmcore.learning.members import Member
from sfmcore.learning.pair import Pair
from sfmcore.learning.settings import Settings
from sfmcore.models.base import GenerativeModel
from sfmcore.preparation.base import FittedPreparation

# Beyond it, sums of products leave the range of numbers; what was learnt never comes near.
_LARGEST = 1e30
_MAP_VALUES = ("conditioned", "clip", "n_vectors")
PAIR_ARRAYS = ("u", "prior_mean")
PAIR_VALUES = (
    "C", "n_draws", "vote", "seed", "objective", "bound", "acceptance", "converged",
    "models_converged", "n_iter",
)  # fmt: skip


def pack_map(mapping: FeatureMap | ColumnMap) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Values and arrays of one feature map with its models."""
    if not isinstance(mapping, FeatureMap):
        raise ValueError("a model file holds pairs of generative models")
    kernel = mapping.kernel
    values = {name: getattr(mapping, name) for name in _MAP_VALUES}
    values |= {
        "n_models": len(mapping.models),
        "gamma": None if kernel is None else kernel.gamma,
    }
    parts: dict[str, np.ndarray] = {"mean": mapping.mean, "scale": mapping.scale}
    if kernel is not None:
        parts["landmarks"] = kernel.landmarks
        if kernel.directions is not None:
            parts["directions"] = kernel.directions
        if kernel.similarities is not None:
            parts["similar_values"] = kernel.similarities.values
            parts["similar_references"] = kernel.similarities.references
            parts["similar_offsets"] = kernel.similarities.offsets
    for number, model in enumerate(mapping.models):
        parts |= {f"model{number}/{name}": a for name, a in model.get_arrays().items()}
    return values, parts


def most_models(settings: Settings, n_classes: int) -> int:
    """Largest number of models in a map: a pair, or one of all items and the shared ones."""
    shared = settings.n_shared_models > 0 and n_classes > 2
    return 1 + min(settings.n_shared_models, n_classes) if shared else 2


def unpack_map(
    member: Member, values: Mapping[str, Any], arrays: dict[str, np.ndarray], *, most_models: int
) -> FeatureMap:
    """The map that :func:`pack_map` gave, checked.

    Raises
    ------
    KeyError, TypeError, ValueError
        If something is missing, or does not fit the member.
    """
    check_whole("n_models", values["n_models"], 2)
    if values["n_models"] > most_models:
        raise ValueError(f"a map has at most {most_models} models, not {values['n_models']}")
    Settings(clip=values["clip"])
    check_choice("conditioned", values["conditioned"], (True, False))
    check_whole("n_vectors", values["n_vectors"], 0)
    if values["n_vectors"] != member.preparation.n_vectors:
        raise ValueError("n_vectors must be what the preparation puts beside an item")
    models = []
    for number in range(values["n_models"]):
        if not isinstance(member.model, GenerativeModel):
            raise ValueError("a model file holds pairs of generative models")
        own = below(arrays, f"model{number}/")
        models.append(clone(member.model).set_arrays(own))
    mapping = FeatureMap(models, **{name: values[name] for name in _MAP_VALUES})
    if values["gamma"] is not None:
        mapping.kernel = _unpack_kernel(
            values["gamma"], arrays, mapping.n_linear, member.preparation
        )
    for name in ("mean", "scale"):
        _check_numbers(name, arrays[name], len(mapping.mean))
    if not np.all(arrays["scale"] >= 1.0 / _LARGEST):
        raise ValueError(f"scale must be at least {1.0 / _LARGEST:g}")
    mapping.mean, mapping.scale = arrays["mean"], arrays["scale"]
    return mapping


def unpack_pair(
    values: Mapping[str, Any],
    mapping: FeatureMap,
    preparation: FittedPreparation,
    arrays: dict[str, np.ndarray],
) -> Pair:
    """A pair of values and arrays, over a map, checked.

    Raises
    ------
    KeyError, TypeError, ValueError
        If something is missing, or does not fit the map.
    """
    _check_values(values, len(mapping.models))
    names = PAIR_ARRAYS if mapping.kernel is None else (*PAIR_ARRAYS, "dual")
    for name in names:
        _check_numbers(name, arrays[name], mapping.n_features)
    own: dict[str, Any] = {name: arrays[name] for name in names}
    own |= {name: values[name] for name in PAIR_VALUES}
    return Pair(mapping, preparation=preparation, **own)


def _check_numbers(name: str, array: np.ndarray, length: int) -> None:
    """Refuse what is no row of so many finite numbers."""
    if array.shape != (length,) or array.dtype != np.float64:
        raise ValueError(f"{name} must hold {length} numbers")
    # Not NaN either: no comparison with it holds.
    if not np.all(np.abs(array) <= _LARGEST):
        raise ValueError(f"{name} must hold finite numbers of at most {_LARGEST:g}")


def _unpack_kernel(
    gamma: Any,
    arrays: Mapping[str, np.ndarray],
    n_columns: int,
    preparation: FittedPreparation,
) -> NystroemMap:
    check_number("gamma", gamma, "above 0", lambda gamma: gamma > 0)
    if "kernel_weights" in arrays:
        raise ValueError("its kernel was made by a development version: train it again")
    landmarks, directions = arrays["landmarks"], arrays.get("directions")
    if directions is not None:
        if directions.ndim != 2 or directions.shape[1] != n_columns or len(directions) == 0:
            raise ValueError(f"directions must have {n_columns} columns")
        if directions.dtype != np.float32 or not np.all(np.abs(directions) <= 1.001):
            raise ValueError("directions must be float32 rows of unit length")
        n_columns = len(directions)
    if landmarks.ndim != 2 or landmarks.shape[1] != n_columns or landmarks.dtype != np.float32:
        raise ValueError(f"landmarks must be float32 with {n_columns} columns")
    if not np.all(np.abs(landmarks) <= 1.001):
        raise ValueError("landmarks must be rows of unit length")
    similar = None
    if any(name.startswith("similar_") for name in arrays):
        if preparation.n_references == 0:
            raise ValueError("landmarks have similarities, and there are no references")
        similar = Similarities.of_arrays(
            below(arrays, "similar_"),
            len(landmarks),
            preparation.n_references,
            preparation.relative_weight,
        )
    return NystroemMap(landmarks, None, float(gamma), directions=directions, similarities=similar)


def _check_values(values: Mapping[str, Any], n_models: int) -> None:
    """Refuse what no learnt pair holds."""
    check_number("C", values["C"], "above 0", lambda C: C > 0)
    Settings(n_draws=values["n_draws"], vote=values["vote"])
    check_whole("seed", values["seed"], 0)
    check_number("seed", values["seed"], "below 2**64", lambda seed: seed < 2**64)
    check_whole("models_converged", values["models_converged"], 0)
    if values["models_converged"] > n_models:
        raise ValueError(f"models_converged must be at most {n_models}")
    check_whole("n_iter", values["n_iter"], 1)
    check_choice("converged", values["converged"], (True, False))
    for name in ("objective", "bound", "acceptance"):
        for value in values[name]:
            check_number(name, value, "at each iteration", lambda _: True)
    if not values["objective"] or len(values["objective"]) != len(values["bound"]):
        raise ValueError("objective and bound must hold a number for each iteration")
