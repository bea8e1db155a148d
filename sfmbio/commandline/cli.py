"""The command line: ``sfmbio train | predict | evaluate | info``."""

import argparse
from collections.abc import Sequence
from typing import Any

from sfmbio.classifier import ProteinClassifier
from sfmbio.commandline import commands
from sfmbio.presets import PRESETS
from sfmbio.reading.labels import ASTRAL_LEVELS
from sfmcore.commandline.arguments import (
    add_certify,
    add_common,
    add_halves,
    add_min_confidence,
    add_preset,
    add_settings,
    positive,
)
from sfmcore.commandline.running import run
from sfmcore.commandline.settings import setting_parser
from sfmcore.version import __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code, see :func:`sfmcore.commandline.running.run`.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process by default.
    """
    return run(build_parser, arguments)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="sfmbio",
        description="Train and use classifiers of unaligned protein sequences.",
        epilog="Every command has its own --help.",
    )
    parser.add_argument(
        "--version", action="version", version=f"sfmbio (sfm-pacbayes) {__version__}"
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
    add_certify(parser, "sequences")
    _add_labels(parser)
    _add_method(parser)
    add_common(parser)
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
    add_min_confidence(parser)
    add_common(parser)
    parser.set_defaults(run=commands.predict)


def _add_evaluate(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "evaluate",
        help="measure the accuracy on random halves",
        description="Train on a random half of every class, test on the other, many times; "
        "report one-versus-rest accuracies.",
    )
    _add_inputs(parser)
    add_halves(parser)
    parser.add_argument(
        "--group-by", choices=["none", *commands.GROUPINGS], default="none",
        help="keep equal sequences, or ASTRAL superfamilies, in one half (default: none)",
    )  # fmt: skip
    _add_labels(parser)
    _add_method(parser)
    add_common(parser)
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
    add_preset(parser, PRESETS)
    parser.add_argument("--states", type=positive, metavar="N", help="hidden states of each HMM")
    add_settings(parser, "ProteinClassifier", setting_parser(ProteinClassifier))
