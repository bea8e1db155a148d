"""``sfmbio predict``."""

import argparse

from sfmbio.classifier import ProteinClassifier
from sfmbio.commandline.about import PROGRAM
from sfmbio.commandline.inputs import refuse_unreadable
from sfmbio.commandline.prediction import write_predictions
from sfmbio.reading.fasta import read_files
from sfmbio.reading.parts import read_part
from sfmbio.reading.report import ReadReport, counted
from sfmbio.reading.sources import expand_inputs
from sfmcore.commandline.output import output, refuse_overwriting, started
from sfmcore.commandline.predicting import asked_limits, told_coverage
from sfmcore.commandline.rows import has_header
from sfmcore.files.atomic import check_writable
from sfmcore.parallel.progress import progress


def predict(options: argparse.Namespace) -> int:
    """``sfmbio predict``."""
    classifier = ProteinClassifier.load(options.model)
    limits = asked_limits(PROGRAM, options, classifier)
    coverage = told_coverage(PROGRAM, options, classifier)
    if options.output not in (None, "-"):
        check_writable(options.output)
    report = ReadReport()
    sources = expand_inputs(options.inputs, report)
    refuse_overwriting(options.output, [options.model, *sources])
    with output(options.output) as out:
        # The header row waits for the first record: unreadable inputs leave no table.
        every = (
            read_files(sources, report)
            if options.shard is None
            else read_part(sources, report, options.shard)
        )
        shown = progress(every, "predicting", unit=" records", show=not options.quiet)
        count = write_predictions(
            classifier,
            started(shown),
            out,
            limits=limits,
            coverage=coverage,
            n_threads=options.threads,
            header=has_header(options.shard),
        )
    PROGRAM.complain(report.messages())
    PROGRAM.tell(options, f"{counted(count, 'row')}, {report.n_problems} without label")
    refuse_unreadable(len(sources), report)
    return report.n_problems
