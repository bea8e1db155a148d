"""The start of a program, before anything large is imported."""

import importlib
import sys

from sfmcore.commandline.deferred import defer

FAILED, INTERRUPTED = 2, 130

# What NumPy, SciPy and scikit-learn import, or the kernels' callers, and predictions never use.
_SELDOM = (
    "asyncio",
    "narwhals",
    "narwhals.stable",
    "narwhals.stable.v2",
    "numpy.f2py",
    "numpy.testing",
    "pandas",
    "scipy.cluster",
    "scipy.optimize",
    "scipy.spatial",
    "scipy.stats",
)


def load_and_run(package: str) -> int:
    """Import the command line of a package and run it; an interrupt meanwhile ends quietly too.

    Parameters
    ----------
    package : str
        Such as "sfmbio".
    """
    defer(*_SELDOM)
    try:
        main = importlib.import_module(f"{package}.commandline.cli").main
    except KeyboardInterrupt:
        print(f"{package}: interrupted{memory_limit()}", file=sys.stderr)
        return INTERRUPTED
    except (ImportError, MemoryError) as error:
        print(f"{package}: can't be loaded: {error}{memory_limit()}", file=sys.stderr)
        return FAILED
    code: int = main()
    return code


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
