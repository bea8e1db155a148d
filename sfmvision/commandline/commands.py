"""What the commands do, given their parsed options; each returns how many inputs it left out."""

import argparse
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

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
from sfmcore.data.errors import UserError
from sfmcore.evaluation.halves import evaluate as evaluate_halves
from sfmcore.files.atomic import check_writable
from sfmcore.files.model_file import read_header
from sfmcore.parallel.progress import progress
from sfmvision.classifier import SceneClassifier
from sfmvision.commandline.figures import check_drawable, draw_figures
from sfmvision.commandline.prediction import TOO_SMALL, write_predictions
from sfmvision.descriptors.batch import Describer, ImageBatch, Source
from sfmvision.descriptors.encoding import sources_of
from sfmvision.images.errors import ImageError
from sfmvision.images.folders import Folder, duplicates, expand, scan

_PROGRAM = "sfmvision"
_SHORTCUTS = {"words": "n_words", "topics": "n_topics", "cache": "cache"}

__all__ = ["evaluate", "info", "predict", "train"]


@dataclass(frozen=True)
class _Images:
    """Usable images of a run, with their labels where they have any, and how many were not."""

    batch: ImageBatch
    labels: list[str]
    left_out: int


def train(options: argparse.Namespace) -> int:
    """``sfmvision train``."""
    classifier = make_classifier(SceneClassifier, options, _SHORTCUTS)
    if options.output == "-":
        raise UserError("-o -: a model goes to a file, give its name")
    check_writable(options.output)
    folder = _scan(options)
    notes: list[str] = []
    more = expand(options.unlabeled, notes)
    refuse_overwriting(options.output, [*folder.images, *more])
    complain(_PROGRAM, notes)
    describer = classifier._describer(len(folder.images) + len(more))
    images = _read_labelled(options, folder, describer)
    left_out, unlabeled = images.left_out, None
    if more:
        further = _read(options, more, [], describer)
        if not len(further.batch):
            raise UserError("--unlabeled: no usable image")
        left_out += further.left_out
        unlabeled = further.batch
        tell(_PROGRAM, options, f"{len(unlabeled)} images without label")
    began = time.perf_counter()
    with as_user_error():
        classifier.fit(images.batch, images.labels, X_unlabeled=unlabeled)
        classifier.save(options.output)
    seconds = time.perf_counter() - began
    if classifier.certificate_fraction > 0:
        for line in certificate_text(classifier, _PROGRAM, "image").splitlines():
            tell(_PROGRAM, options, line)
    tell(_PROGRAM, options, f"learnt in {seconds:.1f} s; wrote {options.output}")
    return left_out


def predict(options: argparse.Namespace) -> int:
    """``sfmvision predict``."""
    classifier = SceneClassifier.load(options.model)
    if options.allow_truncated:
        classifier.set_params(allow_truncated=True)
    if options.max_pixels is not None:
        classifier.set_params(max_pixels=options.max_pixels)
    if options.output not in (None, "-"):
        check_writable(options.output)
    notes: list[str] = []
    paths = expand(options.paths, notes)
    refuse_overwriting(options.output, [options.model, *paths])
    problems: list[str] = []
    with output(options.output) as out:
        shown = progress(
            paths, "predicting", total=len(paths), unit=" images", show=not options.quiet
        )
        count = write_predictions(
            classifier,
            started(shown),
            out,
            problems,
            min_confidence=options.min_confidence,
            n_threads=options.threads,
        )
    complain(_PROGRAM, problems + notes)
    tell(_PROGRAM, options, f"{count} rows, {len(problems)} without label")
    return len(problems)


def evaluate(options: argparse.Namespace) -> int:
    """``sfmvision evaluate``."""
    classifier = make_classifier(SceneClassifier, options, _SHORTCUTS)
    if options.json not in (None, "-"):
        check_writable(options.json)
    if options.figures:
        with as_user_error():
            check_drawable(options.figures)
    folder = _scan(options)
    refuse_overwriting(options.json, folder.images)
    images = _read_labelled(options, folder, classifier._describer(len(folder.images)))
    groups = None
    if options.group_by == "content":
        groups = [source.digest for source in images.batch.sources]
    began = time.perf_counter()
    with as_user_error():
        result = evaluate_halves(
            classifier,
            images.batch,
            images.labels,
            partitions=options.partitions,
            seed=options.seed,
            groups=groups,
            n_jobs=options.threads,
            show_progress=not options.quiet,
        )
    seconds = time.perf_counter() - began
    if options.json:
        report = evaluation_report(classifier, result, options.preset, options.group_by)
        write_json(options.json, report)
    if options.json != "-":
        print(accuracy_table(result))
    if options.figures:
        for path in draw_figures(Path(options.figures), result, images.batch):
            tell(_PROGRAM, options, f"wrote {path}")
    tell(_PROGRAM, options, f"{options.partitions} partitions in {seconds:.1f} s")
    return images.left_out


def info(options: argparse.Namespace) -> int:
    """``sfmvision info``."""
    header = read_header(options.model)
    classifier = SceneClassifier.load(options.model)
    print(description(options.model, header, classifier))
    print(certificate_text(classifier, _PROGRAM, "image"))
    return 0


def _scan(options: argparse.Namespace) -> Folder:
    """Images of the folder; says what was met."""
    folder = scan(options.folder)
    refuse_strange_labels(folder.classes)
    complain(_PROGRAM, [f"warning: {message}" for message in folder.messages()])
    tell(_PROGRAM, options, f"{options.folder}: {folder.summary()}")
    for group in duplicates(folder):
        names = ", ".join(map(str, group))
        complain(_PROGRAM, [f"warning: the same image under several labels: {names}"])
    return folder


def _read_labelled(options: argparse.Namespace, folder: Folder, describer: Describer) -> _Images:
    """All usable images of a folder, of two classes at least."""
    images = _read(options, list(folder.images), list(folder.labels), describer)
    labels = sorted(set(images.labels))
    if len(labels) < 2:
        what = f"one class only, {labels[0]!r}" if labels else "no usable image"
        raise UserError(f"{options.folder}: {what}: give two folders of images at least")
    for label in labels:
        if images.labels.count(label) == 1:
            complain(_PROGRAM, [f"warning: class {label!r} has one image only"])
    return images


def _read(
    options: argparse.Namespace,
    paths: Sequence[str | os.PathLike[str]],
    labels: Sequence[str],
    describer: Describer,
) -> _Images:
    """Usable images among the paths; names the others."""
    made = sources_of(paths, describer, n_threads=options.threads)
    shown = progress(made, "describing", total=len(paths), unit=" images", show=not options.quiet)
    sources: list[Source] = []
    kept: list[int] = []
    problems = []
    for number, result in enumerate(shown):
        if isinstance(result, ImageError):
            problems.append(str(result))
        elif result.n_patches == 0:
            problems.append(f"{result.name}: {TOO_SMALL}")
        else:
            sources.append(result)
            kept.append(number)
    complain(_PROGRAM, problems)
    if problems:
        tell(_PROGRAM, options, f"{len(sources)} images used, {len(problems)} left out")
    batch = ImageBatch(tuple(sources), describer)
    return _Images(batch, [labels[k] for k in kept] if labels else [], len(problems))
