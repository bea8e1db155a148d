"""The command line: ``sfmbio train | predict | explain | evaluate | suspects | info``."""

import argparse
from collections.abc import Sequence
from functools import partial
from importlib import import_module

from sfmbio.commandline.about import PROGRAM
from sfmbio.commandline.options import GROUPED_BY, add_save_groups, grouping
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
    "explain": (
        "say what each label rests on",
        "Say how much every residue speaks for its sequence's label and against the runner-up: one "
        "row of tab-separated values for each residue. Rows of position 0 are what no residue can "
        "be given; all rows of a record add up to its score.",
    ),
}
_N_SHOWN = 200


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
    program = PROGRAM
    parser, own = program.parsers(
        "Train and use classifiers of unaligned protein sequences.", _TEXTS
    )
    for name in ("train", "predict", "explain", "evaluate", "suspects"):
        own[name].add_argument(
            "inputs", nargs="+", metavar="INPUT",
            help="FASTA file (plain, gzip or bgzip), folder of FASTA files, or - for standard "
            "input",
        )  # fmt: skip
    groupings = Groupings(
        [*GROUPED_BY, "identity:X"],
        "equal sequences, ASTRAL superfamilies, or sequences that are linked by alignments with a "
        "share of at least X of identical residues",
        grouping,
    )
    program.add_train(own["train"], "FASTA", "sequences without label", groupings, "ids")
    program.add_predict(own["predict"], "records")
    program.add_explain(own["explain"], "residues")
    _add_reports(own["explain"])
    program.add_evaluate(own["evaluate"], groupings, "ids")
    add_save_groups(own["evaluate"])
    program.add_suspects(own["suspects"], groupings, "ids")
    for name in ("train", "evaluate", "suspects"):
        _add_labels(own[name])
        add_preset(own[name], PRESETS)
        own[name].add_argument(
            "--states", type=positive, metavar="N", help="hidden states of each HMM"
        )
        add_settings(own[name], "ProteinClassifier", setting_parser(lambda: PROGRAM.classifier))
    for name in ("train", "predict", "explain", "evaluate", "suspects"):
        program.finish(own[name], partial(_command, name))
    return parser


def _add_reports(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--summary", metavar="TSV",
        help="write one row for each record: score, sums, states and words that say most, and the "
        "nearest training records",
    )  # fmt: skip
    parser.add_argument(
        "--html", metavar="FILE", help="write a page that shows the sequences in colours"
    )
    parser.add_argument(
        "--first", type=positive, default=_N_SHOWN, metavar="N",
        help=f"records that the page shows, at most (default: {_N_SHOWN})",
    )  # fmt: skip


def _command(name: str, options: argparse.Namespace) -> int:
    """Run a command of :mod:`sfmbio.commandline.commands`, imported for it."""
    count: int = getattr(import_module("sfmbio.commandline.commands"), name)(options)
    return count


def _add_labels(parser: argparse.ArgumentParser) -> None:
    levels = "|".join(f"astral:{level}" for level in ASTRAL_LEVELS)
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--labels", metavar="TSV", help="table of ids and labels")
    group.add_argument(
        "--label-from", metavar="SOURCE",
        help=f"file|{levels}|header:REGEX (default: file, the label is the file's name)",
    )  # fmt: skip
