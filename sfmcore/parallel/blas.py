"""One thread for BLAS while tasks run, however many of them overlap."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits

_LOCK = threading.Lock()
_inside = 0
_limits: threadpool_limits | None = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread: the order in which it adds must not depend on their number.

    The limit is the process's. The first block to begin sets it, and the last to end takes it back,
    so that one that ends does not free another that goes on.
    """
    global _inside, _limits
    with _LOCK:
        if _inside == 0:
            _limits = threadpool_limits(limits=1, user_api="blas")
        _inside += 1
    try:
        yield
    finally:
        with _LOCK:
            _inside -= 1
            if _inside == 0 and _limits is not None:
                _limits.restore_original_limits()
                _limits = None
