"""Run the workload under callgrind, and read what it counted.

Counted are the instructions of the extension itself, and of the mathematical library where the
extension calls it: a loop that falls back to its functions must show. Python, NumPy and the C
library's copying and filling do not count. Loading and first calls don't either: two calls are
counted and one, and the difference is taken.
"""

import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.instructions.workload import KERNELS, extension_of

REPOSITORY = Path(__file__).parents[2]
MATHEMATICS = ("libm", "libmvec")


@dataclass
class Cost:
    """Instructions of one object file.

    Parameters
    ----------
    functions : Counter
        Of each of its functions, without what that calls.
    mathematics : int
        Of the mathematical library, where the object calls it.
    """

    functions: Counter[str] = field(default_factory=Counter)
    mathematics: int = 0


@dataclass(frozen=True)
class Count:
    """Instructions of one call of a kernel, and the function that takes most of them."""

    instructions: int
    function: str


def read_costs(lines: Iterable[str]) -> dict[str, Cost]:
    """Costs of every object by its file's name up to the first dot, from callgrind's output.

    The output must be one without compressed names and positions. A line of cost is a position
    and a number. After ``calls=`` it is what the call took with all that it called in turn.
    """
    costs: dict[str, Cost] = defaultdict(Cost)
    place = function = called = "???"
    of_call = False
    for line in lines:
        key, is_pair, value = line.rstrip("\n").partition("=")
        if not is_pair:
            cost = line.split()
            if not line[:1].isdigit() or len(cost) != 2:
                continue
            if not of_call:
                costs[place].functions[function] += int(cost[1])
            elif called in MATHEMATICS:
                costs[place].mathematics += int(cost[1])
            # The next call is within the object, unless a line says otherwise.
            of_call, called = False, place
        elif key == "ob":
            place = called = object_name(value)
        elif key == "fn":
            function = value
        elif key == "cob":
            called = object_name(value)
        elif key == "calls":
            of_call = True
    return costs


def object_name(path: str) -> str:
    """Name of an object's file without what follows the first dot."""
    return path.rpartition("/")[2].partition(".")[0]


def per_call(once: Cost, twice: Cost) -> Count:
    """What the second call took.

    Raises
    ------
    ValueError
        If it took nothing.
    """
    functions = twice.functions - once.functions
    if not functions:
        raise ValueError("no instruction of the extension was counted")
    total = twice.functions.total() - once.functions.total() + twice.mathematics - once.mathematics
    return Count(total, functions.most_common(1)[0][0])


def run(calls: int) -> dict[str, Cost]:
    """Count the whole process of the workload with that many calls of each kernel.

    Raises
    ------
    RuntimeError
        If valgrind or the workload fails, with the last line that it wrote.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "callgrind.out")
        command = [
            "valgrind",
            "--tool=callgrind",
            f"--callgrind-out-file={file}",
            "--compress-strings=no",
            "--compress-pos=no",
            sys.executable,
            "-m",
            "benchmarks.instructions.workload",
            str(calls),
        ]
        single = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(
            command,
            cwd=REPOSITORY,
            env={**os.environ, **single},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode or not file.is_file():
            last = (done.stderr.strip() or "nothing was written").splitlines()[-1]
            raise RuntimeError(f"valgrind ended with code {done.returncode}: {last}")
        with file.open(encoding="utf-8", errors="replace") as lines:
            return read_costs(lines)


def count() -> dict[str, Count]:
    """Instructions of one call of every kernel.

    Raises
    ------
    RuntimeError
        If valgrind or the workload fails.
    ValueError
        If nothing was counted.
    """
    once, twice = run(1), run(2)
    extensions = {name: extension_of(name) for name in KERNELS}
    return {name: per_call(once[own], twice[own]) for name, own in extensions.items()}
