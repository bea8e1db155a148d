"""The command line: ``sfmbio train | predict | evaluate | info``."""

import argparse
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType
from typing import Any

from sklearn.exceptions import ConvergenceWarning

import sfmcore
from sfmbio import commands
from sfmbio.errors import SfmbioError
from sfmbio.labels import ASTRAL_LEVELS
from sfmbio.presets import PRESETS
from sfmcore.storage import ModelFileError
from sfmcore.threads import available_processors

DONE, INCOMPLETE, FAILED, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code.

    0 done; 1 done, but some inputs could not be used and ``--strict`` was given; 2 bad usage or
    unreadable input; 130 interrupted; 141 when nobody reads the output any more.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process by default.
    """
    _open_streams()
    try:
        options = build_parser().parse_args(arguments)
    finally:
        _settle_output()  # of --help
    with warnings.catch_warnings():
        warnings.simplefilter("once", ConvergenceWarning)
        warnings.showwarning = _show_warning
        _listen_to_signals()
        try:
            unusable = options.run(options)
            sys.stdout.flush()
        except KeyboardInterrupt:
            _say("interrupted")
            return INTERRUPTED
        except BrokenPipeError:
            return BROKEN_PIPE
        except (SfmbioError, ModelFileError) as error:
            _say(str(error))
            return FAILED
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            _say(f"{where}{error.strerror or error}")
            return FAILED
        except MemoryError as error:
            _say(f"out of memory: {error}" if str(error) else "out of memory")
            return FAILED
        finally:
            _settle_output()
    return INCOMPLETE if unusable and options.strict else DONE


def _open_streams() -> None:
    """Make standard output and error fit for use."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            # Closed by the caller; `print` would fall back from the one to the other.
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
    if hasattr(sys.stdout, "reconfigure"):
        # Ids that are not UTF-8 go out as they came in.
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
    if hasattr(sys.stderr, "reconfigure"):
        sys.stderr.reconfigure(errors="backslashreplace")


def _settle_output() -> None:
    """Write out what standard output holds back, or let it go nowhere.

    Python does so once more at exit, and would end with a complaint and an exit code of its own.
    """
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _listen_to_signals() -> None:
    """Clean up as after Ctrl-C when the process is told to end or its terminal goes away."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # Who runs it with nohup has set the second to be ignored.
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            with suppress(ValueError):  # not the main thread: its owner handles signals
                signal.signal(number, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _say(text: str) -> None:
    print(f"sfmbio: {text}", file=sys.stderr)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _say(f"warning: {message}")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="sfmbio",
        description="Train and use classifiers of unaligned protein sequences.",
        epilog="Every command has its own --help.",
    )
    parser.add_argument(
        "--version", action="version", version=f"sfmbio (sfm-pacbayes) {sfmcore.__version__}"
    )
    subparsers = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_train(subparsers)
    _add_predict(subparsers)
    _add_evaluate(subparsers)
    _add_info(subparsers)
    return parser


def _add_train(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "train",
        help="learn a model from labelled sequences",
        description="Learn a model from labelled, unaligned protein sequences.",
    )
    _add_inputs(parser)
    parser.add_argument("-o", "--output", required=True, metavar="MODEL", help="model file")
    parser.add_argument(
        "--unlabeled", nargs="+", default=[], metavar="FASTA",
        help="further sequences without label: how much the classifier disagrees on them "
        "enters what training minimises",
    )  # fmt: skip
    parser.add_argument(
        "--certify", type=_part, default=0.0, metavar="SHARE", dest="certificate_fraction",
        help="keep this share of the sequences from the models, and prove on them how often the "
        "classifier can be wrong at most (0.5 is a good start; the models learn from the rest)",
    )  # fmt: skip
    _add_labels(parser)
    _add_method(parser)
    _add_common(parser)
    parser.set_defaults(run=commands.train)


def _add_predict(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "predict",
        help="label sequences by a model",
        description="Label protein sequences: one row of tab-separated values for each record, "
        "in input order.",
    )
    parser.add_argument("model", metavar="MODEL", help="model file of 'sfmbio train'")
    _add_inputs(parser)
    parser.add_argument(
        "-o", "--output", metavar="TSV", help="the table (default: standard output)"
    )
    parser.add_argument(
        "--min-confidence", type=_share, default=0.0, metavar="P",
        help="say 'unclassified' where the confidence is below P, from 0 to 1",
    )  # fmt: skip
    _add_common(parser)
    parser.set_defaults(run=commands.predict)


def _add_evaluate(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "evaluate",
        help="measure the accuracy on random halves",
        description="Train on a random half of every class, test on the other, many times; "
        "report one-versus-rest accuracies.",
    )
    _add_inputs(parser)
    parser.add_argument("--partitions", type=_positive, default=20, metavar="N",
                        help="number of random halves (default: 20)")  # fmt: skip
    parser.add_argument(
        "--group-by", choices=["none", *commands.GROUPINGS], default="none",
        help="keep equal sequences, or ASTRAL superfamilies, in one half (default: none)",
    )  # fmt: skip
    parser.add_argument("--json", metavar="FILE", help="write the figures as JSON")
    _add_labels(parser)
    _add_method(parser)
    _add_common(parser)
    parser.set_defaults(run=commands.evaluate)


def _add_info(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "info", help="describe a model file", description="Describe a model file."
    )
    parser.add_argument("model", metavar="MODEL", help="model file of 'sfmbio train'")
    parser.set_defaults(run=commands.info, strict=False)


def _add_inputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "inputs", nargs="+", metavar="INPUT",
        help="FASTA file (plain, gzip or bgzip), folder of FASTA files, or - for standard input",
    )  # fmt: skip


def _add_labels(parser: argparse.ArgumentParser) -> None:
    levels = "|".join(f"astral:{level}" for level in ASTRAL_LEVELS)
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--labels", metavar="TSV", help="table of ids and labels")
    group.add_argument(
        "--label-from", metavar="SOURCE",
        help=f"file|{levels}|header:REGEX (default: file, the label is the file's name)",
    )  # fmt: skip


def _add_method(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--preset", choices=sorted(PRESETS), default="best",
                        help="best: most accurate here; paper: the paper's algorithm and sizes "
                        "(default: best)")  # fmt: skip
    parser.add_argument("--states", type=_positive, metavar="N", help="hidden states of each HMM")
    parser.add_argument(
        "--set", action="append", default=[], type=commands.parse_setting, metavar="NAME=VALUE",
        dest="settings", help="set any parameter of ProteinClassifier, such as coupling=0",
    )  # fmt: skip
    parser.add_argument("--seed", type=_natural, default=0, metavar="S",
                        help="the same seed gives the same result (default: 0)")  # fmt: skip


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--threads", type=_positive, default=available_processors(), metavar="N",
        help="threads at most (default: all processors); results do not depend on it",
    )  # fmt: skip
    parser.add_argument("--strict", action="store_true",
                        help="exit with 1 if some inputs could not be used")  # fmt: skip
    parser.add_argument("--quiet", action="store_true",
                        help="no progress and no summary; problems are still named")  # fmt: skip


def _positive(text: str) -> int:
    value = _natural(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {text}")
    return value


def _natural(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise argparse.ArgumentTypeError(f"must be a whole number of 0 to 999999999, got {text!r}")
    return int(text)


def _part(text: str) -> float:
    value = _share(text)
    if value == 1.0:
        raise argparse.ArgumentTypeError("must be below 1: the models need sequences too")
    return value


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"must lie between 0 and 1, got {text!r}")
    return value
