"""Changes to a model file that are sealed again: of its header's values, and of its arrays."""

import copy
import math
from random import Random
from typing import Any

import numpy as np

from tests.fuzz.resealing import array_bytes, closed, opened, preamble

_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 7, 1000, 10**6, 10**9, 10**18, 2**63, 2**64, -(10**18),
    10**400, 0.0, -0.0, 0.5, 1.5, -1.5, 5e-324, 1e-300, 1e308, -1e308, math.nan, math.inf, "", "a",
    "auto", "bound", "exact", "tab\there", "line\nend", "\x1b[31m", "\x00", "\ud800", "é", "1",
    "x" * 5000, [], [[]], [0], [1, 2], ["a", "b"], [None], {}, {"type": "Columns"}, "unclassified",
    {"type": "CategoricalHMM", "parameters": {}}, [[1, 1], [2, 2]], [10**9], [-1], [0.5, 1e308],
)  # fmt: skip
_NUMBERS = (0.0, -0.0, 1.0, -1.0, 5e-324, 1e-300, 1e-30, 1e30, 1e38, 1e308, -1e308, math.nan,
            math.inf, -math.inf, 0.5, 1e5)  # fmt: skip
# What a file must not decide, and what only some models have.
_KEYS = ("cache", "n_jobs", "verbose", "max_pixels", "allow_truncated", "random_state", "inputs",
         "n_vectors", "gamma", "certificate", "prepare", "model", "weighted", "max_side", "step",
         "n_pairs", "n_draws", "levels", "window", "n_words", "unlabeled")  # fmt: skip
_DTYPES = ("|b1", "|i1", "|u1", "<i4", "<i8", "<u8", "<f4", "<f8")
Change = dict[str, Any]


def drawn(data: bytes, random: Random) -> list[Change]:
    """One to three changes that fit this file."""
    header, _ = opened(data)
    return [_one(header, random) for _ in range(random.choice((1, 1, 1, 2, 3)))]


def applied(data: bytes, changes: list[Change]) -> bytes:
    """The file with the changes, sealed; those that don't fit any more are left out."""
    header, members = opened(data)
    for change in changes:
        try:
            if "array" in change:
                _change_array(header, members, change)
            else:
                header = _change_value(header, change)
        except (KeyError, IndexError, TypeError, ValueError):
            continue  # an earlier change took its place away
    return closed(header, members)


def _one(header: Any, random: Random) -> Change:
    if header["arrays"] and random.random() < 0.4:
        change = {"array": random.choice(sorted(header["arrays"]))}
        kind = random.choice(
            ("number", "number", "number", "all", "shape", "dtype", "drop", "copy")
        )
        # A place beyond an array's end counts on from its start.
        change |= {"kind": kind, "at": random.randrange(10**6)}
        choices = {"number": _NUMBERS, "all": _NUMBERS, "dtype": _DTYPES, "drop": (None,)}
        choices |= {"shape": ("shorter", "flat", "turned", "empty", "one more", "huge")}
        choices |= {"copy": sorted(header["arrays"])}
        return change | {"value": random.choice(choices[kind])}
    # The state is what models are made of; the rest is looked at by few.
    start = ["state"] if random.random() < 0.9 else []
    part = header["state"] if start else header
    path = start + random.choice(_paths(part))
    if random.random() < 0.1:
        return {"path": path, "drop": True}
    if random.random() < 0.1:
        return {"path": [*path[:-1], random.choice(_KEYS)], "value": random.choice(_VALUES)}
    if random.random() < 0.15:
        other = _at(header, start + random.choice(_paths(part)))
        return {"path": path, "value": other}
    return {"path": path, "value": random.choice(_VALUES)}


def _paths(value: Any) -> list[list[Any]]:
    """The way to every value inside a value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    paths = []
    for key, inner in pairs:
        paths.append([key])
        if isinstance(inner, dict | list):
            paths += [[key, *path] for path in _paths(inner)]
    return paths


def _at(value: Any, path: list[Any]) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else value[key]
    return value


def _change_value(header: Any, change: Change) -> Any:
    header = copy.deepcopy(header)
    *way, key = change["path"]
    place = _at(header, way)
    if change.get("drop"):
        del place[key]
    else:
        place[key] = change["value"]
    return header


def _change_array(header: Any, members: dict[str, bytes], change: Change) -> None:
    name, kind, value = change["array"], change["kind"], change["value"]
    spec, member = header["arrays"][name], f"{name}.npy"
    if kind == "drop":
        del header["arrays"][name], members[member]
        return
    array = np.frombuffer(array_bytes(members[member])[1], spec["dtype"]).reshape(spec["shape"])
    array = array.copy()
    with np.errstate(all="ignore"):
        if kind == "number" and array.size:
            array.flat[change["at"] % array.size] = _as(array, value)
        elif kind == "all":
            array[...] = _as(array, value)
        elif kind == "dtype":
            array = array.astype(value)
        elif kind == "copy":
            other = header["arrays"][value]
            numbers = array_bytes(members[f"{value}.npy"])[1]
            array = np.frombuffer(numbers, other["dtype"]).reshape(other["shape"])
        elif kind == "shape":
            array = _reshaped(array, value)
    spec = {"dtype": array.dtype.str, "shape": list(array.shape)}
    if value == "huge":  # a size that the member does not have
        spec["shape"] = [10**12, *spec["shape"][1:]]
    header["arrays"][name] = spec
    members[member] = preamble(**spec) + array.tobytes()


def _as(array: np.ndarray, value: float) -> Any:
    """The number, or the nearest that the array's type holds."""
    if array.dtype.kind == "f":
        return np.float64(value).astype(array.dtype)
    if array.dtype.kind == "b":
        return bool(value)
    limits = np.iinfo(array.dtype)
    if not math.isfinite(value):
        return limits.max if value != -math.inf else limits.min
    return max(min(int(value), limits.max), limits.min)


def _reshaped(array: np.ndarray, how: str) -> np.ndarray:
    if how == "shorter":
        return array[:-1].copy()
    if how == "flat":
        return array.reshape(-1)
    if how == "turned":
        return np.ascontiguousarray(array.T)
    if how == "empty":
        return array[:0].copy()
    if how == "one more":
        return np.concatenate([array, array[-1:]])
    return array
