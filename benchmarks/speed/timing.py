"""Timing in turns: medians of ours and the peer's."""

import statistics
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from time import perf_counter
from typing import Any, NoReturn

from benchmarks.speed.case import Call
from benchmarks.speed.machine import Limit


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
    limit : Limit or None
        The least time on this machine; None where none is modelled.
    details : dict
        Whatever else the reader of the JSON file wants to know.
    """

    name: str
    ours_s: float
    peer: str | None
    peer_s: float | None
    unit: str
    limit: Limit | None = None
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        """How many times the peer takes as long; None without a peer."""
        return None if self.peer_s is None else self.peer_s / self.ours_s

    @property
    def limit_share(self) -> float | None:
        """Share of the machine's limit that ours reaches; None without a limit."""
        return None if self.limit is None else self.limit.seconds / self.ours_s

    def as_json(self) -> dict[str, Any]:
        """One flat object."""
        values = asdict(self)
        details = values.pop("details")
        values["ratio"] = self.ratio
        values["limit"] = None if self.limit is None else self.limit.text
        values["limit_share"] = self.limit_share
        if self.limit is not None:
            values["limit_s"] = self.limit.seconds
        return {**values, **details}


def measure(
    name: str,
    ours: Call,
    peer: Call | None = None,
    *,
    peer_name: str | None = None,
    unit: str,
    pairs: int = 9,
    shortest: float = 0.05,
    limit: Limit | None = None,
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
    limit : Limit, optional
    details : dict, optional
        Kept in the result, as it is after the last call.

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
    return Timing(name, medians[0], peer_name, medians[1] if peer else None, unit, limit, kept)


def _seconds(call: Call, repeats: int) -> float:
    start = perf_counter()
    for _ in range(repeats):
        call()
    return (perf_counter() - start) / repeats


def _repeats(call: Call, shortest: float) -> int:
    # Warm-up: caches, lazy imports, the choice of the instruction set.
    if _seconds(call, 1) > 10 * shortest:
        return 1
    return max(1, round(shortest / max(_seconds(call, 1), 1e-9)))


def give_up(reason: str) -> NoReturn:
    """End with exit code 2 and one sentence on standard error.

    Raises
    ------
    SystemExit
        Always.
    """
    print(reason, file=sys.stderr)
    raise SystemExit(2)
