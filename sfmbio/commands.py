"""What the commands do, given their parsed options; each returns how many inputs it left out."""

import argparse
import ast
import json
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import numpy as np
import sklearn

import sfmcore
from sfmbio.certificates import certificate_text
from sfmbio.classifier import ProteinClassifier
from sfmbio.datasets import GROUPINGS, Sequences, groups_of, read_sequences
from sfmbio.errors import InputError, SfmbioError
from sfmbio.fasta import read_fasta
from sfmbio.inputs import expand_inputs
from sfmbio.labels import LabelSource, parse_label_spec, read_label_table
from sfmbio.prediction import write_predictions
from sfmbio.record import Record
from sfmbio.report import ReadReport
from sfmbio.tables import aligned
from sfmcore.atomic import atomic_write, check_writable
from sfmcore.evaluation import Evaluation
from sfmcore.evaluation import evaluate as evaluate_halves
from sfmcore.progress import progress
from sfmcore.storage import read_header

_OWN_OPTIONS = {
    "random_state": "--seed",
    "n_jobs": "--threads",
    "verbose": "--quiet",
    "certificate_fraction": "--certify",
}

__all__ = ["GROUPINGS", "evaluate", "info", "parse_setting", "predict", "train"]


def train(options: argparse.Namespace) -> int:
    """``sfmbio train``."""
    classifier = _make_classifier(options)
    if options.output == "-":
        raise SfmbioError("-o -: a model goes to a file, give its name")
    check_writable(options.output)
    sequences, left_out = _read_labelled(options)
    _refuse_strange_labels(sequences.counts())
    unlabeled = None
    if options.unlabeled:
        report = ReadReport()
        more = read_sequences(options.unlabeled, report, show_progress=not options.quiet)
        _complain(report.messages())
        left_out += report.n_problems
        unlabeled = more.batch
        _tell(options, f"{len(more.records)} sequences without label")
    started = time.perf_counter()
    with _as_user_error():
        classifier.fit(sequences.batch, sequences.labels, X_unlabeled=unlabeled)
    classifier.save(options.output)
    seconds = time.perf_counter() - started
    if classifier.certificate_fraction > 0:
        for line in certificate_text(classifier).splitlines():
            _tell(options, line)
    _tell(options, f"learnt in {seconds:.1f} s; wrote {options.output}")
    return left_out


def predict(options: argparse.Namespace) -> int:
    """``sfmbio predict``."""
    classifier = ProteinClassifier.load(options.model)
    if options.output not in (None, "-"):
        check_writable(options.output)
    report = ReadReport()
    sources = expand_inputs(options.inputs, report)
    with _output(options.output) as out:
        # The header row waits for the first record: an unreadable input leaves no table.
        every = (record for source in sources for record in read_fasta(source, report))
        shown = progress(every, "predicting", unit=" records", show=not options.quiet)
        count = write_predictions(
            classifier,
            _started(shown),
            out,
            min_confidence=options.min_confidence,
            n_threads=options.threads,
        )
    _complain(report.messages())
    _tell(options, f"{count} rows, {report.n_problems} without label")
    return report.n_problems


def evaluate(options: argparse.Namespace) -> int:
    """``sfmbio evaluate``."""
    classifier = _make_classifier(options)
    if options.json not in (None, "-"):
        check_writable(options.json)
    sequences, left_out = _read_labelled(options)
    groups = None if options.group_by == "none" else groups_of(sequences, options.group_by)
    started = time.perf_counter()
    with _as_user_error():
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
        with _output(options.json) as file:
            json.dump(_report(options, classifier, result), file, indent=2)
            file.write("\n")
    if options.json != "-":
        print(_accuracy_table(result))
    _tell(options, f"{options.partitions} partitions in {seconds:.1f} s")
    return left_out


def info(options: argparse.Namespace) -> int:
    """``sfmbio info``."""
    header = read_header(options.model)
    classifier = ProteinClassifier.load(options.model)
    print(f"{options.model}: {header['kind']}, format {header['version']}")
    written = ", ".join(f"{name} {version}" for name, version in header["packages"].items())
    print(f"written with {written}")
    names = [str(label) for label in classifier.classes_]
    print(f"{len(names)} classes: {', '.join(names)}")
    print("parameters:")
    for name, value in sorted(header["state"]["parameters"].items()):
        print(f"  {name} = {value}")
    print("one-versus-rest classifiers:")
    rows = [("positive class", "pair", "C", "iterations", "J(u)", "bound B", "models converged")]
    positives = names[1:] if len(names) == 2 else names
    size = len(classifier.pairs_) // len(positives)
    numbered = [(name, k + 1) for name in positives for k in range(size)]
    for (name, number), pair in zip(numbered, classifier.pairs_, strict=True):
        rows.append(
            (
                name,
                str(number),
                f"{pair.C:.4g}",
                str(pair.n_iter),
                f"{pair.objective[-1]:.4f}",
                f"{pair.bound[-1]:.4f}",
                f"{pair.models_converged} of 2",
            )
        )
    print(aligned(rows))
    print("J(u) and B are what training minimised, on its own sample: not certificates.")
    print(certificate_text(classifier))
    return 0


