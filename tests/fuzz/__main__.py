"""Try made and damaged inputs on the readers and the model files, for any time.

    python -m tests.fuzz [--seconds N] [--inputs N] [--seed N] [--save FOLDER]
                         [fasta|tables|images|models ...]

Each harness gets the seconds; without a name all four run, one after another. Equal seeds try equal
inputs in equal order, so --start goes on where another run ended. Exit code 1 says that an input
broke a property (each harness states its own): it is made smaller, shown, and saved with --save
as a case for --replay, the file it stands for, and what happened.
"""

import argparse
import sys
import time
from pathlib import Path

from tests.fuzz.base import Harness
from tests.fuzz.fasta import Fasta
from tests.fuzz.images import Images
from tests.fuzz.models import Models
from tests.fuzz.running import Outcome, run
from tests.fuzz.tables import Tables
from tests.fuzz.worker import Reply, Worker

HARNESSES: dict[str, Harness] = {
    "fasta": Fasta(),
    "tables": Tables(),
    "images": Images(),
    "models": Models(),
}
_SHOWN_BYTES, _SHOWN_OUTCOMES = 600, 25


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="HARNESS", help="which (all)")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each harness (60)")
    parser.add_argument("--seed", type=int, default=0, help="of the inputs (0)")
    parser.add_argument("--start", type=int, default=0, help="number of the first input (0)")
    parser.add_argument("--inputs", type=int, metavar="N", help="at most so many each (no limit)")
    parser.add_argument("--save", type=Path, metavar="FOLDER", help="where findings go")
    parser.add_argument("--replay", type=Path, metavar="CASE", help="try one saved case only")
    options = parser.parse_args()
    unknown = set(options.names) - set(HARNESSES)
    if unknown:
        parser.error(f"no such harness: {', '.join(unknown)}; there are {', '.join(HARNESSES)}")
    if options.replay:
        if len(options.names) != 1:
            parser.error("--replay needs the name of its harness")
        return _replay(HARNESSES[options.names[0]], options.replay.read_bytes())
    results = [_run(name, options) for name in options.names or HARNESSES]
    return int(any(result.findings for result in results))


def _run(name: str, options: argparse.Namespace) -> Outcome:
    print(f"{name}: {options.seconds:g} s from seed {options.seed}", flush=True)

    def show(number: int, reply: Reply) -> None:
        print(f"{name}: FINDING in input {number}: {reply.key}")
        print(f"  {len(reply.case)} bytes: {reply.case[:_SHOWN_BYTES]!r}")
        print("  " + reply.details.strip().replace("\n", "\n  "), flush=True)
        if options.save:
            _save(options.save, f"{name}-{options.seed}-{number}", HARNESSES[name], reply)

    began = time.monotonic()
    result = run(
        HARNESSES[name],
        seed=options.seed,
        seconds=options.seconds,
        start=options.start,
        most=options.inputs,
        show=show,
    )
    found = f"{len(result.findings)} kinds of findings"
    print(f"{name}: {result.n_tried} inputs in {time.monotonic() - began:.0f} s, {found}")
    for key, count in result.repeats.most_common():
        print(f"{count:9d}  FINDING {key}")
    for outcome, count in result.outcomes.most_common(_SHOWN_OUTCOMES):
        print(f"{count:9d}  {outcome}")
    if (further := len(result.outcomes) - _SHOWN_OUTCOMES) > 0:
        print(f"           and {further} further kinds of outcomes")
    sys.stdout.flush()
    return result


def _save(folder: Path, name: str, harness: Harness, reply: Reply) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.case").write_bytes(reply.case)
    (folder / f"{name}.input").write_bytes(harness.file(reply.case))
    (folder / f"{name}.txt").write_text(f"{reply.key}\n\n{reply.details}\n")


def _replay(harness: Harness, case: bytes) -> int:
    worker = Worker(harness, 0)
    try:
        reply = worker.case(case)
    finally:
        worker.close()
    print(reply.outcome or f"FINDING {reply.key}\n{reply.details}")
    return int(bool(reply.key))


if __name__ == "__main__":
    raise SystemExit(main())
