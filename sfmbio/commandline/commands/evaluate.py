"""``sfmbio evaluate``."""

import argparse

from sfmbio.commandline.about import PROGRAM
from sfmbio.commandline.grouping import check_save_groups, find_groups
from sfmbio.commandline.inputs import files_read, refuse_unreadable
from sfmbio.commandline.labelled import read_labelled
from sfmbio.reading.report import ReadReport, counted
from sfmbio.reading.sources import expand_inputs
from sfmcore.commandline import evaluating
from sfmcore.commandline.output import refuse_overwriting
from sfmcore.reporting.commands import check_report, report_evaluation


def evaluate(options: argparse.Namespace) -> int:
    """``sfmbio evaluate``."""
    classifier = PROGRAM.new_classifier(options, options.json)
    check_save_groups(options)
    check_report(options, json=options.json, save_groups=options.save_groups)
    evaluating.check_figures(PROGRAM, options)
    report = ReadReport()
    sources = expand_inputs(options.inputs, report)
    tables = [] if options.groups is None else [options.groups]
    read = files_read(options, tables, sources)
    for path in (options.json, options.save_groups, options.report):
        refuse_overwriting(path, read)
    table = PROGRAM.read_groups(options)
    sequences, left_out = read_labelled(options, sources, report)
    groups = find_groups(options, PROGRAM, sequences, table)
    examine = None
    if options.report is not None:
        from sfmbio.reporting.mistakes import examine_mistakes, shown_sequences

        examine = examine_mistakes
    result, curve, seconds = evaluating.evaluate(
        PROGRAM, options, classifier, sequences.batch, sequences.labels, groups, examine
    )
    if options.report is not None:
        names = [record.id for record in sequences.records]
        shown = shown_sequences(
            names, result.examined, sequences.batch, of_training=lambda place: names[int(place)]
        )
        report_evaluation(
            PROGRAM,
            options,
            classifier,
            result,
            sequences.batch,
            shown,
            curve=curve,
            inputs=[str(source) for source in sources],
            left_out=left_out,
        )
    evaluating.draw_figures(PROGRAM, options, result)
    n_parts = counted(len(result.answers), "fold" if result.folded else "partition")
    PROGRAM.tell(options, f"{n_parts} in {seconds:.1f} s")
    refuse_unreadable(len(sources), report)
    return left_out
