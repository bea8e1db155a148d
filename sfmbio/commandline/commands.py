"""What the commands do, given their parsed options; each returns how many inputs it left out."""

import argparse
import time
from pathlib import Path

from sfmbio.classifier import ProteinClassifier
from sfmbio.commandline.prediction import write_predictions
from sfmbio.reading.datasets import GROUPINGS, Sequences, groups_of, read_sequences
from sfmbio.reading.fasta import read_fasta
from sfmbio.reading.labels import LabelSource, parse_label_spec, read_label_table
from sfmbio.reading.report import ReadReport
from sfmbio.reading.sources import expand_inputs
from sfmcore.commandline.certificate_text import certificate_text
from sfmcore.commandline.description import description
from sfmcore.commandline.evaluations import accuracy_table, evaluation_report
from sfmcore.commandline.output import (
    complain,
    output,
    refuse_overwriting,
    refuse_strange_labels,
    started,
    tell,
    write_json,
)
from sfmcore.commandline.settings import as_user_error, make_classifier
from sfmcore.data.errors import InputError, UserError
from sfmcore.evaluation.halves import evaluate as evaluate_halves
from sfmcore.files.atomic import check_writable
from sfmcore.files.model_file import read_header
from sfmcore.parallel.progress import progress

_PROGRAM = "sfmbio"

__all__ = ["GROUPINGS", "evaluate", "info", "predict", "train"]


def train(options: argparse.Namespace) -> int:
    """``sfmbio train``."""
    classifier = make_classifier(ProteinClassifier, options, {"states": "n_states"})
    if options.output == "-":
        raise UserError("-o -: a model goes to a file, give its name")
    check_writable(options.output)
    refuse_overwriting(options.output, _files_read(options, options.inputs, options.unlabeled))
    sequences, left_out = _read_labelled(options)
    refuse_strange_labels(sequences.counts())
    unlabeled = None
    if options.unlabeled:
        report = ReadReport()
        more = read_sequences(options.unlabeled, report, show_progress=not options.quiet)
        complain(_PROGRAM, report.messages())
        left_out += report.n_problems
        unlabeled = more.batch
        tell(_PROGRAM, options, f"{len(more.records)} sequences without label")
    started = time.perf_counter()
    with as_user_error():
        classifier.fit(sequences.batch, sequences.labels, X_unlabeled=unlabeled)
    classifier.save(options.output)
    seconds = time.perf_counter() - started
    if classifier.certificate_fraction > 0:
        for line in certificate_text(classifier, _PROGRAM, "sequence").splitlines():
            tell(_PROGRAM, options, line)
    tell(_PROGRAM, options, f"learnt in {seconds:.1f} s; wrote {options.output}")
    return left_out


def predict(options: argparse.Namespace) -> int:
    """``sfmbio predict``."""
    classifier = ProteinClassifier.load(options.model)
    if options.output not in (None, "-"):
        check_writable(options.output)
    report = ReadReport()
    sources = expand_inputs(options.inputs, report)
    refuse_overwriting(options.output, [options.model, *sources])
    with output(options.output) as out:
        # The header row waits for the first record: an unreadable input leaves no table.
        every = (record for source in sources for record in read_fasta(source, report))
        shown = progress(every, "predicting", unit=" records", show=not options.quiet)
        count = write_predictions(
            classifier,
            started(shown),
            out,
            min_confidence=options.min_confidence,
            n_threads=options.threads,
        )
    complain(_PROGRAM, report.messages())
    tell(_PROGRAM, options, f"{count} rows, {report.n_problems} without label")
    return report.n_problems


def evaluate(options: argparse.Namespace) -> int:
    """``sfmbio evaluate``."""
    classifier = make_classifier(ProteinClassifier, options, {"states": "n_states"})
    if options.json not in (None, "-"):
        check_writable(options.json)
    refuse_overwriting(options.json, _files_read(options, options.inputs))
    sequences, left_out = _read_labelled(options)
    groups = None if options.group_by == "none" else groups_of(sequences, options.group_by)
    started = time.perf_counter()
    with as_user_error():
        result = evaluate_halves(
            classifier,
            sequences.batch,
            sequences.labels,
            partitions=options.partitions,
            seed=options.seed,
            groups=groups,
            n_jobs=options.threads,
            show_progress=not options.quiet,
        )
    seconds = time.perf_counter() - started
    if options.json:
        write_json(
            options.json, evaluation_report(classifier, result, options.preset, options.group_by)
        )
    if options.json != "-":
        print(accuracy_table(result))
    tell(_PROGRAM, options, f"{options.partitions} partitions in {seconds:.1f} s")
    return left_out


def info(options: argparse.Namespace) -> int:
    """``sfmbio info``."""
    header = read_header(options.model)
    classifier = ProteinClassifier.load(options.model)
    print(description(options.model, header, classifier))
    print(certificate_text(classifier, _PROGRAM, "sequence"))
    return 0


def _files_read(options: argparse.Namespace, *inputs: list[str]) -> list[Path | str]:
    """All files that a command learns from, its table of labels among them."""
    table = [] if options.labels is None else [options.labels]
    if table == [""]:
        # To `open` this is a file that does not exist, to a shell a variable that is not set.
        raise InputError("--labels: an empty name")
    files = [*table, *(source for given in inputs for source in expand_inputs(given))]
    if files.count("-") > 1:
        raise InputError("-: standard input can be read only once")
    return files


def _read_labelled(options: argparse.Namespace) -> tuple[Sequences, int]:
    """All labelled records, and how many were left out; says what was met."""
    labels: LabelSource
    if options.labels is not None:
        labels = read_label_table(options.labels)
    else:
        labels = parse_label_spec("file" if options.label_from is None else options.label_from)
    report = ReadReport()
    try:
        sequences = read_sequences(options.inputs, report, labels, show_progress=not options.quiet)
    finally:
        complain(_PROGRAM, report.messages() + labels.messages())
    counts = sequences.counts()
    if len(counts) < 2:
        raise InputError(
            f"one class only, {next(iter(counts))!r}: give one FASTA file for each class, "
            "or --labels or --label-from"
        )
    for name, count in counts.items():
        if count == 1:
            complain(_PROGRAM, [f"warning: class {name!r} has one record only"])
    listed = ", ".join(f"{name} {count}" for name, count in counts.items())
    tell(
        _PROGRAM, options, f"{len(sequences.records)} sequences in {len(counts)} classes: {listed}"
    )
    return sequences, report.n_problems + labels.n_unlabelled
