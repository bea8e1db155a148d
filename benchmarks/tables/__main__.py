"""The paper's Tables 1 to 3 and Figure 1, side by side with other methods, on the real data.

Tables 4 to 8 are not the paper's: remote homology, enzymes, locations, peptides, superfamilies and
folds. A set with published parts, or with folds, is tested on those; all others on random halves.

    python -m benchmarks.tables 1|...|8|figure1 --out DIR [--methods NAME ...] [--sets NAME ...]
        [--partitions 20] [--seed 0] [--jobs 2] [--scheduler ADDRESS] [--report]

Results go to DIR/table1.jsonl and the like as they come; a run that was stopped goes on where it
was. At the end a summary (JSON), a table (Markdown) and a plot are made of what the file holds;
with --report nothing else is done. The data are found by the environment variable SFM_DATA. With
SFM_DESCRIPTORS, a folder, table 2 describes each image once and not once for every method and half.
With SFM_SEARCHES, a folder, tables 4 to 8 keep scores of alignments and hits of searches there.
"""

import argparse
import sys
from pathlib import Path

from benchmarks.tables import figure1
from benchmarks.tables.registry import TABLES
from benchmarks.tables.report import write_report
from benchmarks.tables.results import Results, versions
from benchmarks.tables.running import Trial, backend, run_all
from benchmarks.tables.trial import run


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.tables",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=[*TABLES, "figure1"], help="table or figure")
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="default: all")
    parser.add_argument("--methods", nargs="+", metavar="NAME", help="default: all")
    parser.add_argument("--partitions", type=int, default=20, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="run on Dask; 'local' starts two workers"
    )
    parser.add_argument("--report", action="store_true", help="run nothing, only write the report")
    return parser


def trials_of(options: argparse.Namespace, results: Results) -> list[Trial]:
    """Whatever the file does not hold yet: set by set, partition by partition."""
    table = TABLES[options.what]
    wanted = [
        (name, partition, method)
        for name in options.sets
        for partition in table.partitions_of(name, options.partitions)
        for method in options.methods
    ]
    missing = [key for key in wanted if (key[0], key[2], key[1]) not in results.rows]
    datasets = {name: table.load(name) for name in {key[0] for key in missing}}
    return [
        (options.what, datasets[name], method, partition, options.seed)
        for name, partition, method in missing
    ]


def main() -> None:
    parser = make_parser()
    options = parser.parse_args()
    if options.partitions < 1:
        parser.error(f"--partitions must be at least 1, got {options.partitions}")
    figure = options.what == "figure1"
    stem = options.what if figure else f"table{options.what}"
    known = figure1.CURVES if figure else TABLES[options.what].sets
    methods = figure1.METHODS if figure else TABLES[options.what].methods
    for name, given, choices in (
        ("sets", options.sets, known),
        ("methods", options.methods, methods),
    ):
        if strange := set(given or ()) - set(choices):
            parser.error(
                f"--{name}: no {', '.join(sorted(strange))}; choose from {', '.join(choices)}"
            )
        setattr(options, name, list(given or choices))
    file = options.out / f"{stem}.jsonl"
    try:
        results = Results(file, None if options.report else options.seed)
        if not options.report:
            trials = figure1.trials_of(options, results) if figure else trials_of(options, results)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    if not options.report:
        if results.header["versions"] != versions():
            print(f"note: {file} was begun with other versions", file=sys.stderr)
        with backend(options.scheduler):
            run_all(figure1.run if figure else run, trials, results, options.jobs)
    write = figure1.write_report if figure else write_report
    for path in write(options.what, results, options.out):
        print(f"wrote {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
