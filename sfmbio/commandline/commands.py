"""The commands, given their parsed options; each returns how many inputs it left out."""

import argparse
from contextlib import ExitStack
from pathlib import Path

from sfmbio.classifier import ProteinClassifier
from sfmbio.commandline.about import PROGRAM
from sfmbio.commandline.explaining import write_reasons
from sfmbio.commandline.grouping import check_save_groups, find_groups
from sfmbio.commandline.prediction import write_predictions
from sfmbio.commandline.testing import judged_blocks
from sfmbio.explaining.page import Page
from sfmbio.reading.datasets import Sequences, read_sequences, refuse_no_record
from sfmbio.reading.fasta import read_files
from sfmbio.reading.labels import LabelSource, parse_label_spec, read_label_table
from sfmbio.reading.parts import read_part
from sfmbio.reading.record import Record
from sfmbio.reading.report import ReadReport, counted
from sfmbio.reading.sampling import ClassSample
from sfmbio.reading.sources import expand_inputs
from sfmcore.commandline import evaluating
from sfmcore.commandline.assessments import (
    Item,
    LeftOut,
    check_drop_known,
    show_assessment,
)
from sfmcore.commandline.deferred import execute_deferred
from sfmcore.commandline.known_labels import KnownLabels
from sfmcore.commandline.output import (
    checked_outputs,
    output,
    refuse_overwriting,
    refuse_strange_labels,
    started,
)
from sfmcore.commandline.predicting import asked_limits, told_coverage
from sfmcore.commandline.program import refuse_standard_output
from sfmcore.commandline.rows import has_header
from sfmcore.commandline.searching import search
from sfmcore.commandline.settings import as_user_error
from sfmcore.commandline.suspects import write_suspects
from sfmcore.commandline.training import learn
from sfmcore.data.errors import InputError
from sfmcore.data.ragged import Ragged
from sfmcore.evaluation.testing import joined
from sfmcore.files.atomic import check_writable
from sfmcore.parallel.progress import progress
from sfmcore.reporting.commands import (
    check_report,
    report_evaluation,
    report_test,
    report_training,
    tested_suspects,
)

# How many classes a message lists.
_SHOWN = 20

__all__ = ["PROGRAM", "evaluate", "explain", "predict", "suspects", "test", "train"]


def train(options: argparse.Namespace) -> int:
    """``sfmbio train``."""
    classifier = PROGRAM.new_classifier(options, options.output)
    refuse_standard_output(options)
    check_report(options, output=options.output)
    report, further = ReadReport(), ReadReport()
    sources = expand_inputs(options.inputs, report)
    unlabeled_sources = expand_inputs(options.unlabeled, further)
    tables = [] if options.groups is None else [options.groups]
    read = _files_read(options, tables, sources, unlabeled_sources)
    for path in (options.output, options.report):
        refuse_overwriting(path, read)
    table = PROGRAM.read_groups(options)
    sample = ClassSample(options.most_residues, options.seed)
    sequences, left_out = _read_labelled(options, sources, report, sample=sample)
    refuse_strange_labels(sequences.counts())
    groups = find_groups(options, PROGRAM, sequences, table)
    names = {"ids": [record.id for record in sequences.records]}
    unlabeled = None
    if unlabeled_sources:
        sample = ClassSample(options.most_residues, options.seed)
        more = read_sequences(
            unlabeled_sources, further, sample=sample, show_progress=not options.quiet
        )
        PROGRAM.complain(further.messages())
        left_out += further.n_problems
        unlabeled = more.batch
        names["unlabeled_ids"] = [record.id for record in more.records]
        n_given = sum(more.given.values())
        PROGRAM.tell(options, f"{counted(n_given, 'sequence')} without label")
        _tell_sample(options, more)
    n_classes = len(sequences.counts())
    if n_classes > _SHOWN:
        # This may take many minutes, in which nothing else is said.
        PROGRAM.tell(options, f"learning {n_classes} classes, each against all others")
    learn(
        PROGRAM, options, classifier, sequences.batch, sequences.labels, unlabeled, groups, **names
    )
    report_training(
        PROGRAM,
        options,
        classifier,
        sequences.counts(),
        inputs=[str(source) for source in sources],
        left_out=left_out,
        n_unlabeled=0 if unlabeled is None else len(unlabeled),
    )
    _refuse_unreadable(len(sources) + len(unlabeled_sources), report, further)
    return left_out


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
    _refuse_unreadable(len(sources), report)
    return report.n_problems


def test(options: argparse.Namespace) -> int:
    """``sfmbio test``."""
    classifier = ProteinClassifier.load(options.model)
    execute_deferred()
    check_drop_known(options, classifier)
    known = KnownLabels(classifier.classes_)
    check_report(options, json=options.json)
    if options.json not in (None, "-"):
        check_writable(options.json)
    report = ReadReport()
    sources = expand_inputs(options.inputs, report)
    for path in (options.json, options.report):
        refuse_overwriting(path, [options.model, *_files_read(options, sources)])
    labels = _label_source(options)
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
    _refuse_unreadable(len(sources), report)
    return n_left_out


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
    _refuse_unreadable(len(sources), report)
    return report.n_problems


