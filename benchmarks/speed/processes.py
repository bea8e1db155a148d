"""Whole jobs of the command lines, each a process of its own."""

import os
import subprocess
import sys
from tempfile import TemporaryFile
from time import perf_counter
from typing import Any

from benchmarks.speed.case import Disagreement


def peak_mib(maxrss: int) -> float:
    """The peak memory that `getrusage` gives, in MiB: kilobytes on Linux, bytes on macOS."""
    return maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def measured_job(module: str, arguments: list[str]) -> tuple[dict[str, float], str]:
    """Seconds, processor time and peak memory of one command, and its standard output.

    Messages go to standard error, so that a long run shows its progress.

    Raises
    ------
    RuntimeError
        If the command fails.
    """
    started = perf_counter()
    command = [sys.executable, "-m", module, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{module} {arguments[0]} ended with {process.returncode}")
    return {
        "seconds": round(perf_counter() - started, 1),
        "processor_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "peak_mib": round(peak_mib(usage.ru_maxrss), 1),
    }, text


def run_job(module: str, arguments: list[str], details: dict[str, Any]) -> None:
    """Run ``python -m module arguments --quiet`` to its end.

    The peak memory of the largest process so far, as the kernel counts it, goes to `details`, and
    the least processor time of one, which other work on the machine changes little.

    Raises
    ------
    Disagreement
        If the command fails.
    """
    command = [sys.executable, "-m", module, *arguments, "--quiet"]
    with TemporaryFile("w+") as messages:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=messages)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            messages.seek(0)
            last = messages.read().strip().rpartition("\n")[2]
            raise Disagreement(f"{module} {arguments[0]} ended with {process.returncode}: {last}")
    details["peak_mib"] = max(peak_mib(usage.ru_maxrss), details.get("peak_mib", 0.0))
    seconds = usage.ru_utime + usage.ru_stime
    details["processor_s"] = min(seconds, details.get("processor_s", seconds))
