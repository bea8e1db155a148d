"""Figures without a display, written as PNG, or as SVG with the same bits every time."""

import io
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sfmcore.files.atomic import atomic_write, check_writable
from sfmcore.plots.drawing import require_matplotlib

# Identifiers in the SVG are digests of this and of what they name; otherwise they are random.
_SALT = "sfm-pacbayes"
_LONGEST = 24
_STYLE = {
    "svg.hashsalt": _SALT,
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def new_figure(width: float, height: float) -> Any:
    """Make a figure that no window manager knows.

    Parameters
    ----------
    width, height : float
        In inches.
    """
    # Not through pyplot, which keeps figures and may want a display.
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def short_name(name: str) -> str:
    """Return a name that leaves room for what is drawn.

    Examples
    --------
    >>> short_name("a"), short_name("immunoglobulin superfamily")
    ('a', 'immunoglobulin superfam…')
    """
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def svg_of(draw: Callable[[], Any]) -> bytes:
    """Return a figure as SVG. Equal figures give equal bytes, and text stays text.

    Parameters
    ----------
    draw : callable
        Returns a matplotlib Figure.

    Examples
    --------
    >>> def draw():
    ...     figure = new_figure(2, 1)
    ...     figure.add_subplot().set_title("a < b")
    ...     return figure
    >>> svg_of(draw) == svg_of(draw), b"a &lt; b" in svg_of(draw)
    (True, True)
    """
    import matplotlib as mpl

    style: Any = _STYLE
    buffer = io.BytesIO()
    with mpl.rc_context(style), warnings.catch_warnings():
        # Of letters that matplotlib's font lacks: a browser has fonts of its own.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = draw()
        _keep_text_plain(figure)
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def check_figures(folder: str, names: Sequence[str]) -> None:
    """Refuse before the work figures that can't be drawn or written after it.

    Parameters
    ----------
    folder : str
        Made if it is missing.
    names : sequence of str
        Of the files, without ``.png``.

    Raises
    ------
    ValueError
        If matplotlib is missing or the folder can't be made.
    """
    try:
        require_matplotlib("--figures")
    except ImportError as error:
        raise ValueError(str(error)) from error
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name in names:
            check_writable(Path(folder, f"{name}.png"))
    except OSError as error:
        raise ValueError(f"--figures {folder}: {error.strerror or error}") from error


def write_figures(folder: Path, figures: Mapping[str, Any]) -> list[Path]:
    """Write figures as PNG.

    Parameters
    ----------
    folder : Path
    figures : mapping of str to matplotlib Figure
        By the names of their files, without ``.png``.

    Returns
    -------
    list of Path
        The files written.
    """
    written = []
    for name, figure in figures.items():
        path = folder / f"{name}.png"
        _keep_text_plain(figure)
        with atomic_write(path, "wb") as file:
            figure.savefig(file, format="png", dpi=120, bbox_inches="tight")
        written.append(path)
    return written


def _keep_text_plain(figure: Any) -> None:
    """A label is no formula, whatever dollars it holds."""
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        text.set_parse_math(False)
