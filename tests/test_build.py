"""Systems that the package can't be built for are refused in a sentence, before any compiling."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("sys.platform = 'win32'", "does not run on Windows"),
        ("sys.maxsize = 2**31 - 1", "needs a 64-bit Python"),
        ("sys.byteorder = 'big'", "needs a little-endian processor"),
    ],
)
def test_setup_refuses_other_systems(change, reason):
    pytest.importorskip("Cython")
    # Changed after the imports, which look at the system too.
    program = f"import sys, runpy, setuptools, Cython.Build; {change}; sys.argv = ['setup.py', "
    program += "'build_ext', '--dry-run']; runpy.run_path('setup.py')"
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"sfm-pacbayes {reason}")
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("__SIZEOF_POINTER__", "4", "needs a 64-bit system"),
        ("__BYTE_ORDER__", "__ORDER_BIG_ENDIAN__", "needs a little-endian processor"),
        ("__GNUC__", None, "needs GCC or Clang"),
    ],
)
def test_the_headers_refuse_other_targets_of_a_cross_compiler(name, value, reason):
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler")
    target = [f"-U{name}"] + ([] if value is None else [f"-D{name}={value}"])
    command = [compiler, "-E", "-Isfmcore/kernels", *target, "sfmcore/kernels/simd/base.h"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode != 0
    assert f"sfm-pacbayes {reason}" in ended.stderr
