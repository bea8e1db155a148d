"""The commands, given their parsed options; each returns how many inputs it left out."""

import argparse
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

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
from sfmcore.data.errors import UserError
from sfmcore.data.shards import part_of
from sfmcore.data.words import counted
from sfmcore.estimators.classifier import SFMClassifier
from sfmcore.evaluation.assessment import Assessment
from sfmcore.evaluation.testing import joined
from sfmcore.files.atomic import check_writable
from sfmcore.files.groups import groups_in
from sfmcore.files.id_table import IdTable
from sfmcore.parallel.progress import progress
from sfmcore.reporting.commands import (
    check_report,
    report_evaluation,
    report_test,
    report_training,
    tested_suspects,
)
from sfmvision.classifier import SceneClassifier
from sfmvision.commandline.about import PROGRAM
from sfmvision.commandline.explaining import write_reasons
from sfmvision.commandline.figures import draw_mistakes
from sfmvision.commandline.prediction import TOO_SMALL, write_predictions
from sfmvision.commandline.testing import judged_blocks
from sfmvision.descriptors.batch import Describer, ImageBatch, Source
from sfmvision.descriptors.encoding import sources_of
from sfmvision.explaining.page import Page
from sfmvision.images.errors import ImageError
from sfmvision.images.folders import Folder, duplicates, expand, known_names, scan
from sfmvision.images.reading import MAX_PIXELS
from sfmvision.preparation import ScenePreparation

# Names of the column of a table of groups that names images.
_IDS = ("path", "id")
# How many classes a message lists.
_SHOWN = 20

__all__ = ["PROGRAM", "evaluate", "explain", "predict", "suspects", "test", "train"]


@dataclass(frozen=True)
class _Images:
    """Usable images of a run, with their labels where they have any, and the others."""

    batch: ImageBatch
    kept: list[int]
    labels: list[str]
    unusable: list[tuple[str, str]]
    """Path and reason of each."""

    @property
    def left_out(self) -> int:
        """How many images can't be used."""
        return len(self.unusable)


def train(options: argparse.Namespace) -> int:
    """``sfmvision train``."""
    classifier = PROGRAM.new_classifier(options, options.output)
    _keep_descriptors(options, classifier)
    refuse_standard_output(options)
    check_report(options, output=options.output)
    table = PROGRAM.read_groups(options, _IDS)
    folder = _scan(options)
    notes: list[str] = []
    more = expand(options.unlabeled, notes)
    tables = [] if options.groups is None else [options.groups]
    for path in (options.output, options.report):
        refuse_overwriting(path, [*tables, *folder.images, *more])
    grouped = _grouped(options, folder, table)
    PROGRAM.complain(notes)
    describer = _describer(classifier, len(folder.images) + len(more))
    images = _read_labelled(options, folder, describer)
    left_out, unlabeled = images.left_out, None
    if more:
        further = _read(options, more, [], describer)
        if not len(further.batch):
            raise UserError("--unlabeled: no usable image")
        left_out += further.left_out
        unlabeled = further.batch
        PROGRAM.tell(options, f"{len(unlabeled)} images without label")
    groups = _groups(options, images, grouped)
    learn(PROGRAM, options, classifier, images.batch, images.labels, unlabeled, groups)
    report_training(
        PROGRAM,
        options,
        classifier,
        dict(sorted(Counter(images.labels).items())),
        inputs=[str(options.folder)],
        left_out=left_out,
        n_unlabeled=0 if unlabeled is None else len(unlabeled),
    )
    return left_out


