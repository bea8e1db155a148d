"""``sfmvision evaluate``."""

import argparse
from functools import partial

from sfmcore.commandline import evaluating
from sfmcore.commandline.output import refuse_overwriting
from sfmcore.reporting.commands import check_report, report_evaluation
from sfmvision.commandline.about import PROGRAM
from sfmvision.commandline.describing import describer_of, keep_descriptors
from sfmvision.commandline.figures import draw_mistakes
from sfmvision.commandline.grouping import IDS, groups_of_table, groups_of_usable
from sfmvision.commandline.labelled import read_labelled, scan_folder


def evaluate(options: argparse.Namespace) -> int:
    """``sfmvision evaluate``."""
    classifier = PROGRAM.new_classifier(options, options.json)
    keep_descriptors(options, classifier)
    check_report(options, json=options.json)
    evaluating.check_figures(PROGRAM, options, "mistakes")
    table = PROGRAM.read_groups(options, IDS)
    folder = scan_folder(options)
    tables = [] if options.groups is None else [options.groups]
    for path in (options.json, options.report):
        refuse_overwriting(path, [*tables, *folder.images])
    grouped = groups_of_table(options, folder, table)
    images = read_labelled(options, folder, describer_of(classifier, len(folder.images)))
    groups = groups_of_usable(options, images, grouped)
    examine = None
    if options.report is not None:
        from sfmvision.reporting.mistakes import examine_mistakes, shown_images

        examine = examine_mistakes
    result, curve, seconds = evaluating.evaluate(
        PROGRAM, options, classifier, images.batch, images.labels, groups, examine
    )
    if options.report is not None:
        report_evaluation(
            PROGRAM,
            options,
            classifier,
            result,
            images.batch,
            shown_images(images.batch, result.examined),
            curve=curve,
            inputs=[str(options.folder)],
            left_out=images.left_out,
        )
    evaluating.draw_figures(
        PROGRAM, options, result, mistakes=partial(draw_mistakes, result, images.batch)
    )
    n_parts = f"{len(result.answers)} {'folds' if result.folded else 'partitions'}"
    PROGRAM.tell(options, f"{n_parts} in {seconds:.1f} s")
    return images.left_out
