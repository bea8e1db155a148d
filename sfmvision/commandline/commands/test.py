"""``sfmvision test``."""

import argparse
import os

from sfmcore.commandline.assessments import Item, LeftOut, check_drop_known, show_assessment
from sfmcore.commandline.known_labels import KnownLabels
from sfmcore.commandline.output import refuse_overwriting
from sfmcore.commandline.settings import as_user_error
from sfmcore.data.errors import UserError
from sfmcore.data.words import counted
from sfmcore.evaluation.assessment import Assessment
from sfmcore.evaluation.testing import joined
from sfmcore.files.atomic import check_writable
from sfmcore.parallel.progress import progress
from sfmcore.reporting.commands import check_report, report_test, tested_suspects
from sfmvision.classifier import SceneClassifier
from sfmvision.commandline.about import PROGRAM
from sfmvision.commandline.describing import describer_of
from sfmvision.commandline.labelled import scan_folder
from sfmvision.commandline.reading import read_as_told
from sfmvision.commandline.testing import judged_blocks
from sfmvision.descriptors.batch import ImageBatch, Source
from sfmvision.descriptors.encoding import sources_of


def test(options: argparse.Namespace) -> int:
    """``sfmvision test``."""
    classifier = SceneClassifier.load(options.model)
    check_drop_known(options, classifier)
    known = KnownLabels(classifier.classes_)
    check_report(options, json=options.json)
    read_as_told(options, classifier)
    if options.json not in (None, "-"):
        check_writable(options.json)
    folder = scan_folder(options, as_given=True)
    for path in (options.json, options.report):
        refuse_overwriting(path, [options.model, *folder.images])
    numbered = [
        (os.fspath(path), number)
        for path, label in zip(folder.images, folder.labels, strict=True)
        if (number := known.number(label)) is not None
    ]
    PROGRAM.complain(known.messages(PROGRAM.noun))
    if not numbered:
        raise UserError(known.refusal(options.model))
    problems: list[str] = []
    shown = progress(
        numbered, "testing", total=len(numbered), unit=" images", show=not options.quiet
    )
    blocks = list(
        judged_blocks(
            classifier,
            shown,
            problems,
            drop_known=options.drop_known,
            n_threads=options.threads,
            folder="" if options.scheduler is None else os.getcwd(),
        )
    )
    PROGRAM.complain(problems)
    if len(problems) == len(numbered):
        raise UserError(f"{options.folder}: no usable image")
    with as_user_error():
        result = joined(classifier, blocks, drop_known=options.drop_known, delta=classifier.delta)
    items = [Item(path) for path, _ in numbered]
    left_out = LeftOut(len(problems), folder.unlabelled, known.unknown)
    n_left_out = show_assessment(PROGRAM, options, result, items, left_out)
    if options.report is not None:
        _report_test(options, classifier, result, [path for path, _ in numbered], n_left_out)
    PROGRAM.tell(options, f"{counted(sum(result.counts), 'image')} tested, {n_left_out} left out")
    return n_left_out


def _report_test(
    options: argparse.Namespace,
    classifier: SceneClassifier,
    result: Assessment,
    paths: list[str],
    n_left_out: int,
) -> None:
    """Write the page of ``test``; the images that it shows are read once more."""
    from sfmcore.reporting.outcome import MOST_SUSPECTS
    from sfmvision.reporting.mistakes import explained_images, mistaken, shown_images

    suspects = tested_suspects(result)
    wrong = mistaken(result.answers)
    listed = [] if suspects is None else suspects.ranked_items()[:MOST_SUSPECTS].tolist()
    chosen = [*wrong, *(item for item in listed if item not in wrong)]
    describer = describer_of(classifier, len(paths))
    made = sources_of([paths[item] for item in chosen], describer, n_threads=1)
    # A file may have gone since it was tested.
    kept = [
        (item, source)
        for item, source in zip(chosen, made, strict=True)
        if isinstance(source, Source)
    ]
    places = [item for item, _ in kept]
    batch = ImageBatch(tuple(source for _, source in kept), describer)
    mistakes = [item for item in places if item in wrong]
    explained = explained_images(classifier, mistakes, batch[: len(mistakes)]) if mistakes else []
    report_test(
        PROGRAM,
        options,
        classifier,
        result,
        shown_images(batch, [explained], places=places, names=paths),
        suspects=suspects,
        inputs=[os.fspath(options.folder)],
        left_out=n_left_out,
    )