def predict(options: argparse.Namespace) -> int:
    """``sfmvision predict``."""
    classifier = SceneClassifier.load(options.model)
    limits = asked_limits(PROGRAM, options, classifier)
    coverage = told_coverage(PROGRAM, options, classifier)
    _read_as_told(options, classifier)
    if options.output not in (None, "-"):
        check_writable(options.output)
    notes: list[str] = []
    paths = expand(options.paths, notes)
    if not all(_is_text(os.fspath(path)) for path in paths):
        notes.append(r"paths that are not UTF-8 are written with their bytes as \xNN")
    refuse_overwriting(options.output, [options.model, *paths])
    if options.shard is not None:
        paths = [paths[place] for place in part_of(len(paths), options.shard)]
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
            limits=limits,
            coverage=coverage,
            n_threads=options.threads,
            header=has_header(options.shard),
            folder="" if options.scheduler is None else os.getcwd(),
        )
    PROGRAM.complain(problems + notes)
    PROGRAM.tell(options, f"{count} rows, {len(problems)} without label")
    return len(problems)


def _read_as_told(options: argparse.Namespace, classifier: SFMClassifier) -> None:
    """Read images as in training, but for what the options say."""
    if options.allow_truncated:
        classifier.set_params(allow_truncated=True)
    # A model may lower the limit, and not lift it: whoever runs the command has the memory.
    allowed = min(classifier.short_params()["max_pixels"], MAX_PIXELS)
    classifier.set_params(max_pixels=options.max_pixels or allowed)


def test(options: argparse.Namespace) -> int:
    """``sfmvision test``."""
    classifier = SceneClassifier.load(options.model)
    execute_deferred()
    check_drop_known(options, classifier)
    known = KnownLabels(classifier.classes_)
    check_report(options, json=options.json)
    _read_as_told(options, classifier)
    if options.json not in (None, "-"):
        check_writable(options.json)
    folder = _scan(options, as_given=True)
    for path in (options.json, options.report):
        refuse_overwriting(path, [options.model, *folder.images])
    numbered = [
        (os.fspath(path), number)
        for path, label in zip(folder.images, folder.labels, strict=True)
        if (number := known.number(label)) is not None
    ]
    PROGRAM.complain(known.messages(PROGRAM.noun))
    if not numbered:
        raise UserError(known.refusal(options.model))
    problems: list[str] = []
    shown = progress(
        numbered, "testing", total=len(numbered), unit=" images", show=not options.quiet
    )
    blocks = list(
        judged_blocks(
            classifier,
            shown,
            problems,
            drop_known=options.drop_known,
            n_threads=options.threads,
            folder="" if options.scheduler is None else os.getcwd(),
        )
    )
    PROGRAM.complain(problems)
    if len(problems) == len(numbered):
        raise UserError(f"{options.folder}: no usable image")
    with as_user_error():
        result = joined(classifier, blocks, drop_known=options.drop_known, delta=classifier.delta)
    items = [Item(path) for path, _ in numbered]
    left_out = LeftOut(len(problems), folder.unlabelled, known.unknown)
    n_left_out = show_assessment(PROGRAM, options, result, items, left_out)
    if options.report is not None:
        _report_test(options, classifier, result, [path for path, _ in numbered], n_left_out)
    PROGRAM.tell(options, f"{counted(sum(result.counts), 'image')} tested, {n_left_out} left out")
    return n_left_out


def _report_test(
    options: argparse.Namespace,
    classifier: SceneClassifier,
    result: Assessment,
    paths: list[str],
    n_left_out: int,
) -> None:
    """Write the page of ``test``; the images that it shows are read once more."""
    from sfmcore.reporting.outcome import MOST_SUSPECTS
    from sfmvision.reporting.mistakes import explained_images, mistaken, shown_images

    suspects = tested_suspects(result)
    wrong = mistaken(result.answers)
    listed = [] if suspects is None else suspects.ranked_items()[:MOST_SUSPECTS].tolist()
    chosen = [*wrong, *(item for item in listed if item not in wrong)]
    describer = _describer(classifier, len(paths))
    made = sources_of([paths[item] for item in chosen], describer, n_threads=1)
    # A file may have gone since it was tested.
    kept = [
        (item, source)
        for item, source in zip(chosen, made, strict=True)
        if isinstance(source, Source)
    ]
    places = [item for item, _ in kept]
    batch = ImageBatch(tuple(source for _, source in kept), describer)
    mistakes = [item for item in places if item in wrong]
    explained = explained_images(classifier, mistakes, batch[: len(mistakes)]) if mistakes else []
    report_test(
        PROGRAM,
        options,
        classifier,
        result,
        shown_images(batch, [explained], places=places, names=paths),
        suspects=suspects,
        inputs=[os.fspath(options.folder)],
        left_out=n_left_out,
    )


