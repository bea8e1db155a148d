"""The command line: ``sfmvision train | predict | evaluate | info``."""

import argparse
from collections.abc import Sequence
from functools import partial
from importlib import import_module

from sfmcore.commandline.arguments import add_preset, add_settings, positive
from sfmcore.commandline.running import run
from sfmcore.commandline.settings import setting_parser
from sfmvision.commandline.about import PROGRAM
from sfmvision.presets import PRESETS

_TEXTS = {
    "train": ("learn a model from a folder for each class", "Learn a model from labelled images."),
    "predict": (
        "label images by a model",
        "Label images: one row of tab-separated values for each, in input order.",
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
    parser, own = program.parsers("Train and use classifiers of images.", _TEXTS)
    for name in ("train", "evaluate"):
        own[name].add_argument(
            "folder", metavar="DIR", help="folder with one folder of images for each class"
        )
        own[name].add_argument(
            "--these-are-classes", action="store_true",
            help="take the folders for classes even if they are called train or test, or all hold "
            "folders of the same names",
        )  # fmt: skip
    own["predict"].add_argument(
        "paths", nargs="+", metavar="PATH", help="image, or folder of images"
    )
    program.add_train(own["train"], "PATH", "images without label, files or folders")
    program.add_predict(own["predict"], "images")
    own["predict"].add_argument(
        "--allow-truncated", action="store_true",
        help="read a JPEG that ends too early as far as it goes (default: as in training)",
    )  # fmt: skip
    own["predict"].add_argument(
        "--max-pixels", type=positive, metavar="N",
        help="refuse an image of more pixels (default: 100 million, or less if training had less)",
    )  # fmt: skip
    program.add_evaluate(own["evaluate"], ["content"], "files of the same bytes", "paths")
    own["evaluate"].add_argument(
        "--figures", metavar="DIR",
        help="draw the confusion matrix, the objective and the most confident mistakes",
    )  # fmt: skip
    for name in ("train", "evaluate"):
        _add_method(own[name])
    for name in ("train", "predict", "evaluate"):
        program.finish(own[name], partial(_command, name))
    return parser


def _command(name: str, options: argparse.Namespace) -> int:
    """Run a command of :mod:`sfmvision.commandline.commands`, imported for it."""
    count: int = getattr(import_module("sfmvision.commandline.commands"), name)(options)
    return count


def _add_method(parser: argparse.ArgumentParser) -> None:
    add_preset(parser, PRESETS)
    parser.add_argument("--words", type=positive, metavar="N", help="words of the codebook")
    parser.add_argument("--topics", type=positive, metavar="N", help="topics of each model")
    parser.add_argument(
        "--cache", metavar="FOLDER",
        help="keep descriptors here, for the next run (default: a folder that is removed)",
    )  # fmt: skip
    add_settings(parser, "SceneClassifier", setting_parser(lambda: PROGRAM.classifier))
