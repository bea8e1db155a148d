"""What something takes: seconds by the clock and of processors, child processes among them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter


@contextmanager
def timed() -> Iterator[dict[str, float]]:
    """Give a dict that holds ``seconds`` and ``processor_seconds`` at the end."""
    found: dict[str, float] = {}
    wall, processor = perf_counter(), _processor_seconds()
    yield found
    found["seconds"] = round(perf_counter() - wall, 3)
    found["processor_seconds"] = round(_processor_seconds() - processor, 3)


def _processor_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
