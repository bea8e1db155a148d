"""Progress of a long step, kept so that a run that was killed resumes in the middle of it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from sfmcore.parallel.plan import Store, plan_in_force

# Between two states that are kept; writing one takes a small part of that.
_SECONDS = 1.0


class Halfway:
    """State of a step, where the plan in force keeps results, and else nowhere.

    Parameters
    ----------
    store : Store or None
    name : str
        Of the step, within what it is part of.

    Examples
    --------
    >>> step = Halfway(None, "em")
    >>> step.found() is None
    True
    """

    def __init__(self, store: Store | None, name: str) -> None:
        self._store, self._name = store, name
        self._last = time.monotonic()

    def found(self) -> Any:
        """State that an earlier run has left, or None. To be asked once."""
        if self._store is None:
            return None
        found, state = self._store.get(self._name)
        return state if found else None

    def keep(self, state: Callable[[], Any]) -> None:
        """Keep a state in the place of the last one, unless that is younger than a second.

        Parameters
        ----------
        state : callable
            Makes what :mod:`sfmcore.files.objects` can write.
        """
        if self._store is None or time.monotonic() - self._last < _SECONDS:
            return
        self._store.put(self._name, state())
        self._last = time.monotonic()


_NOWHERE = Halfway(None, "")
_STEP: ContextVar[Halfway] = ContextVar("step", default=_NOWHERE)


@contextmanager
def resumable(name: str) -> Iterator[None]:
    """Let the step of a block go on where it was; of several in one place each needs a name.

    What the step is of need not know where its state is kept: it asks :func:`halfway`.

    Parameters
    ----------
    name : str
    """
    token = _STEP.set(Halfway(plan_in_force().store, name))
    try:
        yield
    finally:
        _STEP.reset(token)


def halfway() -> Halfway:
    """Place for the state of the innermost :func:`resumable` step; for one step only."""
    found = _STEP.get()
    _STEP.set(_NOWHERE)
    return found
