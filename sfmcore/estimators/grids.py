"""Settings that `SFMClassifierCV` tries: those with mixtures, and kernels on the columns."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sfmcore.data.checks import check_choice, check_number, check_whole
from sfmcore.evaluation.selection import candidates_of
from sfmcore.features.column_kernel import ColumnKernel
from sfmcore.learning.members import Candidate
from sfmcore.learning.settings import Settings
from sfmcore.models.gmm import DiagonalGMM
from sfmcore.preparation.columns import SCALINGS, Columns

MIXTURE_GRID = (
    "scaling", "n_components", "n_landmarks", "gamma", "conditioning", "clip", "prior", "n_draws",
    "coupling",
)  # fmt: skip
SHARED = (
    "n_pairs", "n_init", "em_max_iter", "em_tol", "vote", "delta", "certificate_fraction",
    "certify_by", "unlabeled", "unlabeled_weight",
)  # fmt: skip
"""Parameters that the classifier of the best setting has from its estimator."""
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
    return candidates_of(grid)


def column_settings(parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All kernels on the columns.

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
            "kernel": kernel,
            "n_landmarks": parameters["column_landmarks"],
            "gamma": gamma,
        }
        for scaling in scalings
        for kernel, gamma in widths
    ]


def candidates_by_setting(
    settings: Sequence[Mapping[str, Any]], parameters: Mapping[str, Any]
) -> list[Candidate]:
    """Candidates of settings, with shared objects where models and preparations are the same.

    Parameters
    ----------
    settings : sequence of mapping
        Of mixtures, or of kernels on the columns.
    parameters : mapping
        Those of the estimator: `n_init`, `em_max_iter` and `em_tol` of the mixtures, and what every
        candidate has in common.

    Raises
    ------
    ValueError
        If something is out of range.
    """
    for name in ("n_init", "em_max_iter"):
        check_whole(name, parameters[name], 1)
    check_number("em_tol", parameters["em_tol"], "of at least 0", lambda tol: tol >= 0)
    mixtures: dict[Any, DiagonalGMM] = {}
    scalings: dict[Any, Columns] = {}
    shared = {name: parameters[name] for name in ("vote", "delta", "unlabeled_weight")}
    candidates = []
    for setting in settings:
        own = dict(setting)
        prepare = scalings.setdefault(setting["scaling"], Columns(own.pop("scaling")))
        prepare.check_parameters()
        model: DiagonalGMM | ColumnKernel
        if is_of_columns(setting):
            model = ColumnKernel(
                own.pop("kernel"), gamma=own.pop("gamma"), n_landmarks=own.pop("n_landmarks")
            )
        else:
            number = own.pop("n_components")
            model = mixtures.setdefault(
                number,
                DiagonalGMM(
                    number,
                    n_init=parameters["n_init"],
                    max_iter=parameters["em_max_iter"],
                    tol=parameters["em_tol"],
                ),
            )
        candidates.append(Candidate(model, prepare, Settings(**shared, **own)))
    return candidates


def as_parameters(setting: Mapping[str, Any]) -> dict[str, Any]:
    """A setting as parameters of :class:`sfmcore.SFMClassifier`."""
    if not is_of_columns(setting):
        return dict(setting)
    own = {name: setting[name] for name in ("kernel", "gamma", "n_landmarks")}
    rest = {name: value for name, value in setting.items() if name not in own}
    return {"model": ColumnKernel(**own), **rest}


def is_of_columns(setting: Mapping[str, Any]) -> bool:
    """Whether a setting is a kernel on the columns, without mixtures."""
    return "kernel" in setting


def grid_values(name: str, given: Any, *, may_be_empty: bool = False) -> tuple[Any, ...]:
    """Values of a grid; a single value becomes a grid of one."""
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
        return (given,)
    if len(given) == 0 and not may_be_empty:
        raise ValueError(f"{name} must hold at least one value")
    return tuple(given)
