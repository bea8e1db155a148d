"""``sfmvision predict``."""

import argparse
import os

from sfmcore.commandline.output import output, refuse_overwriting, started
from sfmcore.commandline.predicting import asked_limits, told_coverage
from sfmcore.commandline.rows import has_header
from sfmcore.data.shards import part_of
from sfmcore.files.atomic import check_writable
from sfmcore.parallel.progress import progress
from sfmvision.classifier import SceneClassifier
from sfmvision.commandline.about import PROGRAM
from sfmvision.commandline.prediction import write_predictions
from sfmvision.commandline.reading import read_as_told
from sfmvision.images.folders import expand


def predict(options: argparse.Namespace) -> int:
    """``sfmvision predict``."""
    classifier = SceneClassifier.load(options.model)
    limits = asked_limits(PROGRAM, options, classifier)
    coverage = told_coverage(PROGRAM, options, classifier)
    read_as_told(options, classifier)
    if options.output not in (None, "-"):
        check_writable(options.output)
    notes: list[str] = []
    paths = expand(options.paths, notes)
    if not all(_is_text(os.fspath(path)) for path in paths):
        notes.append(r"paths that are not UTF-8 are written with their bytes as \xNN")
    refuse_overwriting(options.output, [options.model, *paths])
    if options.shard is not None:
        paths = [paths[place] for place in part_of(len(paths), options.shard)]
    problems: list[str] = []
    with output(options.output) as out:
        shown = progress(
            paths, "predicting", total=len(paths), unit=" images", show=not options.quiet
        )
        count = write_predictions(
            classifier,
            started(shown),
            out,
            problems,
            limits=limits,
            coverage=coverage,
            n_threads=options.threads,
            header=has_header(options.shard),
            folder="" if options.scheduler is None else os.getcwd(),
        )
    PROGRAM.complain(problems + notes)
    PROGRAM.tell(options, f"{count} rows, {len(problems)} without label")
    return len(problems)


def _is_text(path: str) -> bool:
    """Whether a path is UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
