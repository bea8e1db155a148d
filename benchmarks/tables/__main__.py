"""Accuracy on the paper's eight UCI sets over random halves, after the paper's protocol.

    python -m benchmarks.uci --out DIR [--sets NAME ...] [--methods NAME ...] [--jobs 2]

Results go to DIR/results.jsonl as they come; a run that was stopped goes on where it was. The table
shows one-versus-rest accuracy in per cent, averaged over the classes: mean and standard deviation
over the partitions. With --table it is made of what the file holds, and nothing is run.
"""

import argparse
import sys
from itertools import product
from pathlib import Path

from joblib import Parallel, delayed

from benchmarks.uci.datasets import NAMES, Dataset, load
from benchmarks.uci.methods import METHODS
from benchmarks.uci.results import Results, table, versions
from benchmarks.uci.trial import run
from sfmcore.progress import progress


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.uci",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--sets", nargs="+", choices=NAMES, default=NAMES, metavar="NAME")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS, metavar="NAME")
    parser.add_argument("--partitions", type=int, default=20, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--table", action="store_true", help="only print the table")
    return parser


def run_missing(options: argparse.Namespace, results: Results, datasets: list[Dataset]) -> None:
    """Run whatever the file does not hold yet, set by set."""
    missing = [
        (dataset, method, partition)
        for dataset, partition, method in product(
            datasets, range(options.partitions), options.methods
        )
        if (dataset.name, method, partition) not in results.rows
    ]
    tasks = (delayed(run)(*one, options.seed) for one in missing)
    rows = Parallel(n_jobs=options.jobs, return_as="generator_unordered")(tasks)
    for row in progress(rows, "trials", total=len(missing)):
        results.add(row)


def main() -> None:
    parser = make_parser()
    options = parser.parse_args()
    if options.partitions < 1:
        parser.error(f"--partitions must be at least 1, got {options.partitions}")
    file = options.out / "results.jsonl"
    try:
        datasets = [] if options.table else [load(name) for name in options.sets]
        results = Results(file, None if options.table else options.seed)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    if not options.table:
        if results.header["versions"] != versions():
            print(f"note: {file} was begun with other versions", file=sys.stderr)
        run_missing(options, results, datasets)
    print(table(results.rows.values()))


if __name__ == "__main__":
    main()
