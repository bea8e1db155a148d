"""What the measurements of training on large inputs share: the two commands, and the options."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.speed.environment import processor_name, start_fairly
from benchmarks.speed.processes import measured_job
from benchmarks.speed.timing import give_up


def train_and_test(
    package: str, training: Path, new: Path, n_threads: int, settings: list[str]
) -> dict[str, Any]:
    """Train on one folder and test on another, each in a process of its own.

    Raises
    ------
    RuntimeError
        If a command fails.
    """
    model = training.parent / "model.sfm"
    model.unlink(missing_ok=True)
    threads = ["--threads", str(n_threads)]
    changed = [part for setting in settings for part in ("--set", setting)]
    command = ["train", str(training), "-o", str(model), *threads, *changed]
    train, _ = measured_job(package, command)
    test, text = measured_job(package, ["test", str(model), str(new), "--json", "-", *threads])
    return {
        "n_threads": n_threads,
        "settings": settings,
        "processor": processor_name(),
        "train": train,
        "new_right": json.loads(text)["measures"]["accuracy"],
        "model_mib": round(model.stat().st_size / 2**20, 1),
        "test": test,
    }


def run_large(
    description: str | None,
    name: str,
    noun: str,
    default: int,
    measure: Callable[[Path, int, int, list[str]], dict[str, Any]],
) -> None:
    """Run the command line of one measurement, and add its result to ``name.jsonl``.

    Parameters
    ----------
    description : str
    name : str
        Of the module.
    noun : str
        What is counted, which names the option.
    default : int
        How many.
    measure : callable
        From the folder, the number, the threads and the settings.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.speed.{name}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument(f"--{noun}", type=int, default=default, metavar="N", dest="size")
    parser.add_argument("--threads", type=int, default=2, metavar="N")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    options = parser.parse_args()
    if options.size < 100 or options.threads < 1:
        give_up(f"--{noun} must be at least 100 and --threads at least 1")
    start_fairly()
    try:
        found = measure(options.out, options.size, options.threads, options.set)
    except RuntimeError as error:
        give_up(str(error))
    line = json.dumps(found)
    with (options.out / f"{name}.jsonl").open("a", encoding="utf-8") as out:
        out.write(line + "\n")
    print(line)
