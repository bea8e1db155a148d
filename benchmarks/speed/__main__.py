"""Speed of kernels and whole jobs, against peers and against what the machine can do.

Ours and the peer run in turns in one process, on one thread unless the name says otherwise, after
a warm-up; whole jobs are processes of their own. That both say the same is checked first. Each
module also runs by itself, as `python -m benchmarks.speed.hmm`.
"""

from pathlib import Path

from benchmarks.speed.environment import start_fairly
from benchmarks.speed.registry import all_groups
from benchmarks.speed.running import make_parser, run_command_line
from benchmarks.speed.timing import give_up


def main() -> None:
    """Run the command line."""
    parser = make_parser(__doc__)
    parser.add_argument(
        "--scaling",
        type=Path,
        metavar="DIR",
        help="measure how cost grows with size instead: JSON and a plot go to this folder",
    )
    options = parser.parse_args()
    if options.scaling is not None and (
        options.only or options.list or options.json or options.markdown
    ):
        give_up("--scaling goes with --pairs alone")
    if options.pairs < 7:
        give_up("--pairs must be at least 7, or a median says little")
    start_fairly()
    if options.scaling is None:
        raise SystemExit(run_command_line(all_groups(), options))
    from benchmarks.speed.scaling import run_scaling

    raise SystemExit(run_scaling(options.scaling, pairs=options.pairs))


if __name__ == "__main__":
    main()