def evaluate(options: argparse.Namespace) -> int:
    """``sfmbio evaluate``."""
    classifier = PROGRAM.new_classifier(options, options.json)
    check_save_groups(options)
    check_report(options, json=options.json, save_groups=options.save_groups)
    evaluating.check_figures(PROGRAM, options)
    report = ReadReport()
    sources = expand_inputs(options.inputs, report)
    tables = [] if options.groups is None else [options.groups]
    read = _files_read(options, tables, sources)
    for path in (options.json, options.save_groups, options.report):
        refuse_overwriting(path, read)
    table = PROGRAM.read_groups(options)
    sequences, left_out = _read_labelled(options, sources, report)
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
    _refuse_unreadable(len(sources), report)
    return left_out


def suspects(options: argparse.Namespace) -> int:
    """``sfmbio suspects``."""
    classifier = PROGRAM.new_classifier(options, None)
    written = checked_outputs({"-o": options.output, "--json": options.json})
    report = ReadReport()
    sources = expand_inputs(options.inputs, report)
    tables = [] if options.groups is None else [options.groups]
    for path in written:
        refuse_overwriting(path, _files_read(options, tables, sources))
    table = PROGRAM.read_groups(options)
    unused: list[Record] = []
    sequences, left_out = _read_labelled(options, sources, report, unused)
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
    _refuse_unreadable(len(sources), report)
    return left_out


def _refuse_unreadable(n_files: int, *reports: ReadReport) -> None:
    """End with a failure if files could not be read, once all is done that can be without them."""
    unreadable = sum(len(report.unreadable) for report in reports)
    if unreadable:
        raise InputError(f"{unreadable} of {counted(n_files, 'file')} can't be read, see above")


def _files_read(options: argparse.Namespace, *inputs: list[Path | str]) -> list[Path | str]:
    """All files that a command learns from, its tables among them."""
    table = [] if options.labels is None else [options.labels]
    if table == [""]:
        # To `open` this is a file that does not exist, to a shell a variable that is not set.
        raise InputError("--labels: an empty name")
    files = [*table, *(source for sources in inputs for source in sources)]
    if files.count("-") > 1:
        raise InputError("-: standard input can be read only once")
    return files


def _label_source(options: argparse.Namespace) -> LabelSource:
    """Where labels come from, as the options say."""
    if options.labels is not None:
        return read_label_table(options.labels)
    return parse_label_spec("file" if options.label_from is None else options.label_from)


def _read_labelled(
    options: argparse.Namespace,
    sources: list[Path | str],
    report: ReadReport,
    unused: list[Record] | None = None,
    sample: ClassSample | None = None,
) -> tuple[Sequences, int]:
    """All labelled records, or a sample, and how many were left out; says what was met.

    `unused` gets those that were left out.
    """
    labels = _label_source(options)
    try:
        sequences = read_sequences(
            sources,
            report,
            labels,
            left_out=unused,
            sample=sample,
            show_progress=not options.quiet,
        )
    finally:
        messages = report.messages() + labels.messages()
        # Without a record the error itself says why.
        PROGRAM.complain(messages if report.records else messages[len(report.unreadable) :])
    counts = sequences.given
    if len(counts) < 2:
        raise InputError(
            f"only one class, {next(iter(counts))!r}: give one FASTA file for each class, "
            "or --labels or --label-from"
        )
    lonely = [name for name, count in counts.items() if count == 1]
    if len(lonely) == 1:
        PROGRAM.complain([f"warning: class {lonely[0]!r} has only one record"])
    elif lonely:
        names = _listed([repr(name) for name in lonely])
        PROGRAM.complain([f"warning: {len(lonely)} classes have only one record: {names}"])
    listed = _listed([f"{name} {count}" for name, count in counts.items()])
    n_sequences = counted(sum(counts.values()), "sequence")
    PROGRAM.tell(options, f"{n_sequences} in {len(counts)} classes: {listed}")
    _tell_sample(options, sequences)
    return sequences, report.n_problems + labels.n_unlabelled


def _tell_sample(options: argparse.Namespace, sequences: Sequences) -> None:
    """Say how many records are learnt from, if not all are."""
    n_kept, n_residues = len(sequences.records), len(sequences.batch.values)
    if n_kept < sum(sequences.given.values()):
        PROGRAM.tell(
            options,
            f"training on a sample of {n_kept} of them with {n_residues} residues; "
            "--most-residues sets the limit",
        )


def _listed(names: list[str]) -> str:
    """Names in a row; of many, the first."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
