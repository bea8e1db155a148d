"""``sfmbio explain``."""

import argparse
from contextlib import ExitStack
from pathlib import Path

from sfmbio.classifier import ProteinClassifier
from sfmbio.commandline.about import PROGRAM
from sfmbio.commandline.explaining import write_reasons
from sfmbio.commandline.inputs import refuse_unreadable
from sfmbio.explaining.page import Page
from sfmbio.reading.fasta import read_files
from sfmbio.reading.report import ReadReport, counted
from sfmbio.reading.sources import expand_inputs
from sfmcore.commandline.output import checked_outputs, output, refuse_overwriting, started
from sfmcore.commandline.settings import as_user_error
from sfmcore.parallel.progress import progress


def explain(options: argparse.Namespace) -> int:
    """``sfmbio explain``."""
    classifier = ProteinClassifier.load(options.model)
    report = ReadReport()
    paths = {"-o": options.output, "--summary": options.summary, "--html": options.html}
    files = checked_outputs(paths)
    sources = expand_inputs(options.inputs, report)
    for path in files:
        refuse_overwriting(path, [options.model, *sources])
    page = None if options.html is None else Page(Path(options.model).name, options.first)
    with ExitStack() as stack:
        out = stack.enter_context(output(options.output))
        summary = None
        if options.summary is not None:
            summary = stack.enter_context(output(options.summary))
        every = progress(
            read_files(sources, report), "explaining", unit=" records", show=not options.quiet
        )
        with as_user_error():
            count = write_reasons(
                classifier,
                started(every),
                out,
                summary=summary,
                page=page,
                n_shown=options.first,
                n_threads=options.threads,
            )
        if page is not None:
            stack.enter_context(output(options.html)).write(page.text())
    PROGRAM.complain(report.messages())
    PROGRAM.tell(options, f"{counted(count, 'record')}, {report.n_problems} without reasons")
    refuse_unreadable(len(sources), report)
    return report.n_problems
