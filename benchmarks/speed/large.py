"""`sfmbio train` on many records, and `predict` of as many: seconds and peak memory.

Ten classes, each drawn from a random hidden Markov model of its own as in
:mod:`benchmarks.speed.classes`; 100 to 500 residues a record. A model of the training files labels
200 further records of every class.

    python -m benchmarks.speed.large --out DIR [--records 200000] [--set NAME=VALUE]

The files are written to DIR once, and each run adds a line to ``large.jsonl`` there.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.speed.classes import drawn_class
from benchmarks.speed.environment import processor_name, start_fairly
from benchmarks.speed.timing import give_up

N_CLASSES = 10
NEW_PER_CLASS = 200
SHORTEST, LONGEST = 100, 500
# Sequences that are drawn side by side.
_BLOCK = 20_000
_LETTERS = bytes.maketrans(bytes(range(20)), b"ACDEFGHIKLMNPQRSTVWY")


def write_class(path: Path, number: int, n_records: int, first_block: int) -> int:
    """Write one class's records; return their residues."""
    residues = 0
    with path.open("wb") as out:
        for block, first in enumerate(range(0, n_records, _BLOCK), first_block):
            size = min(_BLOCK, n_records - first)
            drawn = drawn_class(number, 0, size, stream=block, shortest=SHORTEST, longest=LONGEST)
            for place, codes in enumerate(drawn, first):
                sequence = codes.tobytes().translate(_LETTERS)
                out.write(b">c%d_%d_%d\n%s\n" % (number, first_block, place, sequence))
                residues += len(sequence)
    return residues


def make_files(folder: Path, n_records: int) -> tuple[Path, Path, int]:
    """Folders of the training and of the new records, and the training residues."""
    own = folder / f"{n_records}_records"
    training, new, done = own / "train", own / "new", own / "residues"
    if not done.exists():
        training.mkdir(parents=True, exist_ok=True)
        new.mkdir(exist_ok=True)
        residues = 0
        for number in range(N_CLASSES):
            share = n_records // N_CLASSES + (number < n_records % N_CLASSES)
            residues += write_class(training / f"class{number}.fasta", number, share, 1)
            write_class(new / f"class{number}.fasta", number, NEW_PER_CLASS, 1_000_000)
        done.write_text(str(residues), encoding="ascii")
    return training, new, int(done.read_text(encoding="ascii"))


def run(package: str, arguments: list[str]) -> tuple[dict[str, float], str]:
    """Seconds, processor time and peak memory of one command, and what it wrote.

    Raises
    ------
    RuntimeError
        If it fails; with the last line that it wrote.
    """
    started = perf_counter()
    command = [sys.executable, "-m", package, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{package} {arguments[0]} ended with {process.returncode}")
    # Kilobytes, but bytes on macOS.
    peak = usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    return {
        "seconds": round(perf_counter() - started, 1),
        "processor_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "peak_mib": round(peak, 1),
    }, text


def measure(folder: Path, n_records: int, n_threads: int, settings: list[str]) -> dict[str, Any]:
    """Train, and label the new records."""
    training, new, residues = make_files(folder, n_records)
    model = training.parent / "model.sfm"
    model.unlink(missing_ok=True)
    threads = ["--threads", str(n_threads)]
    changed = [part for setting in settings for part in ("--set", setting)]
    train, _ = run("sfmbio", ["train", str(training), "-o", str(model), *threads, *changed])
    test, text = run("sfmbio", ["test", str(model), str(new), "--json", "-", *threads])
    return {
        "n_records": n_records,
        "n_residues": residues,
        "n_threads": n_threads,
        "settings": settings,
        "processor": processor_name(),
        "train": train,
        "new_right": json.loads(text)["measures"]["accuracy"],
        "model_mib": round(model.stat().st_size / 2**20, 1),
        "test": test,
    }


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.large",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--records", type=int, default=200_000, metavar="N")
    parser.add_argument("--threads", type=int, default=2, metavar="N")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    options = parser.parse_args()
    if options.records < 100 or options.threads < 1:
        give_up("--records must be at least 100 and --threads at least 1")
    start_fairly()
    try:
        found = measure(options.out, options.records, options.threads, options.set)
    except RuntimeError as error:
        give_up(str(error))
    line = json.dumps(found)
    with (options.out / "large.jsonl").open("a", encoding="utf-8") as out:
        out.write(line + "\n")
    print(line)


if __name__ == "__main__":
    main()
