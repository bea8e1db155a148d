"""Instruction counts of three kernels beside the recorded ones: a guard that is not a timing.

    python -m benchmarks.instructions [--update]

valgrind counts what one call executes, which is the same number on every run, however busy the
machine is. It knows no AVX-512, so the versions for AVX2 (x86-64-v3) are what is counted. Exit
code 1 says that a count rose by more than the tolerance in ``expected.json``; --update records
the counts of today. Where counts can't be compared, a sentence says why and the code is 0; 2 says
that counting failed.
"""

import argparse
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.instructions import recorded as records
from benchmarks.instructions.callgrind import count
from benchmarks.instructions.elf import Compiler, compiler
from benchmarks.instructions.recorded import Comparison, Recorded
from benchmarks.instructions.workload import KERNELS, extension_file, extension_of
from benchmarks.speed.timing import give_up


def has_avx2(cpuinfo: str) -> bool:
    """Say whether a text like ``/proc/cpuinfo`` names AVX2, which valgrind then offers too."""
    return any("avx2" in line.split() for line in cpuinfo.splitlines() if line.startswith("flags"))


def reason_to_skip() -> str | None:
    """Why nothing can be compared here, if so."""
    if not shutil.which("valgrind"):
        return "valgrind is not installed (Debian and Ubuntu: apt-get install valgrind)"
    if platform.machine() != "x86_64" or platform.libc_ver()[0] != "glibc":
        return "the recorded counts are of Linux on x86-64 with glibc"
    if not has_avx2(Path("/proc/cpuinfo").read_text(encoding="utf-8")):
        return "the recorded counts are of the versions for AVX2, which this processor lacks"
    return None


def reason_of_compiler(used: Compiler) -> str | None:
    """Why code of this compiler can't be compared, if so."""
    if used.makes_versions:
        return None
    return f"the kernels are built by {used}, which makes no versions for AVX2"


def built_by() -> Compiler:
    """The compiler of the extensions."""
    return compiler(extension_file(extension_of(next(iter(KERNELS)))))


def valgrind_version() -> str:
    done = subprocess.run(["valgrind", "--version"], capture_output=True, text=True, check=True)
    return done.stdout.strip().removeprefix("valgrind-")


def conclude(comparisons: Sequence[Comparison], recorded: Recorded, used: Compiler) -> int:
    """Print what follows from the counts; the exit code."""
    for c in comparisons:
        if c.recorded is not None and c.recorded.function != c.counted.function:
            print(f"{c.name}: most instructions were in {c.recorded.function}, "
                  f"now they are in {c.counted.function}")  # fmt: skip
    verdicts = {c.verdict for c in comparisons}
    if "not recorded" in verdicts:
        print("A kernel has no recorded count: record it by --update")
        return 1
    if not recorded.judges(used):
        print(f"Not judged: counts of {used.name} {used.major} say little beside those of "
              f"{recorded.compiler.name} {recorded.compiler.major}")  # fmt: skip
        return 0
    if "fell" in verdicts:
        print("Good news, counts fell: record them by --update, or they may rise again unseen")
    if "rose" in verdicts:
        print("Counts rose: if that is the price of something better, record them by --update "
              "and say why in the commit")  # fmt: skip
        return 1
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.instructions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--update", action="store_true", help="record the counts of today")
    options = parser.parse_args()
    try:
        reason = reason_to_skip()
        if reason is None:
            used = built_by()
            reason = reason_of_compiler(used)
        if reason is not None:
            if options.update:
                give_up(f"nothing recorded: {reason}")
            print(f"instruction counts skipped: {reason}")
            return 0
        recorded = records.read(records.FILE) if records.FILE.is_file() else None
        if recorded is None and not options.update:
            give_up(f"no {records.FILE.name}: run python -m benchmarks.instructions --update")
        counts = count()
    except (OSError, RuntimeError, ValueError) as error:
        give_up(str(error))
    if recorded is None:
        recorded = Recorded({}, used, valgrind_version())
    comparisons = records.compare(counts, recorded)
    print(f"instructions of one call, built by {used}; recorded with {recorded.compiler}, "
          f"tolerance {recorded.tolerance:.0%}")  # fmt: skip
    print(records.table(comparisons))
    if options.update:
        now = replace(recorded, counts=counts, compiler=used, valgrind=valgrind_version())
        records.write(now, records.FILE)
        print(f"wrote {records.FILE}")
        return 0
    return conclude(comparisons, recorded, used)


if __name__ == "__main__":
    sys.exit(main())
