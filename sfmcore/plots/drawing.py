"""Shared parts of the displays: matplotlib if it is installed, colours, and an axis of powers."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

_MOST_TICKS = 10


def require_matplotlib(caller: str) -> None:
    """Refuse early and clearly if matplotlib is missing.

    Parameters
    ----------
    caller : str
        Who needs it.

    Raises
    ------
    ImportError
        If it can't be imported.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError(f"{caller} needs matplotlib: pip install 'sfm-pacbayes[plot]'") from error


def new_axes(n_rows: int = 1) -> Any:
    """Axes of a new figure; of several rows an array, with one x axis."""
    import matplotlib.pyplot as plt

    height = 4.8 if n_rows == 1 else 3.2 * n_rows
    _, axes = plt.subplots(n_rows, sharex=True, figsize=(6.4, height), layout="constrained")
    return axes


def colours(count: int) -> list[Any]:
    """As many colours as asked for: the user's own cycle if that is long enough."""
    import matplotlib as mpl

    cycle = mpl.rcParams["axes.prop_cycle"].by_key().get("color", [])
    if count <= len(cycle):
        return list(cycle[:count])
    return list(mpl.colormaps["turbo"](np.linspace(0.05, 0.95, count)))


def log_axis(ax: Any, values: npt.NDArray[Any]) -> None:
    """Make x logarithmic, with ticks at the values themselves where they are few.

    Parameters
    ----------
    ax : matplotlib Axes
    values : ndarray of shape (n_values,)
        Above 0.
    """
    ax.set_xscale("log")
    values = np.unique(values)
    # Between two powers of ten the scale's own ticks say little.
    if len(values) <= _MOST_TICKS:
        ax.set_xticks(values, [f"{value:g}" for value in values])
        ax.set_xticks([], minor=True)


def line_style(defaults: Mapping[str, Any], given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Keywords of a line, the user's before ours; short names such as `lw` are known."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return {**defaults, **normalize_kwargs(dict(given or {}), Line2D)}


def band_style(defaults: Mapping[str, Any], given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Keywords of a band, the user's before ours; short names such as `fc` are known."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.collections import PolyCollection

    return {**defaults, **normalize_kwargs(dict(given or {}), PolyCollection)}