def explain(options: argparse.Namespace) -> int:
    """``sfmvision explain``."""
    classifier = SceneClassifier.load(options.model)
    classifier.set_params(
        max_pixels=min(classifier.short_params()["max_pixels"], MAX_PIXELS), n_jobs=options.threads
    )
    files = checked_outputs({"-o": options.output, "--html": options.html})
    if options.overlay == "":
        raise UserError("--overlay: an empty name")
    notes: list[str] = []
    paths = expand(options.paths, notes)
    for path in files:
        refuse_overwriting(path, [options.model, *paths])
    page = None if options.html is None else Page(Path(options.model).name, options.first)
    if options.overlay is not None:
        Path(options.overlay).mkdir(parents=True, exist_ok=True)
    problems: list[str] = []
    with output(options.output) as out, as_user_error():
        shown = progress(
            paths, "explaining", total=len(paths), unit=" images", show=not options.quiet
        )
        count = write_reasons(
            classifier, started(shown), out, problems, folder=options.overlay, page=page
        )
    if page is not None:
        with output(options.html) as file:
            file.write(page.text())
    PROGRAM.complain(problems + notes)
    PROGRAM.tell(options, f"{count} images, {len(problems)} without reasons")
    return len(problems)


def evaluate(options: argparse.Namespace) -> int:
    """``sfmvision evaluate``."""
    classifier = PROGRAM.new_classifier(options, options.json)
    _keep_descriptors(options, classifier)
    check_report(options, json=options.json)
    evaluating.check_figures(PROGRAM, options, "mistakes")
    table = PROGRAM.read_groups(options, _IDS)
    folder = _scan(options)
    tables = [] if options.groups is None else [options.groups]
    for path in (options.json, options.report):
        refuse_overwriting(path, [*tables, *folder.images])
    grouped = _grouped(options, folder, table)
    images = _read_labelled(options, folder, _describer(classifier, len(folder.images)))
    groups = _groups(options, images, grouped)
    examine = None
    if options.report is not None:
        from sfmvision.reporting.mistakes import examine_mistakes, shown_images

        examine = examine_mistakes
    result, curve, seconds = evaluating.evaluate(
        PROGRAM, options, classifier, images.batch, images.labels, groups, examine
    )
    if options.report is not None:
        report_evaluation(
            PROGRAM,
            options,
            classifier,
            result,
            images.batch,
            shown_images(images.batch, result.examined),
            curve=curve,
            inputs=[str(options.folder)],
            left_out=images.left_out,
        )
    evaluating.draw_figures(
        PROGRAM, options, result, mistakes=partial(draw_mistakes, result, images.batch)
    )
    n_parts = f"{len(result.answers)} {'folds' if result.folded else 'partitions'}"
    PROGRAM.tell(options, f"{n_parts} in {seconds:.1f} s")
    return images.left_out


def suspects(options: argparse.Namespace) -> int:
    """``sfmvision suspects``."""
    classifier = PROGRAM.new_classifier(options, None)
    _keep_descriptors(options, classifier)
    written = checked_outputs({"-o": options.output, "--json": options.json})
    table = PROGRAM.read_groups(options, _IDS)
    folder = _scan(options)
    tables = [] if options.groups is None else [options.groups]
    for path in written:
        refuse_overwriting(path, [*tables, *folder.images])
    grouped = _grouped(options, folder, table)
    images = _read_labelled(options, folder, _describer(classifier, len(folder.images)))
    groups = _groups(options, images, grouped)
    found = search(PROGRAM, options, classifier, images.batch, images.labels, groups)
    names = [source.name for source in images.batch.sources]
    write_suspects(options, PROGRAM, classifier, found, names, images.unusable)
    return images.left_out


