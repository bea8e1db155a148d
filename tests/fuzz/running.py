"""The loop over inputs: time, counts, findings, and the smallest input for each."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.fuzz.base import Harness
from tests.fuzz.worker import Reply, Worker

_MINIMISING_SECONDS = 30.0
_MINIMISING_TRIES = 1500


@dataclass
class Outcome:
    """What a run tried and found."""

    n_tried: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    findings: dict[str, Reply] = field(default_factory=dict)
    repeats: Counter[str] = field(default_factory=Counter)


def run(
    harness: Harness,
    *,
    seed: int,
    seconds: float,
    start: int = 0,
    most: int | None = None,
    show: Callable[[int, Reply], None],
) -> Outcome:
    """Try inputs until time or number is up; show each kind of finding once, minimised."""
    result = Outcome()
    worker = Worker(harness, seed)
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end and result.n_tried != most:
            number = start + result.n_tried
            reply = worker.number(number)
            result.n_tried += 1
            if not reply.key:
                result.outcomes[reply.outcome] += 1
                continue
            result.repeats[reply.key] += 1
            if reply.key not in result.findings:
                result.findings[reply.key] = minimised(worker, reply)
                # At once: a run of hours may be ended before its time.
                show(number, result.findings[reply.key])
    finally:
        worker.close()
    return result


def minimised(worker: Worker, reply: Reply) -> Reply:
    """The smallest input found that gives the same finding, by leaving out parts of it."""
    best, units = reply, worker.harness.units(reply.case)
    end = time.monotonic() + _MINIMISING_SECONDS
    tries, size = 0, max(len(units) // 2, 1)
    while size:
        at, smaller = 0, False
        while at < len(units):
            if time.monotonic() > end or tries >= _MINIMISING_TRIES:
                return best
            tries += 1
            rest = units[:at] + units[at + size :]
            answer = worker.case(b"".join(rest))
            if answer.key == reply.key:
                best, units, smaller = answer, rest, True
            else:
                at += size
        # As long as single parts go, others may have become needless.
        size = size // 2 if size > 1 else int(smaller)
    return best
