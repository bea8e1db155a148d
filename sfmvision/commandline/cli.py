"""The command line: ``sfmvision train | predict | evaluate | info``."""

import argparse
from collections.abc import Sequence
from typing import Any

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
from sfmvision.classifier import SceneClassifier
from sfmvision.commandline import commands
from sfmvision.presets import PRESETS


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
        prog="sfmvision",
        description="Train and use classifiers of images.",
        epilog="Every command has its own --help.",
    )
    parser.add_argument(
        "--version", action="version", version=f"sfmvision (sfm-pacbayes) {__version__}"
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
        help="learn a model from a folder for each class",
        description="Learn a model from labelled images.",
    )
    _add_folder(parser)
    parser.add_argument("-o", "--output", required=True, metavar="MODEL", help="model file")
    parser.add_argument(
        "--unlabeled", nargs="+", default=[], metavar="PATH",
        help="further images without label, files or folders: how much the classifier disagrees "
        "on them enters what training minimises",
    )  # fmt: skip
    add_certify(parser, "images")
    _add_method(parser)
    add_common(parser)
    parser.set_defaults(run=commands.train)


def _add_predict(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "predict",
        help="label images by a model",
        description="Label images: one row of tab-separated values for each, in input order.",
    )
    parser.add_argument("model", metavar="MODEL", help="model file of 'sfmvision train'")
    parser.add_argument("paths", nargs="+", metavar="PATH", help="image, or folder of images")
    parser.add_argument(
        "-o", "--output", metavar="TSV", help="the table (default: standard output)"
    )
    add_min_confidence(parser)
    parser.add_argument(
        "--allow-truncated", action="store_true",
        help="read a JPEG that ends too early as far as it goes (default: as in training)",
    )  # fmt: skip
    parser.add_argument(
        "--max-pixels", type=positive, metavar="N",
        help="refuse an image of more pixels (default: as in training, where it is 100 million)",
    )  # fmt: skip
    add_common(parser)
    parser.set_defaults(run=commands.predict)


def _add_evaluate(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "evaluate",
        help="measure the accuracy on random halves",
        description="Train on a random half of every class, test on the other, many times; "
        "report one-versus-rest accuracies.",
    )
    _add_folder(parser)
    add_halves(parser)
    parser.add_argument(
        "--group-by", choices=["none", "content"], default="none",
        help="keep files of the same bytes in one half (default: none)",
    )  # fmt: skip
    parser.add_argument(
        "--figures", metavar="DIR",
        help="draw the confusion matrix, the objective and the most confident mistakes",
    )  # fmt: skip
    _add_method(parser)
    add_common(parser)
    parser.set_defaults(run=commands.evaluate)


def _add_info(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "info", help="describe a model file", description="Describe a model file."
    )
    parser.add_argument("model", metavar="MODEL", help="model file of 'sfmvision train'")
    parser.set_defaults(run=commands.info, strict=False)


def _add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", metavar="DIR", help="folder with one folder of images for each class"
    )


def _add_method(parser: argparse.ArgumentParser) -> None:
    add_preset(parser, PRESETS)
    parser.add_argument("--words", type=positive, metavar="N", help="words of the codebook")
    parser.add_argument("--topics", type=positive, metavar="N", help="topics of each model")
    parser.add_argument(
        "--cache", metavar="FOLDER",
        help="keep descriptors here, for the next run (default: a folder that is removed)",
    )  # fmt: skip
    add_settings(parser, "SceneClassifier", setting_parser(SceneClassifier))
