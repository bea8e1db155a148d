"""Choosing cases, running them one by one, and the command line that does so."""

import argparse
import difflib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks.speed.case import Case, Disagreement, Skipped
from benchmarks.speed.environment import start_fairly
from benchmarks.speed.machine import Machine, limit_of, measure_machine
from benchmarks.speed.report import markdown, table, write_json
from benchmarks.speed.timing import Timing, give_up, measure

Groups = Mapping[str, Sequence[Case]]


@dataclass
class Outcome:
    """What a run came to.

    Attributes
    ----------
    timings : list of Timing
    skipped, stopped : list of str
        Sentences about cases that can't be run here, and about those where ours and the peer
        disagree.
    """

    timings: list[Timing] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)


def chosen(groups: Groups, only: Sequence[str] | None) -> list[Case]:
    """The cases of these names and groups, in the order of the groups; all for None.

    Raises
    ------
    ValueError
        If a name is unknown.
    """
    names = {case.name for cases in groups.values() for case in cases}
    for name in only or ():
        if name not in groups and name not in names:
            near = difflib.get_close_matches(name, [*groups, *names], n=1, cutoff=0.3)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ValueError(f"no case or group is called {name!r}{hint or '.'} --list shows all")
    return [
        case
        for group, cases in groups.items()
        for case in cases
        if only is None or group in only or case.name in only
    ]


def run(
    cases: Sequence[Case],
    machine: Machine,
    *,
    pairs: int = 9,
    shortest: float = 0.05,
    json_file: Path | None = None,
) -> Outcome:
    """Run the cases one after another, the BLAS on one thread.

    A case that can't be run here or whose check fails is named on standard error, and the others
    go on. The JSON file is written after every case.

    Parameters
    ----------
    cases : sequence of Case
    machine : Machine
    pairs : int, default=9
    shortest : float, default=0.05
        Seconds of a turn, at least.
    json_file : Path, optional
    """
    outcome = Outcome()
    for case in cases:
        print(f"{case.name} {case.peer}".rstrip() + " ...", file=sys.stderr, flush=True)
        try:
            with threadpool_limits(limits=1):
                outcome.timings.append(_time(case, machine, pairs, shortest))
        except Skipped as reason:
            outcome.skipped.append(f"skipped: {case.name}: {reason}")
            print(outcome.skipped[-1], file=sys.stderr)
        except Disagreement as reason:
            outcome.stopped.append(f"stopped: {case.name}: {reason}")
            print(outcome.stopped[-1], file=sys.stderr)
        if json_file is not None:
            write_json(outcome.timings, json_file)
    return outcome


def _time(case: Case, machine: Machine, pairs: int, shortest: float) -> Timing:
    made = case.prepare()
    made.check()
    made.details.setdefault("n_threads", 1)
    made.details.update(processor=machine.processor, blas=machine.blas)
    limit = None
    if made.work is not None:
        limit = limit_of(made.work, machine)
        made.details.update(
            counted=made.work.counted,
            flops=made.work.flops,
            precision=made.work.precision,
            read_bytes=made.work.read_bytes,
        )
    return measure(
        case.name,
        made.ours,
        made.peer,
        peer_name=made.peer_name,
        unit=made.unit,
        pairs=pairs,
        shortest=shortest,
        limit=limit,
        details=made.details,
    )


def make_parser(description: str | None) -> argparse.ArgumentParser:
    """Options that all runs have."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", help="cases, or groups of them, by their names"
    )
    parser.add_argument("--list", action="store_true", help="name groups and cases, and end")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table here")
    parser.add_argument("--pairs", type=int, default=9, metavar="N", help="turns, at least 7")
    return parser


def run_command_line(groups: Groups, options: argparse.Namespace) -> int:
    """Do what the options of :func:`make_parser` say.

    Returns
    -------
    int
        Exit code: 1 if a case was stopped by its check.

    Raises
    ------
    SystemExit
        With code 2, if a name is unknown or `pairs` is too small.
    """
    try:
        cases = chosen(groups, options.only)
    except ValueError as error:
        give_up(str(error))
    if options.list:
        for group, members in groups.items():
            for case in members:
                if case in cases:
                    print("  ".join([group, case.name, case.peer]).rstrip())
        return 0
    if options.pairs < 7:
        give_up("--pairs must be at least 7, or a median says little")
    for file in (options.json, options.markdown):
        if file is not None and not file.parent.is_dir():
            give_up(f"no folder {file.parent} for {file.name}")
    with threadpool_limits(limits=1):
        machine = measure_machine()
    print(machine, flush=True)
    outcome = run(cases, machine, pairs=options.pairs, json_file=options.json)
    print(f"one thread unless the name says otherwise, medians of {options.pairs} turns")
    print(table(outcome.timings))
    if options.markdown is not None:
        text = markdown(outcome.timings, machine, options.pairs)
        options.markdown.write_text(text + "\n", encoding="utf-8")
    # Once more: by now they are far above.
    for sentence in (*outcome.skipped, *outcome.stopped):
        print(sentence, file=sys.stderr)
    return 1 if outcome.stopped else 0


def main(cases: Sequence[Case], description: str | None) -> None:
    """Command line of one module."""
    options = make_parser(description).parse_args()
    start_fairly()
    raise SystemExit(run_command_line({"all": cases}, options))
