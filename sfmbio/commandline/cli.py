"""The command line: ``sfmbio train | predict | evaluate | info``."""

import argparse
from collections.abc import Sequence

from sfmbio.classifier import ProteinClassifier
from sfmbio.commandline import commands
from sfmbio.commandline.grouping import add_save_groups, grouping
from sfmbio.presets import PRESETS
from sfmbio.reading.labels import ASTRAL_LEVELS
from sfmcore.commandline.arguments import Groupings, add_preset, add_settings, positive
from sfmcore.commandline.running import run
from sfmcore.commandline.settings import setting_parser

_TEXTS = {
    "train": (
        "learn a model from labelled sequences",
        "Learn a model from labelled, unaligned protein sequences.",
    ),
    "predict": (
        "label sequences by a model",
        "Label protein sequences: one row of tab-separated values for each record, in input order.",
    ),
}


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
    program = commands.PROGRAM
    parser, own = program.parsers(
        "Train and use classifiers of unaligned protein sequences.", _TEXTS
    )
    for name in ("train", "predict", "evaluate"):
        own[name].add_argument(
            "inputs", nargs="+", metavar="INPUT",
            help="FASTA file (plain, gzip or bgzip), folder of FASTA files, or - for standard "
            "input",
        )  # fmt: skip
    groupings = Groupings(
        [*commands.GROUPINGS, "identity:X"],
        "equal sequences, ASTRAL superfamilies, or sequences that are linked by alignments with a "
        "share of at least X of identical residues",
        grouping,
    )
    program.add_train(own["train"], "FASTA", "sequences without label", groupings, "ids")
    program.add_predict(own["predict"], "records")
    program.add_evaluate(own["evaluate"], groupings, "ids")
    add_save_groups(own["evaluate"])
    for name in ("train", "evaluate"):
        _add_labels(own[name])
        add_preset(own[name], PRESETS)
        own[name].add_argument(
            "--states", type=positive, metavar="N", help="hidden states of each HMM"
        )
        add_settings(own[name], "ProteinClassifier", setting_parser(ProteinClassifier))
    for name in ("train", "predict", "evaluate"):
        program.finish(own[name], getattr(commands, name))
    return parser


def _add_labels(parser: argparse.ArgumentParser) -> None:
    levels = "|".join(f"astral:{level}" for level in ASTRAL_LEVELS)
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--labels", metavar="TSV", help="table of ids and labels")
    group.add_argument(
        "--label-from", metavar="SOURCE",
        help=f"file|{levels}|header:REGEX (default: file, the label is the file's name)",
    )  # fmt: skip
