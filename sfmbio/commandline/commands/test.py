"""``sfmbio test``."""

import argparse

from sfmbio.classifier import ProteinClassifier
from sfmbio.commandline.about import PROGRAM
from sfmbio.commandline.inputs import files_read, refuse_unreadable
from sfmbio.commandline.labelled import label_source
from sfmbio.commandline.testing import judged_blocks
from sfmbio.reading.datasets import refuse_no_record
from sfmbio.reading.fasta import read_files
from sfmbio.reading.report import ReadReport, counted
from sfmbio.reading.sources import expand_inputs
from sfmcore.commandline.assessments import Item, LeftOut, check_drop_known, show_assessment
from sfmcore.commandline.known_labels import KnownLabels
from sfmcore.commandline.output import refuse_overwriting
from sfmcore.commandline.settings import as_user_error
from sfmcore.data.errors import InputError
from sfmcore.data.ragged import Ragged
from sfmcore.evaluation.testing import joined
from sfmcore.files.atomic import check_writable
from sfmcore.parallel.progress import progress
from sfmcore.reporting.commands import check_report, report_test, tested_suspects


def test(options: argparse.Namespace) -> int:
    """``sfmbio test``."""
    classifier = ProteinClassifier.load(options.model)
    check_drop_known(options, classifier)
    known = KnownLabels(classifier.classes_)
    check_report(options, json=options.json)
    if options.json not in (None, "-"):
        check_writable(options.json)
    report = ReadReport()
    sources = expand_inputs(options.inputs, report)
    for path in (options.json, options.report):
        refuse_overwriting(path, [options.model, *files_read(options, sources)])
    labels = label_source(options)
    items: list[Item] = []
    codes: list[bytes] | None = None if options.report is None else []
    try:
        every = progress(
            read_files(sources, report), "testing", unit=" records", show=not options.quiet
        )
        blocks = list(
            judged_blocks(
                classifier,
                every,
                labels,
                known,
                items,
                drop_known=options.drop_known,
                n_threads=options.threads,
                codes=codes,
            )
        )
    finally:
        messages = report.messages() + labels.messages() + known.messages(PROGRAM.noun)
        # Without a record the error itself says why.
        PROGRAM.complain(messages if report.records else messages[len(report.unreadable) :])
    if not items:
        if known.unknown:
            raise InputError(known.refusal(options.model))
        refuse_no_record(sources, report, labels)
    with as_user_error():
        result = joined(classifier, blocks, drop_known=options.drop_known, delta=classifier.delta)
    left_out = LeftOut(report.n_problems, labels.n_unlabelled, known.unknown)
    n_left_out = show_assessment(PROGRAM, options, result, items, left_out)
    if codes is not None:
        from sfmbio.reporting.mistakes import explained_mistakes, shown_sequences

        batch = Ragged.from_items(codes)
        explained = [explained_mistakes(classifier, own, batch) for own in result.answers]
        report_test(
            PROGRAM,
            options,
            classifier,
            result,
            shown_sequences([item.id for item in items], explained, batch),
            suspects=tested_suspects(result),
            inputs=[str(source) for source in sources],
            left_out=n_left_out,
        )
    PROGRAM.tell(
        options, f"{counted(sum(result.counts), 'sequence')} tested, {n_left_out} left out"
    )
    refuse_unreadable(len(sources), report)
    return n_left_out
