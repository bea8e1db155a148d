"""``sfmbio suspects``."""

import argparse

from sfmbio.commandline.about import PROGRAM
from sfmbio.commandline.grouping import find_groups
from sfmbio.commandline.inputs import files_read, refuse_unreadable
from sfmbio.commandline.labelled import read_labelled
from sfmbio.reading.record import Record
from sfmbio.reading.report import ReadReport
from sfmbio.reading.sources import expand_inputs
from sfmcore.commandline.output import checked_outputs, refuse_overwriting
from sfmcore.commandline.searching import search
from sfmcore.commandline.suspects import write_suspects


def suspects(options: argparse.Namespace) -> int:
    """``sfmbio suspects``."""
    classifier = PROGRAM.new_classifier(options, None)
    written = checked_outputs({"-o": options.output, "--json": options.json})
    report = ReadReport()
    sources = expand_inputs(options.inputs, report)
    tables = [] if options.groups is None else [options.groups]
    for path in written:
        refuse_overwriting(path, files_read(options, tables, sources))
    table = PROGRAM.read_groups(options)
    unused: list[Record] = []
    sequences, left_out = read_labelled(options, sources, report, unused)
    groups = find_groups(options, PROGRAM, sequences, table)
    found = search(PROGRAM, options, classifier, sequences.batch, sequences.labels, groups)
    names = [record.id for record in sequences.records]
    write_suspects(
        options,
        PROGRAM,
        classifier,
        found,
        names,
        [(record.id, record.status) for record in unused],
    )
    refuse_unreadable(len(sources), report)
    return left_out
