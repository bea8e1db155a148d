"""Conversion of model files of earlier formats."""

from collections.abc import Mapping
from typing import Any

import numpy as np

_OF_A_MAP = ("conditioned", "clip", "n_vectors", "gamma")
_SIDES = {"positive/": "model0/", "negative/": "model1/"}


def with_maps(
    state: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """State and arrays with the maps in a list of their own, as from format 5 on.

    Before it every pair had a map to itself, whose values and arrays stood among its own. Formats 1
    and 2 knew no kernel, and format 1 no vectors beside the items.

    Parameters
    ----------
    state : mapping
    arrays : mapping of str to ndarray

    Raises
    ------
    KeyError, TypeError
        If something is missing.
    """
    maps, pairs = [], []
    for number, values in enumerate(state["pairs"]):
        own = {name: value for name, value in values.items() if name not in _OF_A_MAP}
        pairs.append({**own, "map": number})
        maps.append(
            {
                "conditioned": values["conditioned"],
                "clip": values["clip"],
                "n_vectors": values.get("n_vectors", 0),
                "gamma": values.get("gamma"),
                "n_models": 2,
            }
        )
    return {**state, "maps": maps, "pairs": pairs}, {_moved(n): a for n, a in arrays.items()}


def _moved(name: str) -> str:
    """Name of an array since format 5."""
    owner, _, rest = name.partition("/")
    if not owner.startswith("pair"):
        return name
    for old, new in _SIDES.items():
        if rest.startswith(old):
            return f"map{owner[4:]}/{new}{rest.removeprefix(old)}"
    if rest in ("mean", "scale", "landmarks", "kernel_weights"):
        return f"map{owner[4:]}/{rest}"
    return name