def _grouped(
    options: argparse.Namespace, folder: Folder, table: IdTable | None
) -> list[str] | None:
    """Group of every image of the folder by the table: before any is described, which is long."""
    if table is None:
        return None
    given = options.folder
    names = (known_names(path.relative_to(given), given) for path in folder.images)
    return groups_in(table, names)


def _groups(
    options: argparse.Namespace, images: _Images, grouped: list[str] | None
) -> list[str] | None:
    """Group of every usable image, by the table or by ``--group-by``."""
    if grouped is not None:
        return [grouped[place] for place in images.kept]
    if options.group_by == "content":
        return [source.digest for source in images.batch.sources]
    return None


def _is_text(path: str) -> bool:
    """Whether a path is UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _describer(classifier: SFMClassifier, n_images: int) -> Describer:
    """Describer for the images of the classifier's preparation."""
    preparation = classifier.preparation
    assert isinstance(preparation, ScenePreparation)
    return preparation.describer(n_images)


def _keep_descriptors(options: argparse.Namespace, classifier: SFMClassifier) -> None:
    """Keep descriptors with the checkpoint, unless they have a folder of their own."""
    if options.checkpoint is not None and options.cache is None:
        classifier.set_params(cache=os.path.join(options.checkpoint, "descriptors"))


def _scan(options: argparse.Namespace, *, as_given: bool = False) -> Folder:
    """Images of the folder; says what was met."""
    if options.scheduler is not None and not as_given:
        # A worker may have been started elsewhere.
        options.folder = os.path.abspath(options.folder)
    folder = scan(options.folder, any_names=options.these_are_classes)
    refuse_strange_labels(folder.classes)
    PROGRAM.complain([f"warning: {message}" for message in folder.messages()])
    PROGRAM.tell(options, f"{options.folder}: {folder.summary()}")
    for group in duplicates(folder):
        names = ", ".join(map(str, group))
        PROGRAM.complain([f"warning: the same image under several labels: {names}"])
    return folder


def _read_labelled(options: argparse.Namespace, folder: Folder, describer: Describer) -> _Images:
    """All usable images of a folder, of two classes at least."""
    images = _read(options, list(folder.images), list(folder.labels), describer)
    labels = sorted(set(images.labels))
    if len(labels) < 2:
        what = f"only one class, {labels[0]!r}" if labels else "no usable image"
        raise UserError(f"{options.folder}: {what}: give at least two folders of images")
    counts = Counter(images.labels)
    lonely = [label for label in labels if counts[label] == 1]
    if len(lonely) == 1:
        PROGRAM.complain([f"warning: class {lonely[0]!r} has only one image"])
    elif lonely:
        shown = ", ".join(map(repr, lonely[:_SHOWN]))
        more = f" and {len(lonely) - _SHOWN} more" if len(lonely) > _SHOWN else ""
        PROGRAM.complain([f"warning: {len(lonely)} classes have only one image: {shown}{more}"])
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
    unusable: list[tuple[str, str]] = []
    for number, result in enumerate(shown):
        if isinstance(result, ImageError):
            problems.append(str(result))
            unusable.append((os.fspath(paths[number]), result.reason))
        elif result.n_patches == 0:
            problems.append(f"{result.name}: {TOO_SMALL}")
            unusable.append((result.name, TOO_SMALL))
        else:
            sources.append(result)
            kept.append(number)
    PROGRAM.complain(problems)
    if problems:
        PROGRAM.tell(options, f"{len(sources)} images used, {len(problems)} left out")
    batch = ImageBatch(tuple(sources), describer)
    return _Images(batch, kept, [labels[k] for k in kept] if labels else [], unusable)
