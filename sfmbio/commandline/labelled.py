"""Labelled records of a command, and what is said of them."""

import argparse
from pathlib import Path

from sfmbio.commandline.about import PROGRAM
from sfmbio.reading.datasets import Sequences, read_sequences
from sfmbio.reading.labels import LabelSource, parse_label_spec, read_label_table
from sfmbio.reading.record import Record
from sfmbio.reading.report import ReadReport, counted
from sfmbio.reading.sampling import ClassSample
from sfmcore.data.errors import InputError
from sfmcore.data.words import listed, lonely_classes


def label_source(options: argparse.Namespace) -> LabelSource:
    """Where labels come from, as the options say.

    Parameters
    ----------
    options : argparse.Namespace
    """
    if options.labels is not None:
        return read_label_table(options.labels)
    return parse_label_spec("file" if options.label_from is None else options.label_from)


def read_labelled(
    options: argparse.Namespace,
    sources: list[Path | str],
    report: ReadReport,
    unused: list[Record] | None = None,
    sample: ClassSample | None = None,
) -> tuple[Sequences, int]:
    """All labelled records, or a sample, and how many were left out; says what was met.

    Parameters
    ----------
    options : argparse.Namespace
    sources : list of (Path or str)
        FASTA files.
    report : ReadReport
        Gets what was met.
    unused : list of Record, optional
        Gets those that were left out.
    sample : ClassSample, optional
        Chooses what is kept of many records.

    Raises
    ------
    InputError
        If there are fewer than two classes.
    """
    labels = label_source(options)
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
    PROGRAM.complain(lonely_classes(counts, "record"))
    names = listed([f"{name} {count}" for name, count in counts.items()])
    n_sequences = counted(sum(counts.values()), "sequence")
    PROGRAM.tell(options, f"{n_sequences} in {len(counts)} classes: {names}")
    tell_sample(options, sequences)
    return sequences, report.n_problems + labels.n_unlabelled


def tell_sample(options: argparse.Namespace, sequences: Sequences) -> None:
    """Say how many records are learnt from, if not all are.

    Parameters
    ----------
    options : argparse.Namespace
    sequences : Sequences
    """
    n_kept, n_residues = len(sequences.records), len(sequences.batch.values)
    if n_kept < sum(sequences.given.values()):
        PROGRAM.tell(
            options,
            f"training on a sample of {n_kept} of them with {n_residues} residues; "
            "--most-residues sets the limit",
        )
