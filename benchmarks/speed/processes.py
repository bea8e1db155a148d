"""Whole jobs of the command lines, each a process of its own."""

import os
import subprocess
import sys
from tempfile import TemporaryFile
from typing import Any

from benchmarks.speed.case import Disagreement


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
    # Kilobytes, but bytes on macOS.
    peak = usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    details["peak_mib"] = max(peak, details.get("peak_mib", 0.0))
    seconds = usage.ru_utime + usage.ru_stime
    details["processor_s"] = min(seconds, details.get("processor_s", seconds))
