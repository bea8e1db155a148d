"""The command line: ``sfmbio train | predict | explain | test | evaluate | suspects | info``."""

import argparse
from collections.abc import Sequence
from functools import partial

from sfmbio.commandline.about import PROGRAM
from sfmbio.commandline.options import (
    GROUPED_BY,
    MOST_RESIDUES,
    add_save_groups,
    grouping,
)
from sfmbio.presets import PRESETS
from sfmbio.reading.labels import ASTRAL_LEVELS
from sfmcore.commandline import parsers
from sfmcore.commandline.arguments import (
    Groupings,
    add_figures,
    add_preset,
    add_reasons_page,
    add_settings,
    positive,
)
from sfmcore.commandline.loading import load_command
from sfmcore.commandline.running import run
from sfmcore.commandline.settings import setting_parser

_TEXTS = {
    "train": (
        "train a model on labelled sequences",
        "Train a model on labelled, unaligned protein sequences.",
    ),
    "predict": (
        "label sequences with a model",
        "Label protein sequences: one row of tab-separated values per record, in input order.",
    ),
    "explain": (
        "explain the label of each sequence",
        "Show how much every residue supports its sequence's label over the runner-up: one "
        "row of tab-separated values per residue. Rows of position 0 hold terms that belong to no "
        "residue; all rows of a record add up to its score.",
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
    parser, own = parsers.parsers(
        program, "Train and use classifiers of unaligned protein sequences.", _TEXTS
    )
    for name in ("train", "predict", "explain", "test", "evaluate", "suspects"):
        own[name].add_argument(
            "inputs", nargs="+", metavar="INPUT",
            help="FASTA file (plain, gzip or bgzip), folder of FASTA files, or - for standard "
            "input",
        )  # fmt: skip
    groupings = Groupings(
        [*GROUPED_BY, "identity:X"],
        "equal sequences, ASTRAL superfamilies, or sequences linked by alignments with at least a "
        "fraction X of identical residues",
        grouping,
    )
    parsers.add_train(program, own["train"], "FASTA", "sequences without label", groupings, "ids")
    _add_most_residues(own["train"])
    parsers.add_predict(program, own["predict"], "records")
    parsers.add_explain(program, own["explain"], "residues")
    _add_reports(own["explain"])
    parsers.add_test(program, own["test"])
    parsers.add_evaluate(program, own["evaluate"], groupings, "ids")
    add_save_groups(own["evaluate"])
    add_figures(own["evaluate"], "confusions and training's objective")
    parsers.add_suspects(program, own["suspects"], groupings, "ids")
    for name in ("train", "test", "evaluate", "suspects"):
        _add_labels(own[name])
    for name in ("train", "evaluate", "suspects"):
        add_preset(own[name], PRESETS)
        own[name].add_argument(
            "--states", type=positive, metavar="N", help="hidden states of each HMM"
        )
        add_settings(own[name], "ProteinClassifier", setting_parser(lambda: PROGRAM.classifier))
    for name in ("train", "predict", "explain", "test", "evaluate", "suspects"):
        parsers.finish(program, own[name], partial(_command, name))
    return parser


def _add_most_residues(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--most-residues", type=positive, default=MOST_RESIDUES, metavar="N",
        help="learn from N residues at most; of larger inputs a sample is taken, with as even a "
        f"share of each class as there is (default: {MOST_RESIDUES})",
    )  # fmt: skip


def _add_reports(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--summary", metavar="TSV",
        help="write one row per record: score, sums, the most important states and words, and the "
        "nearest training records",
    )  # fmt: skip
    add_reasons_page(parser, "the sequences in colours", "records", _N_SHOWN)


def _command(name: str, options: argparse.Namespace) -> int:
    """Run a command of :mod:`sfmbio.commandline.commands`; only its module is imported."""
    return load_command("sfmbio", name)(options)


def _add_labels(parser: argparse.ArgumentParser) -> None:
    levels = "|".join(f"astral:{level}" for level in ASTRAL_LEVELS)
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--labels", metavar="TSV", help="table of ids and labels")
    group.add_argument(
        "--label-from", metavar="SOURCE",
        help=f"file|{levels}|header:REGEX (default: file, the label is the file's name)",
    )  # fmt: skip
