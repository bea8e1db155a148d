"""How many threads BLAS may use, without searching for its libraries in every call."""

import sys
from typing import Any

from threadpoolctl import ThreadpoolController

_found: tuple[tuple[int, str], ThreadpoolController] | None = None


def blas_threads(limit: int = 1) -> Any:
    """Let BLAS use so many threads: within a ``with`` statement, or without one until changed.

    The search reads the map of the process's memory, which takes longer than the EM of a small
    model. It is repeated when modules were imported since, for they bring the libraries.
    """
    global _found
    # The last one too: where others were taken out there are as many as before.
    modules = len(sys.modules), next(reversed(sys.modules))
    if _found is None or _found[0] != modules:
        _found = modules, ThreadpoolController()
    return _found[1].limit(limits=limit, user_api="blas")
