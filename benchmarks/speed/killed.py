"""What ``sfmbio train --checkpoint`` costs if it is killed again and again.

A run without a checkpoint comes first. Then the same command with one is killed (SIGKILL) at random
amounts of processor time, and started again until it ends. Both model files must be equal.

    python -m benchmarks.speed.killed DATA [--kills 10] [--preset best] [--threads 1] [--seed 0]

It prints one line of JSON: processor time of every start, and the ratio of their sum to the run
without a checkpoint. Linux only.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.speed.environment import start_fairly
from benchmarks.speed.timing import give_up

# Of the processor time of the whole run, the most that a start gets before it is killed.
_LARGEST_SHARE = 0.15
_POLL_SECONDS = 0.05


def spent(process: subprocess.Popen[bytes]) -> float:
    """Seconds of processor time of a running process and its threads."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start(command: list[str], limit: float) -> tuple[float, int]:
    """Run a command, and kill it once it has used so many seconds; those it used, and its code."""
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_utime + usage.ru_stime, process.returncode
        if spent(process) >= limit:
            process.kill()
            limit = float("inf")
        time.sleep(_POLL_SECONDS)


def measure(data: Path, kills: int, more: list[str], seed: int) -> dict[str, Any]:
    """The undisturbed run, those that are killed, and the last one.

    Raises
    ------
    RuntimeError
        If a run fails, or the model files differ.
    """
    with TemporaryDirectory() as folder:
        plain, survived = Path(folder, "plain.sfm"), Path(folder, "survived.sfm")
        command = [sys.executable, "-m", "sfmbio", "train", str(data), *more]
        whole, code = start([*command, "-o", str(plain)], float("inf"))
        if code:
            raise RuntimeError(f"the undisturbed run ended with {code}")
        draw = random.Random(seed)
        limits = [draw.uniform(0.0, _LARGEST_SHARE) * whole for _ in range(kills)]
        resumed = [*command, "-o", str(survived), "--checkpoint", str(Path(folder, "kept"))]
        starts = [start(resumed, limit) for limit in [*limits, float("inf")]]
        codes = [code for _, code in starts]
        if codes != [-9] * kills + [0]:
            raise RuntimeError(f"starts ended with {codes}")
        if plain.read_bytes() != survived.read_bytes():
            raise RuntimeError("the model files differ")
        seconds = [round(used, 2) for used, _ in starts]
        return {
            "undisturbed": round(whole, 2),
            "starts": seconds,
            "ratio": round(sum(seconds) / whole, 3),
        }


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.killed",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("data", type=Path, metavar="DATA", help="a file for each class")
    parser.add_argument("--kills", type=int, default=10, metavar="N")
    parser.add_argument("--preset", default="best")
    parser.add_argument("--threads", type=int, default=1, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the moments")
    options = parser.parse_args()
    start_fairly()
    more = ["--preset", options.preset, "--threads", str(options.threads)]
    try:
        print(json.dumps(measure(options.data, options.kills, more, options.seed)))
    except RuntimeError as error:
        give_up(str(error))


if __name__ == "__main__":
    main()
