"""Run the tests of the kernels under AddressSanitizer and UndefinedBehaviorSanitizer.

    python -m tests.sanitizers [--keep] [PYTEST-ARGUMENT ...]

A copy of the sources is built in a temporary folder with `-O1 -g -fsanitize=address,undefined`; the
working tree is not touched. A kernel with two planted faults is built beside the others: unless
both are reported, the tests would prove nothing, and the command fails. GCC, Cython and setuptools
must be there (`pip install -e '.[test,lint]'`). Exit code 0 says that all is clean.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.sanitizers.building import build, environment
from tests.sanitizers.control import missed

REPOSITORY = Path(__file__).parents[2]
# What calls kernels by name, and the readers that feed them foreign bytes.
_MARK = ".kernels"
_FURTHER = ("bio/reading/test_fasta.py",)
_LEFT_OUT = ("benchmarks", "fuzz", "golden", "sanitizers")


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.sanitizers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--keep", action="store_true", help="leave the built copy where it is")
    options, further = parser.parse_known_args()
    folder = Path(tempfile.mkdtemp(prefix="sanitizers-"))
    try:
        print(f"building in {folder}", flush=True)
        build(REPOSITORY, folder)
        if sentences := missed(folder):
            print("the control failed:", *sentences, sep="\n  ")
            return 1
        print("control: both planted faults are reported, and sound code passes", flush=True)
        return _run_tests(folder, further)
    finally:
        if not options.keep:
            shutil.rmtree(folder)


def _run_tests(folder: Path, further: list[str]) -> int:
    tests = folder / "tests"
    files = {path for path in tests.glob("**/test_*.py") if _MARK in path.read_text()}
    files = {path for path in files if path.relative_to(tests).parts[0] not in _LEFT_OUT}
    files |= {tests / name for name in _FURTHER if (tests / name).exists()}
    print(f"{len(files)} files of tests", flush=True)
    # Slow code must not fail a deadline of Hypothesis. A fault ends the process inside a test: the
    # last one that -v names.
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider"]
    command += ["--hypothesis-profile=ci", *map(str, sorted(files)), *further]
    return subprocess.run(command, cwd=folder, env=environment(folder), check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
