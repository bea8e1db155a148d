"""The command line: ``sfmvision train | predict | explain | test | evaluate | suspects | info``."""

import argparse
from collections.abc import Sequence
from functools import partial

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
from sfmvision.commandline.about import PROGRAM
from sfmvision.presets import PRESETS

_N_SHOWN = 100
_TEXTS = {
    "train": ("train a model on one folder per class", "Train a model on labelled images."),
    "predict": (
        "label images with a model",
        "Label images: one row of tab-separated values per image, in input order.",
    ),
    "explain": (
        "explain the label of each image",
        "Show how much every patch supports its image's label over the runner-up: one row "
        "of tab-separated values per patch. Rows of patch 0 hold terms that belong to no patch; "
        "all rows of an image add up to its score.",
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
    program = PROGRAM
    parser, own = parsers.parsers(program, "Train and use classifiers of images.", _TEXTS)
    for name in ("train", "test", "evaluate", "suspects"):
        own[name].add_argument(
            "folder", metavar="DIR", help="folder with one folder of images per class"
        )
        own[name].add_argument(
            "--these-are-classes", action="store_true",
            help="treat the folders as classes even if they are called train or test, or all "
            "contain folders of the same names",
        )  # fmt: skip
    for name in ("predict", "explain"):
        own[name].add_argument(
            "paths", nargs="+", metavar="PATH", help="image, or folder of images"
        )
    groupings = Groupings(["content"], "files with the same content")
    parsers.add_train(
        program, own["train"], "PATH", "images without label, files or folders", groupings, "paths"
    )
    parsers.add_predict(program, own["predict"], "images")
    parsers.add_explain(program, own["explain"], "patches")
    own["explain"].add_argument(
        "--overlay", metavar="DIR",
        help="draw each image in grey with its evidence in colour, in this folder",
    )  # fmt: skip
    add_reasons_page(own["explain"], "images next to their evidence", "images", _N_SHOWN)
    parsers.add_test(program, own["test"])
    for name in ("predict", "test"):
        own[name].add_argument(
            "--allow-truncated", action="store_true",
            help="read a truncated JPEG as far as it goes (default: as in training)",
        )  # fmt: skip
        own[name].add_argument(
            "--max-pixels", type=positive, metavar="N",
            help="refuse images with more pixels (default: 100 million, or less if training had "
            "less)",
        )  # fmt: skip
    parsers.add_evaluate(program, own["evaluate"], groupings, "paths")
    add_figures(own["evaluate"], "confusions, training's objective and the most confident mistakes")
    parsers.add_suspects(program, own["suspects"], groupings, "paths")
    for name in ("train", "evaluate", "suspects"):
        _add_method(own[name])
    for name in ("train", "predict", "explain", "test", "evaluate", "suspects"):
        parsers.finish(program, own[name], partial(_command, name))
    return parser


def _command(name: str, options: argparse.Namespace) -> int:
    """Run a command of :mod:`sfmvision.commandline.commands`; only its module is imported."""
    return load_command("sfmvision", name)(options)


def _add_method(parser: argparse.ArgumentParser) -> None:
    add_preset(parser, PRESETS)
    parser.add_argument("--words", type=positive, metavar="N", help="codebook size, in words")
    parser.add_argument("--topics", type=positive, metavar="N", help="number of topics per model")
    parser.add_argument(
        "--cache", metavar="FOLDER",
        help="keep descriptors in this folder for the next run (default: a temporary folder)",
    )  # fmt: skip
    add_settings(parser, "SceneClassifier", setting_parser(lambda: PROGRAM.classifier))
