"""Settings that `SFMClassifierCV` tries: those with mixtures, and kernels on the columns."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sfmcore.data.checks import check_choice, check_number, check_whole
from sfmcore.estimators.selection import candidates_of
from sfmcore.preparation.columns import SCALINGS

MIXTURE_GRID = (
    "scaling", "n_components", "n_landmarks", "gamma", "conditioning", "clip", "prior", "n_draws",
    "coupling",
)  # fmt: skip
COLUMN_GRID = ("column_scaling", "column_landmarks", "gaussian_gamma", "laplacian_gamma")


def mixture_settings(parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All combinations of the grid of mixtures that differ.

    Parameters
    ----------
    parameters : mapping
        Those of `MIXTURE_GRID`, a value or a sequence of values each.

    Raises
    ------
    ValueError
        If a grid is empty, or nothing of it can be learnt.
    """
    grid = {name: grid_values(name, parameters[name]) for name in MIXTURE_GRID}
    for number in grid["n_components"]:
        check_whole("n_components", number, 1)
    return [{**setting, "kernel": "gaussian"} for setting in candidates_of(grid)]


def column_settings(parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All kernels on the columns; they name the same parameters as settings with mixtures.

    Parameters
    ----------
    parameters : mapping
        Those of `COLUMN_GRID`.

    Raises
    ------
    ValueError
        If a value can't be used, or there is no width of either kernel.

    Examples
    --------
    >>> widths = {"gaussian_gamma": (), "laplacian_gamma": (0.5, 2.0)}
    >>> made = column_settings({"column_scaling": "uniform", "column_landmarks": 300, **widths})
    >>> [(setting["kernel"], setting["gamma"]) for setting in made]
    [('laplacian', 0.5), ('laplacian', 2.0)]
    """
    check_whole("column_landmarks", parameters["column_landmarks"], 1)
    scalings = grid_values("column_scaling", parameters["column_scaling"])
    for scaling in scalings:
        check_choice("column_scaling", scaling, SCALINGS)
    widths = []
    for kernel in ("gaussian", "laplacian"):
        name = f"{kernel}_gamma"
        for gamma in grid_values(name, parameters[name], may_be_empty=True):
            check_number(name, gamma, "above 0 in every value", lambda value: value > 0)
            widths.append((kernel, gamma))
    if not widths:
        raise ValueError(
            "gaussian_gamma and laplacian_gamma leave no kernel on the columns: give one of them "
            "a value, or set n_column_voters=0"
        )
    return [
        {
            "scaling": scaling,
            "n_components": 0,
            "n_landmarks": parameters["column_landmarks"],
            "gamma": gamma,
            # What says nothing here is at its default, whatever it was in the setting before.
            "conditioning": None,
            "clip": 2.0,
            "prior": "zero",
            "n_draws": "exact",
            "coupling": 0.0,
            "kernel": kernel,
        }
        for scaling in scalings
        for kernel, gamma in widths
    ]


def grid_values(name: str, given: Any, *, may_be_empty: bool = False) -> tuple[Any, ...]:
    """Values of a grid; a value that stands alone is a grid of one."""
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
        return (given,)
    if len(given) == 0 and not may_be_empty:
        raise ValueError(f"{name} must hold at least one value")
    return tuple(given)
