"""What the commands do, given their parsed options; each returns how many inputs it left out."""

import argparse
from pathlib import Path

from sfmbio.classifier import ProteinClassifier
from sfmbio.commandline.prediction import write_predictions
from sfmbio.reading.datasets import GROUPINGS, Sequences, groups_of, read_sequences
from sfmbio.reading.fasta import read_fasta
from sfmbio.reading.labels import LabelSource, parse_label_spec, read_label_table
from sfmbio.reading.report import ReadReport
from sfmbio.reading.sources import expand_inputs
from sfmcore.commandline.output import output, refuse_overwriting, refuse_strange_labels, started
from sfmcore.commandline.program import Program, refuse_standard_output
from sfmcore.data.errors import InputError
from sfmcore.files.atomic import check_writable
from sfmcore.parallel.progress import progress

PROGRAM = Program("sfmbio", ProteinClassifier, "sequence", {"states": "n_states"})

__all__ = ["GROUPINGS", "PROGRAM", "evaluate", "predict", "train"]


def train(options: argparse.Namespace) -> int:
    """``sfmbio train``."""
    classifier = PROGRAM.new_classifier(options, options.output)
    refuse_standard_output(options)
    refuse_overwriting(options.output, _files_read(options, options.inputs, options.unlabeled))
    sequences, left_out = _read_labelled(options)
    refuse_strange_labels(sequences.counts())
    unlabeled = None
    if options.unlabeled:
        report = ReadReport()
        more = read_sequences(options.unlabeled, report, show_progress=not options.quiet)
        PROGRAM.complain(report.messages())
        left_out += report.n_problems
        unlabeled = more.batch
        PROGRAM.tell(options, f"{len(more.records)} sequences without label")
    PROGRAM.learn(options, classifier, sequences.batch, sequences.labels, unlabeled)
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
    PROGRAM.complain(report.messages())
    PROGRAM.tell(options, f"{count} rows, {report.n_problems} without label")
    return report.n_problems


def evaluate(options: argparse.Namespace) -> int:
    """``sfmbio evaluate``."""
    classifier = PROGRAM.new_classifier(options, options.json)
    refuse_overwriting(options.json, _files_read(options, options.inputs))
    sequences, left_out = _read_labelled(options)
    groups = None if options.group_by == "none" else groups_of(sequences, options.group_by)
    _, seconds = PROGRAM.evaluate(options, classifier, sequences.batch, sequences.labels, groups)
    PROGRAM.tell(options, f"{options.partitions} partitions in {seconds:.1f} s")
    return left_out


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
        PROGRAM.complain(report.messages() + labels.messages())
    counts = sequences.counts()
    if len(counts) < 2:
        raise InputError(
            f"one class only, {next(iter(counts))!r}: give one FASTA file for each class, "
            "or --labels or --label-from"
        )
    for name, count in counts.items():
        if count == 1:
            PROGRAM.complain([f"warning: class {name!r} has one record only"])
    listed = ", ".join(f"{name} {count}" for name, count in counts.items())
    PROGRAM.tell(options, f"{len(sequences.records)} sequences in {len(counts)} classes: {listed}")
    return sequences, report.n_problems + labels.n_unlabelled
