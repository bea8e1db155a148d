"""``sfmvision explain``."""

import argparse
from pathlib import Path

from sfmcore.commandline.output import checked_outputs, output, refuse_overwriting, started
from sfmcore.commandline.settings import as_user_error
from sfmcore.data.errors import UserError
from sfmcore.parallel.progress import progress
from sfmvision.classifier import SceneClassifier
from sfmvision.commandline.about import PROGRAM
from sfmvision.commandline.explaining import write_reasons
from sfmvision.explaining.page import Page
from sfmvision.images.folders import expand
from sfmvision.images.reading import MAX_PIXELS


def explain(options: argparse.Namespace) -> int:
    """``sfmvision explain``."""
    classifier = SceneClassifier.load(options.model)
    classifier.set_params(
        max_pixels=min(classifier.short_params()["max_pixels"], MAX_PIXELS), n_jobs=options.threads
    )
    files = checked_outputs({"-o": options.output, "--html": options.html})
    if options.overlay == "":
        raise UserError("--overlay: an empty name")
    notes: list[str] = []
    paths = expand(options.paths, notes)
    for path in files:
        refuse_overwriting(path, [options.model, *paths])
    page = None if options.html is None else Page(Path(options.model).name, options.first)
    if options.overlay is not None:
        Path(options.overlay).mkdir(parents=True, exist_ok=True)
    problems: list[str] = []
    with output(options.output) as out, as_user_error():
        shown = progress(
            paths, "explaining", total=len(paths), unit=" images", show=not options.quiet
        )
        count = write_reasons(
            classifier, started(shown), out, problems, folder=options.overlay, page=page
        )
    if page is not None:
        with output(options.html) as file:
            file.write(page.text())
    PROGRAM.complain(problems + notes)
    PROGRAM.tell(options, f"{count} images, {len(problems)} without reasons")
    return len(problems)
