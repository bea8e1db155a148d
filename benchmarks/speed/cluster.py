"""A Dask cluster of processes on this machine against threads: same bits, and what it costs.

``sfmbio train`` and ``predict`` run once with threads, once on a cluster of as many workers, and
once on a cluster of three workers one of which is killed (SIGKILL) in the middle. All model files
and tables must be equal.

    python -m benchmarks.speed.cluster DATA [--labels TSV] --records FASTA [--preset best]

It prints one line of JSON: seconds by the clock, and their ratio to those of threads.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from benchmarks.speed.environment import start_fairly
from benchmarks.speed.timing import give_up

Process = subprocess.Popen[bytes]
_PATIENCE_SECONDS = 60.0


@contextmanager
def cluster(n_workers: int, folder: Path) -> Iterator[tuple[str, list[Process]]]:
    """Address of a scheduler and its workers, one thread each, which end with the block."""
    file = folder / f"scheduler_{n_workers}.json"
    file.unlink(missing_ok=True)
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [sys.executable, "-m", "dask"]
    local = ["--host", "127.0.0.1", "--scheduler-file", str(file)]
    scheduler = subprocess.Popen(
        [*dask, "scheduler", *local, "--port", "0", "--no-dashboard"], **quiet
    )
    workers: list[Process] = []
    try:
        began = perf_counter()
        while not file.exists():
            if perf_counter() - began > _PATIENCE_SECONDS or scheduler.poll() is not None:
                raise RuntimeError("no scheduler: is dask.distributed installed?")
            time.sleep(0.1)
        for _ in range(n_workers):
            command = [*dask, "worker", "--scheduler-file", str(file), "--nthreads", "1"]
            # Without a nanny, so that a killed worker is gone.
            command += ["--no-nanny", "--no-dashboard", "--local-directory", str(folder)]
            workers.append(subprocess.Popen(command, **quiet))
        yield json.loads(file.read_text(encoding="utf-8"))["address"], workers
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def timed(command: list[str], victim: tuple[Process, float] | None = None) -> float:
    """Seconds of a command; a worker is killed after so many of them.

    Raises
    ------
    RuntimeError
        If it fails.
    """
    timer = None
    if victim is not None:
        worker, after = victim
        timer = threading.Timer(after, lambda: os.kill(worker.pid, signal.SIGKILL))
        timer.start()
    started = perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "sfmbio", *command], capture_output=True, text=True, check=False
    )
    seconds = perf_counter() - started
    if timer is not None:
        timer.cancel()
        if victim is not None and victim[0].poll() is None:
            raise RuntimeError(f"{command[0]} ended before the worker was killed")
    if done.returncode:
        last = done.stderr.strip().rpartition("\n")[2]
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {last}")
    return seconds


def measure(training: list[str], records: Path, n_workers: int) -> dict[str, Any]:
    """Both commands in all three ways.

    Raises
    ------
    RuntimeError
        If a command fails, or its output differs.
    """
    found: dict[str, Any] = {"n_workers": n_workers, "training": training}
    with TemporaryDirectory() as name:
        folder = Path(name)
        model = folder / "threads.sfm"
        jobs = {
            "train": (["train", *training], ".sfm"),
            "predict": (["predict", str(model), str(records)], ".tsv"),
        }
        for job, (command, suffix) in jobs.items():
            first = folder / f"threads{suffix}"
            threads = timed([*command, "-o", str(first), "--threads", str(n_workers)])
            seconds = {"threads": threads}
            for way, count in (("cluster", n_workers), ("killed", 3)):
                output = folder / f"{way}{suffix}"
                with cluster(count, folder) as (address, workers):
                    victim = None if way == "cluster" else (workers[1], threads / 2)
                    more = ["-o", str(output), "--scheduler", address]
                    seconds[way] = timed([*command, *more], victim)
                if output.read_bytes() != first.read_bytes():
                    raise RuntimeError(f"{job}: the output of {way} differs")
            found[job] = {way: round(value, 1) for way, value in seconds.items()}
            found[job]["ratio"] = round(seconds["cluster"] / threads, 3)
    return found


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.cluster",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("data", metavar="DATA", help="FASTA file, or a folder of them")
    parser.add_argument("--labels", metavar="TSV", help="as for train")
    parser.add_argument("--records", type=Path, required=True, metavar="FASTA")
    parser.add_argument("--workers", type=int, default=2, metavar="N")
    parser.add_argument("--preset", default="best")
    options = parser.parse_args()
    start_fairly()
    training = [options.data, "--preset", options.preset]
    if options.labels is not None:
        training += ["--labels", options.labels]
    try:
        found = measure(training, options.records, options.workers)
    except RuntimeError as error:
        give_up(str(error))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
