"""Surroundings of a run: one thread, and a BLAS that is free to choose its fastest code.

Peers that rest on a BLAS are compared unfairly where the environment holds it to an older
processor (``OPENBLAS_CORETYPE``) or other block sizes. Such settings are read when the library is
loaded, so a run starts itself again without them.
"""

import os
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info

PINNED = {
    "BLIS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
"""Threads of BLAS and OpenMP where nobody asks for a number. Our kernels are always asked."""
_TUNING = (
    "BLIS_",
    "FAISS_SIMD_",
    "GOTO_",
    "MKL_",
    "NPY_DISABLE_CPU_",
    "NPY_ENABLE_CPU_",
    "OPENBLAS_",
    "OPENCV_CPU_",
)


def fair(environ: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The environment of a run, and the names of what is left out of it.

    Examples
    --------
    >>> fair({"HOME": "/", "OPENBLAS_CORETYPE": "Haswell", "OMP_NUM_THREADS": "1"})[1]
    ['OPENBLAS_CORETYPE']
    """
    left_out = [name for name in environ if name.startswith(_TUNING) and name not in PINNED]
    kept = {name: value for name, value in environ.items() if name not in left_out}
    return {**kept, **PINNED}, left_out


def start_fairly() -> None:
    """Start this program again if its environment is not that of a run."""
    environ, left_out = fair(os.environ)
    if environ == dict(os.environ):
        return
    for name in left_out:
        print(
            f"{name}={os.environ[name]} is left out: libraries choose their own code",
            file=sys.stderr,
            flush=True,
        )
    os.execve(sys.executable, sys.orig_argv, environ)


def blas_name() -> str:
    """NumPy's BLAS and the processor that it takes this one for.

    Examples
    --------
    >>> isinstance(blas_name(), str)
    True
    """
    for library in threadpool_info():
        if library["user_api"] == "blas" and "numpy" in library["filepath"]:
            parts = (library["internal_api"], library["version"], library.get("architecture"))
            return " ".join(str(part) for part in parts if part)
    config: Any = np.show_config(mode="dicts")
    blas = config["Build Dependencies"]["blas"]
    return f"{blas['name']} {blas['version']}"


def processor_name() -> str:
    """What the processor calls itself; empty where the system does not say."""
    try:
        with open("/proc/cpuinfo") as lines:
            return next(
                (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")),
                "",
            )
    except OSError:
        return ""
