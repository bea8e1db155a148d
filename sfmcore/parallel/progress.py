"""Progress of the work: a bar on a terminal, and elsewhere a line a minute where it may be long."""

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

_INTERVAL = 60.0


def progress(
    items: Iterable[T],
    description: str,
    *,
    total: int | None = None,
    show: bool = True,
    unit: str = "it",
) -> Iterable[T]:
    """Pass the items on, with a bar if `show` and standard error is a terminal.

    Examples
    --------
    >>> list(progress([1, 2], "counting", show=False))
    [1, 2]
    """
    if not (show and sys.stderr.isatty()):
        return items
    # Imported to draw: it reads its own metadata, which takes as long as a small prediction.
    from tqdm import tqdm

    bar: Iterable[T] = tqdm(items, desc=description, total=total, unit=unit, leave=False)
    return bar


@contextmanager
def steps(
    noun: str,
    total: int,
    *,
    done: int = 0,
    show: bool = True,
    say: Callable[[str], None] | None = None,
    interval: float = _INTERVAL,
) -> Iterator[Callable[[], None]]:
    """Say how many of the steps are done and how long the rest takes.

    On a terminal it is a bar; where standard error is none, a line each minute.

    Parameters
    ----------
    noun : str
        What the steps are called, such as "pairs".
    total : int
    done : int, default=0
        Steps that an earlier run has done.
    show : bool, default=True
    say : callable, optional
        Takes a line; prints it to standard error by default.
    interval : float, default=60.0
        Seconds between two lines.

    Yields
    ------
    callable
        To be called, without arguments, at the end of each step.

    Examples
    --------
    >>> with steps("pairs", 2, show=False) as step:
    ...     step()
    """
    if not show or total == 0:
        yield lambda: None
        return
    if sys.stderr.isatty():
        from tqdm import tqdm

        with tqdm(desc=noun, total=total, initial=done, leave=False) as bar:
            yield lambda: bar.update() and None
        return
    lines = _Lines(noun, total, done, say or _print, interval)
    try:
        yield lines.step
    finally:
        lines.end()


def remaining(seconds: float, done: int, total: int) -> str:
    """How long the rest takes if it goes on as it went, in words.

    Parameters
    ----------
    seconds : float
        That the steps so far took.
    done, total : int

    Examples
    --------
    >>> remaining(100.0, 3, 12), remaining(3.0, 3, 12), remaining(9.0, 0, 12)
    ('about 5 min left', 'less than a minute left', '')
    """
    if done == 0:
        return ""
    left = seconds / done * (total - done)
    if left < 60:
        return "less than a minute left"
    if left < 5400:
        return f"about {left / 60:.0f} min left"
    return f"about {left / 3600:.1f} h left"


class _Lines:
    """A thread that says how far the steps are."""

    def __init__(
        self, noun: str, total: int, before: int, say: Callable[[str], None], interval: float
    ) -> None:
        self._noun, self._total, self._say = noun, total, say
        self._before = self._done = before
        self._began = time.monotonic()
        self._ended = threading.Event()
        self._interval = interval
        self._thread = threading.Thread(target=self._talk, daemon=True)
        self._thread.start()

    def step(self) -> None:
        self._done += 1

    def end(self) -> None:
        self._ended.set()
        self._thread.join()

    def _talk(self) -> None:
        while not self._ended.wait(self._interval):
            new = self._done - self._before
            seconds = time.monotonic() - self._began
            left = remaining(seconds, new, self._total - self._before)
            line = f"{self._done} of {self._total} {self._noun}"
            self._say(f"{line}, {left}" if left else line)


def _print(line: str) -> None:
    print(line, file=sys.stderr)
