"""``sfmvision train``."""

import argparse
from collections import Counter

from sfmcore.commandline.output import refuse_overwriting
from sfmcore.commandline.program import refuse_standard_output
from sfmcore.commandline.training import learn
from sfmcore.data.errors import UserError
from sfmcore.reporting.commands import check_report, report_training
from sfmvision.commandline.about import PROGRAM
from sfmvision.commandline.describing import describer_of, keep_descriptors
from sfmvision.commandline.grouping import IDS, groups_of_table, groups_of_usable
from sfmvision.commandline.labelled import read_images, read_labelled, scan_folder
from sfmvision.images.folders import expand


def train(options: argparse.Namespace) -> int:
    """``sfmvision train``."""
    classifier = PROGRAM.new_classifier(options, options.output)
    keep_descriptors(options, classifier)
    refuse_standard_output(options)
    check_report(options, output=options.output)
    table = PROGRAM.read_groups(options, IDS)
    folder = scan_folder(options)
    notes: list[str] = []
    more = expand(options.unlabeled, notes)
    tables = [] if options.groups is None else [options.groups]
    for path in (options.output, options.report):
        refuse_overwriting(path, [*tables, *folder.images, *more])
    grouped = groups_of_table(options, folder, table)
    PROGRAM.complain(notes)
    describer = describer_of(classifier, len(folder.images) + len(more))
    images = read_labelled(options, folder, describer)
    left_out, unlabeled = images.left_out, None
    if more:
        further = read_images(options, more, [], describer)
        if not len(further.batch):
            raise UserError("--unlabeled: no usable image")
        left_out += further.left_out
        unlabeled = further.batch
        PROGRAM.tell(options, f"{len(unlabeled)} images without label")
    groups = groups_of_usable(options, images, grouped)
    learn(PROGRAM, options, classifier, images.batch, images.labels, unlabeled, groups)
    report_training(
        PROGRAM,
        options,
        classifier,
        dict(sorted(Counter(images.labels).items())),
        inputs=[str(options.folder)],
        left_out=left_out,
        n_unlabeled=0 if unlabeled is None else len(unlabeled),
    )
    return left_out
