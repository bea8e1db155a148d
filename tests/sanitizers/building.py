"""A copy of the sources, built so that faults of memory and arithmetic end the process."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

# Python's own -fwrapv lets sums overflow; here that must be reported, so it is taken back.
_FLAGS = "-O1 -g -fno-wrapv -fsanitize=address,undefined -fno-omit-frame-pointer"
# What is built must come from these sources alone.
_BUILT = shutil.ignore_patterns("*.so", "*.c", "__pycache__", ".hypothesis")


def build(repository: Path, folder: Path) -> None:
    """Copy the sources into the folder, with the planted kernel, and build them there."""
    for name in ("sfmcore", "sfmbio", "sfmvision", "tests", "data"):
        shutil.copytree(repository / name, folder / name, ignore=_BUILT)
    shutil.copy(repository / "setup.py", folder)
    # Among the kernels, so that it gets exactly their flags.
    shutil.copy(Path(__file__).with_name("planted.pyx"), folder / "sfmcore/kernels/_planted.pyx")
    compiler = folder / "cc"
    # The flags come last: setup.py asks for -O3, and the last one counts.
    compiler.write_text(f'#!/bin/sh\nexec gcc "$@" {_FLAGS}\n')
    compiler.chmod(0o755)
    # OpenMP stays on: how work and buffers are divided among threads exists only with it.
    settings = {"CC": str(compiler), "LDSHARED": f"{compiler} -shared"}
    with open(folder / "build.log", "w") as log:
        command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
        code = subprocess.run(
            command, cwd=folder, env=os.environ | settings, stdout=log, stderr=log, check=False
        ).returncode
    if code:
        sys.exit(f"the build failed:\n{(folder / 'build.log').read_text()[-5000:]}")
    # After the build, which needs none of it: not every setuptools reads its licence. pytest does.
    shutil.copy(repository / "pyproject.toml", folder)


def environment(folder: Path) -> dict[str, str]:
    """Environment in which Python runs the built copy and stops at the first fault."""
    return os.environ | {
        # The sanitizer must come first. It looks up at its start what throws C++ exceptions.
        "LD_PRELOAD": " ".join(map(_library, ("libasan.so", "libubsan.so", "libstdc++.so"))),
        # Python and its modules keep much until they end, which is no fault of ours. What asks for
        # more memory than there is gets none, as without the sanitizer: kernels must say so.
        "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
        # Otherwise small objects lie in large blocks, whose middle has no bounds.
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(folder),
        "OMP_NUM_THREADS": "2",
    }


def _library(name: str) -> str:
    command = ["gcc", f"-print-file-name={name}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
