"""``sfmbio train``."""

import argparse

from sfmbio.commandline.about import PROGRAM
from sfmbio.commandline.grouping import find_groups
from sfmbio.commandline.inputs import files_read, refuse_unreadable
from sfmbio.commandline.labelled import read_labelled, tell_sample
from sfmbio.reading.datasets import read_sequences
from sfmbio.reading.report import ReadReport, counted
from sfmbio.reading.sampling import ClassSample
from sfmbio.reading.sources import expand_inputs
from sfmcore.commandline.output import refuse_overwriting, refuse_strange_labels
from sfmcore.commandline.program import refuse_standard_output
from sfmcore.commandline.training import learn
from sfmcore.data.words import MOST_LISTED
from sfmcore.reporting.commands import check_report, report_training


def train(options: argparse.Namespace) -> int:
    """``sfmbio train``."""
    classifier = PROGRAM.new_classifier(options, options.output)
    refuse_standard_output(options)
    check_report(options, output=options.output)
    report, further = ReadReport(), ReadReport()
    sources = expand_inputs(options.inputs, report)
    unlabeled_sources = expand_inputs(options.unlabeled, further)
    tables = [] if options.groups is None else [options.groups]
    read = files_read(options, tables, sources, unlabeled_sources)
    for path in (options.output, options.report):
        refuse_overwriting(path, read)
    table = PROGRAM.read_groups(options)
    sample = ClassSample(options.most_residues, options.seed)
    sequences, left_out = read_labelled(options, sources, report, sample=sample)
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
        tell_sample(options, more)
    n_classes = len(sequences.counts())
    if n_classes > MOST_LISTED:
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
    refuse_unreadable(len(sources) + len(unlabeled_sources), report, further)
    return left_out
