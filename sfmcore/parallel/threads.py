"""The number of threads that a kernel runs on."""

import os
from numbers import Integral

from sfmcore.kernels._threads import release_threads

# A forked process has none of the threads that OpenMP keeps, and would wait for them for ever.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=release_threads)


def effective_threads(n_jobs: int | None) -> int:
    """Number of threads for `n_jobs` as scikit-learn reads it.

    Parameters
    ----------
    n_jobs : int or None
        None for 1, -1 for all processors this process may use, -2 for all but one, ...
        At most 64 or four for each processor.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If `n_jobs` is 0 or no whole number.

    Examples
    --------
    >>> effective_threads(None), effective_threads(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, Integral):
        raise ValueError(f"n_jobs must be a whole number or None, got {n_jobs!r}")
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0: use 1 for one thread, -1 for all")
    processors = available_processors()
    # OpenMP ends the process where the system refuses a thread.
    most = max(64, 4 * processors)
    return min(int(n_jobs), most) if n_jobs > 0 else max(1, processors + 1 + int(n_jobs))


def worthwhile_threads(n_threads: int, work: float) -> int:
    """As many of `n_threads` as have a millisecond or so to do.

    Starting and joining a thread costs some microseconds, and far more on a busy machine.

    Parameters
    ----------
    n_threads : int
    work : float
        Floating-point operations of the whole call, roughly.

    Examples
    --------
    >>> worthwhile_threads(8, 1e6), worthwhile_threads(8, 1e12)
    (1, 8)
    """
    return max(1, min(n_threads, int(work // 5e6)))


def available_processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
