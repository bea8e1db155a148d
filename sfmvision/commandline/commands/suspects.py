"""``sfmvision suspects``."""

import argparse

from sfmcore.commandline.output import checked_outputs, refuse_overwriting
from sfmcore.commandline.searching import search
from sfmcore.commandline.suspects import write_suspects
from sfmvision.commandline.about import PROGRAM
from sfmvision.commandline.describing import describer_of, keep_descriptors
from sfmvision.commandline.grouping import IDS, groups_of_table, groups_of_usable
from sfmvision.commandline.labelled import read_labelled, scan_folder


def suspects(options: argparse.Namespace) -> int:
    """``sfmvision suspects``."""
    classifier = PROGRAM.new_classifier(options, None)
    keep_descriptors(options, classifier)
    written = checked_outputs({"-o": options.output, "--json": options.json})
    table = PROGRAM.read_groups(options, IDS)
    folder = scan_folder(options)
    tables = [] if options.groups is None else [options.groups]
    for path in written:
        refuse_overwriting(path, [*tables, *folder.images])
    grouped = groups_of_table(options, folder, table)
    images = read_labelled(options, folder, describer_of(classifier, len(folder.images)))
    groups = groups_of_usable(options, images, grouped)
    found = search(PROGRAM, options, classifier, images.batch, images.labels, groups)
    names = [source.name for source in images.batch.sources]
    write_suspects(options, PROGRAM, classifier, found, names, images.unusable)
    return images.left_out
