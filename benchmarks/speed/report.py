"""The table of a run, as text and as Markdown, and its JSON file."""

import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.speed.timing import Timing
from benchmarks.tables.markdown import grid

_HEADER = ("case", "ours", "peer", "peer / ours", "of limit", "limit", "peer's name")
_LEFT = (0, 5, 6)


def table(timings: Sequence[Timing]) -> str:
    """Render the timings as a table of plain text.

    Examples
    --------
    >>> print(table([Timing("sums", 0.002, "NumPy 2", 0.003, "s")]))
    case     ours     peer  peer / ours  of limit  limit  peer's name
    sums  2.00 ms  3.00 ms         1.50         -  -      NumPy 2
    """
    rows = [_HEADER, *map(_cells, timings)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if k in _LEFT else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def markdown(timings: Sequence[Timing], machine: object, pairs: int) -> str:
    """Render the timings as a table of Markdown, below what they were measured on.

    Examples
    --------
    >>> print(markdown([Timing("sums", 0.002, "NumPy 2", 0.003, "s")], "a machine", 9))
    a machine. One thread unless the name says otherwise, medians of 9 turns.
    <BLANKLINE>
    | case | ours | peer | peer / ours | of limit | limit | peer's name |
    | --- | ---: | ---: | ---: | ---: | ---: | ---: |
    | sums | 2.00 ms | 3.00 ms | 1.50 | - | - | NumPy 2 |
    """
    return (
        f"{machine}. One thread unless the name says otherwise, medians of {pairs} turns.\n\n"
        + grid(list(_HEADER), [list(_cells(t)) for t in timings])
    )


def write_json(timings: Sequence[Timing], path: Path) -> None:
    """Write the list of all timings."""
    path.write_text(json.dumps([t.as_json() for t in timings], indent=2, allow_nan=False) + "\n")


def _cells(t: Timing) -> tuple[str, ...]:
    return (
        t.name,
        _shown(t.ours_s),
        "-" if t.peer_s is None else _shown(t.peer_s),
        "-" if t.ratio is None else f"{t.ratio:.2f}",
        "-" if t.limit_share is None else f"{t.limit_share:.0%}",
        "-" if t.limit is None else t.limit.text,
        t.peer or "-",
    )


def _shown(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{1e6 * seconds:.1f} us"
    return f"{1e3 * seconds:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"