def parse_setting(text: str) -> tuple[str, Any]:
    """Read ``NAME=VALUE`` of ``--set``.

    Examples
    --------
    >>> parse_setting("coupling=0.5"), parse_setting("C=bound")
    (('coupling', 0.5), ('C', 'bound'))
    """
    name, equals, value = text.partition("=")
    if name in _OWN_OPTIONS:
        raise argparse.ArgumentTypeError(f"{name} has an option of its own: {_OWN_OPTIONS[name]}")
    known = ProteinClassifier().get_params().keys() - _OWN_OPTIONS
    if not equals or name not in known:
        raise argparse.ArgumentTypeError(
            f"must be NAME=VALUE with a NAME of {', '.join(sorted(known))}, got {text!r}"
        )
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def _make_classifier(options: argparse.Namespace) -> ProteinClassifier:
    parameters = dict(options.settings)
    if options.states:
        if "n_states" in parameters:
            raise SfmbioError("--states and --set n_states say the same: give one of them")
        parameters["n_states"] = options.states
    share = getattr(options, "certificate_fraction", 0.0)
    if share > 0:
        # u_0 is then learnt on every sequence that the models see.
        parameters = {"prior_fraction": 0.0, **parameters, "certificate_fraction": share}
    classifier = ProteinClassifier.from_preset(options.preset, **parameters)
    with _as_user_error():
        classifier._settings()
    return classifier.set_params(
        random_state=options.seed, n_jobs=options.threads, verbose=int(not options.quiet)
    )


def _read_labelled(options: argparse.Namespace) -> tuple[Sequences, int]:
    """All labelled records, and how many were left out; says what was met."""
    labels: LabelSource
    if options.labels:
        labels = read_label_table(options.labels)
    else:
        labels = parse_label_spec("file" if options.label_from is None else options.label_from)
    report = ReadReport()
    try:
        sequences = read_sequences(options.inputs, report, labels, show_progress=not options.quiet)
    finally:
        _complain(report.messages() + labels.messages())
    counts = sequences.counts()
    if len(counts) < 2:
        raise InputError(
            f"one class only, {next(iter(counts))!r}: give one FASTA file for each class, "
            "or --labels or --label-from"
        )
    for name, count in counts.items():
        if count == 1:
            _complain([f"warning: class {name!r} has one record only"])
    listed = ", ".join(f"{name} {count}" for name, count in counts.items())
    _tell(options, f"{len(sequences.records)} sequences in {len(counts)} classes: {listed}")
    return sequences, report.n_problems + labels.n_unlabelled


def _refuse_strange_labels(names: Iterable[str]) -> None:
    """Refuse labels that a model file can't hold: bytes that are not UTF-8."""
    for name in names:
        try:
            name.encode()
        except UnicodeEncodeError:
            raise InputError(f"the label {name!r} is not text in UTF-8") from None


@contextmanager
def _as_user_error() -> Iterator[None]:
    """Say in a sentence what the library refuses: at this point it is the user's choice."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise SfmbioError(str(error)) from error


@contextmanager
def _output(path: str | None) -> Iterator[TextIO]:
    """Yield standard output, or a file that appears once it is complete."""
    if path is None or path == "-":
        yield sys.stdout
        return
    with atomic_write(path, "w", errors="surrogateescape") as file:
        yield file


def _started(records: Any) -> Iterator[Record]:
    """The same records; the first is read here, and its errors raised, before any output."""
    iterator = iter(records)
    first = next(iterator, None)

    def everything() -> Iterator[Record]:
        if first is not None:
            yield first
            yield from iterator

    return everything()


def _report(
    options: argparse.Namespace, classifier: ProteinClassifier, result: Evaluation
) -> dict[str, Any]:
    parameters = {k: v for k, v in classifier.get_params().items() if k not in _OWN_OPTIONS}
    halves = "random 50/50 partitions of every class"
    if options.group_by != "none":
        halves += f", each {options.group_by} in one half"
    return {
        "protocol": f"one-versus-rest, {halves}",
        "group_by": options.group_by,
        "preset": options.preset,
        **result.to_dict(),
        "parameters": parameters,
        "versions": {
            "sfm-pacbayes": sfmcore.__version__,
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
        },
    }


def _accuracy_table(result: Evaluation) -> str:
    names = ("class", "positive", "negative", "accuracy %", "deviation", "majority %")
    rows = [(*names, "certified %")]
    for row in result.to_dict()["classes"]:
        spread = row["accuracy_std"]
        rows.append(
            (
                str(row["label"]),
                str(row["n_positive"]),
                str(row["n_negative"]),
                f"{row['accuracy_mean']:.2f}",
                "-" if spread is None else f"{spread:.2f}",
                f"{row['majority']:.2f}",
                f"{row['certified_mean']:.2f}",
            )
        )
    probability = 100.0 * (1.0 - result.delta)
    return (
        f"{aligned(rows)}\nmulticlass accuracy: {result.multiclass.mean():.2f} %\n"
        f"certified: a test half proves at least this, with probability {probability:g} % each time"
    )


def _complain(messages: list[str]) -> None:
    for message in messages:
        print(f"sfmbio: {message}", file=sys.stderr)


def _tell(options: argparse.Namespace, message: str) -> None:
    if not options.quiet:
        print(f"sfmbio: {message}", file=sys.stderr)
