"""Timing in turns, the table and the JSON file that every case of speed shares."""

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, NoReturn

Call = Callable[[], object]


@dataclass(frozen=True)
class Timing:
    """Median seconds of one case, ours and the peer's.

    Parameters
    ----------
    name : str
        What is done, and its size.
    ours_s : float
    peer : str or None
        Name and version of the peer; None for a figure that stands alone.
    peer_s : float or None
    unit : str
        What one call does.
    details : dict
        Whatever else the reader of the JSON file wants to know.
    """

    name: str
    ours_s: float
    peer: str | None
    peer_s: float | None
    unit: str
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        """How many times the peer takes as long; None without a peer."""
        return None if self.peer_s is None else self.peer_s / self.ours_s

    def as_json(self) -> dict[str, Any]:
        """One flat object."""
        values = asdict(self)
        details = values.pop("details")
        return {**values, "ratio": self.ratio, **details}


def measure(
    name: str,
    ours: Call,
    peer: Call | None = None,
    *,
    peer_name: str | None = None,
    unit: str,
    pairs: int = 9,
    shortest: float = 0.05,
    details: Mapping[str, Any] | None = None,
) -> Timing:
    """Time two calls in turns, and take medians.

    Turns spread a machine's slow moments over both. A call that is shorter than `shortest`
    seconds is repeated within a turn, so that the clock's grain does not count.

    Parameters
    ----------
    name : str
    ours, peer : callable without arguments
    peer_name : str, optional
    unit : str
    pairs : int, default=9
        Number of turns.
    shortest : float, default=0.05
    details : dict, optional
        Kept in the result.

    Returns
    -------
    Timing
    """
    calls = [ours] if peer is None else [ours, peer]
    repeats = [_repeats(call, shortest) for call in calls]
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(pairs):
        for call, repeat, own in zip(calls, repeats, times, strict=True):
            own.append(_seconds(call, repeat))
    medians = [statistics.median(own) for own in times]
    kept = {**(details or {}), "pairs": pairs}
    for side, own in zip(("ours_range_s", "peer_range_s"), times, strict=False):
        kept[side] = [min(own), max(own)]
    return Timing(name, medians[0], peer_name, medians[1] if peer else None, unit, kept)


def _seconds(call: Call, repeats: int) -> float:
    start = perf_counter()
    for _ in range(repeats):
        call()
    return (perf_counter() - start) / repeats


def _repeats(call: Call, shortest: float) -> int:
    call()  # warm-up: caches, lazy imports, the choice of the instruction set
    return max(1, round(shortest / max(_seconds(call, 1), 1e-9)))


def table(timings: Sequence[Timing]) -> str:
    """Render the timings as a table of plain text, milliseconds and ratio."""
    rows = [("case", "ours (ms)", "peer (ms)", "peer / ours", "peer")]
    for t in timings:
        rows.append(
            (
                t.name,
                f"{1000 * t.ours_s:.2f}",
                "-" if t.peer_s is None else f"{1000 * t.peer_s:.2f}",
                "-" if t.ratio is None else f"{t.ratio:.2f}",
                t.peer or "-",
            )
        )
    widths = [max(len(row[k]) for row in rows) for k in range(5)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if k in (0, 4) else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def parse_arguments(description: str | None) -> argparse.Namespace:
    """Read the command line of a case: ``--json FILE`` and ``--pairs N``."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here")
    parser.add_argument("--pairs", type=int, default=9, metavar="N", help="turns, at least 7")
    arguments = parser.parse_args()
    if arguments.pairs < 7:
        parser.error("--pairs must be at least 7, or a median says little")
    return arguments


def report(timings: Sequence[Timing], json_file: Path | None) -> None:
    """Print the table, and write the JSON list if a file is named."""
    print(table(timings))
    if json_file is not None:
        json_file.write_text(json.dumps([t.as_json() for t in timings], indent=2) + "\n")


def give_up(reason: str) -> NoReturn:
    """End with exit code 2 and one sentence on standard error.

    Raises
    ------
    SystemExit
        Always.
    """
    print(reason, file=sys.stderr)
    raise SystemExit(2)
