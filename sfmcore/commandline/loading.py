"""The start of a program, before anything large is imported."""

import gc
import importlib
import os
import sys
from collections.abc import Callable
from contextlib import suppress

from sfmcore.commandline.deferred import defer

FAILED, INTERRUPTED = 2, 130

# What NumPy, SciPy and scikit-learn import, or we do, and predictions seldom use.
_SELDOM = (
    "asyncio",
    "html",
    "importlib.metadata",
    "narwhals",
    "narwhals.stable",
    "narwhals.stable.v2",
    "numpy.char",
    "numpy.ctypeslib",
    "numpy.f2py",
    "numpy.ma",
    "numpy.polynomial",
    "numpy.rec",
    "numpy.strings",
    "numpy.testing",
    "pandas",
    "pydoc",
    "scipy.cluster",
    "scipy.optimize",
    "scipy.spatial",
    "scipy.stats",
    "sfmbio.explaining.residues",
    "sfmcore.explaining.vectors",
    "sfmvision.explaining.patches",
    "sklearn.externals.array_api_compat.numpy",
    "sklearn.externals.array_api_extra",
)
# Of these, and of those below, what learning uses.
IN_LEARNING = ("scipy.linalg", "scipy.optimize", "scipy.special")
# Packages of which predictions, or scikit-learn when it is imported, use these names alone. SciPy
# rewrites the documentation of hundreds of functions to execute them.
_HOMES = {
    "scipy.linalg": {"get_lapack_funcs": "lapack"},
    "scipy.sparse.csgraph": {"laplacian": "_laplacian"},
    "scipy.sparse.linalg": {"LinearOperator": "_interface", "cg": "_isolve"},
    "scipy.sparse.linalg._isolve": {"cg": "iterative"},
    "scipy.special": {
        "betaincinv": "_ufuncs",
        "erfc": "_ufuncs",
        "expit": "_ufuncs",
        "log_ndtr": "_ufuncs",
        "logsumexp": "_logsumexp",
        "ndtr": "_ufuncs",
        "ndtri": "_ufuncs",
        "ndtri_exp": "_ufuncs",
        "softmax": "_logsumexp",
    },
}


def load_and_run(package: str) -> int:
    """Import the command line of a package and run it; an interrupt meanwhile ends quietly too.

    Parameters
    ----------
    package : str
        Such as "sfmbio".
    """
    _pause_collecting()
    defer(*_SELDOM, homes=_HOMES)
    try:
        main = importlib.import_module(f"{package}.commandline.cli").main
    except KeyboardInterrupt:
        print(f"{package}: interrupted{memory_limit()}", file=sys.stderr)
        return INTERRUPTED
    except (ImportError, MemoryError) as error:
        print(f"{package}: can't be loaded: {error}{memory_limit()}", file=sys.stderr)
        return FAILED
    code: int = main()
    workers = sys.modules.get("sfmcore.parallel.workers")
    if workers is not None and workers.some_still_work():
        # Standard output is written out by now, or nobody reads it.
        with suppress(OSError):
            sys.stderr.flush()
        os._exit(code)
    return code


def load_command(package: str, name: str) -> Callable[..., int]:
    """Import the module of a command, and no other command's; return the command.

    Parameters
    ----------
    package : str
        Such as "sfmbio".
    name : str
        Such as "predict".
    """
    module = importlib.import_module(f"{package}.commandline.commands.{name}")
    resume_collecting()
    command: Callable[..., int] = getattr(module, name)
    return command


_collecting_is_paused = False


def _pause_collecting() -> None:
    """Search for no garbage while the program is imported.

    Next to nothing of what imports make is garbage, and to look for it again and again takes a
    fifth of the time of a short command.
    """
    global _collecting_is_paused
    if gc.isenabled():
        gc.disable()
        _collecting_is_paused = True


def resume_collecting() -> None:
    """Search for garbage again if it was paused, but never in what is imported by now."""
    global _collecting_is_paused
    if _collecting_is_paused:
        gc.freeze()
        gc.enable()
        _collecting_is_paused = False


def memory_limit() -> str:
    """Hint at a memory limit: without memory for its threads OpenBLAS sends the signal."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit
    except ImportError:
        return ""
    limit = getrlimit(RLIMIT_AS)[0]
    if limit == RLIM_INFINITY:
        return ""
    return f"; the limit of {limit >> 20} MiB of memory (ulimit -v) may be too low"
