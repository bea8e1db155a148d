"""Images of a command with their labels, and what is said of them."""

import argparse
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sfmcore.commandline.output import refuse_strange_labels
from sfmcore.data.errors import UserError
from sfmcore.data.words import lonely_classes
from sfmcore.parallel.progress import progress
from sfmvision.commandline.about import PROGRAM
from sfmvision.descriptors.batch import Describer, ImageBatch, Source
from sfmvision.descriptors.encoding import TOO_SMALL, sources_of
from sfmvision.images.errors import ImageError
from sfmvision.images.folders import Folder, duplicates, scan


@dataclass(frozen=True)
class Images:
    """Usable images of a run, with their labels where they have any, and the others.

    Attributes
    ----------
    batch : ImageBatch
    kept : list of int
        Places of the usable images among all.
    labels : list of str
    unusable : list of (str, str)
        Path and reason of each.
    """

    batch: ImageBatch
    kept: list[int]
    labels: list[str]
    unusable: list[tuple[str, str]]

    @property
    def left_out(self) -> int:
        """How many images can't be used."""
        return len(self.unusable)


def scan_folder(options: argparse.Namespace, *, as_given: bool = False) -> Folder:
    """Images of the folder; says what was met.

    Parameters
    ----------
    options : argparse.Namespace
        Its folder becomes absolute where workers read it.
    as_given : bool, default=False
        Whether it stays as it is all the same.

    Raises
    ------
    FolderError
        If it can't be read, or holds no folders of classes.
    InputError
        If the name of a class can't be a label.
    """
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


def read_labelled(options: argparse.Namespace, folder: Folder, describer: Describer) -> Images:
    """All usable images of a folder, of two classes at least.

    Parameters
    ----------
    options : argparse.Namespace
    folder : Folder
    describer : Describer

    Raises
    ------
    UserError
        If there are fewer classes.
    """
    images = read_images(options, list(folder.images), list(folder.labels), describer)
    labels = sorted(set(images.labels))
    if len(labels) < 2:
        what = f"only one class, {labels[0]!r}" if labels else "no usable image"
        raise UserError(f"{options.folder}: {what}: give at least two folders of images")
    counts = Counter(images.labels)
    PROGRAM.complain(lonely_classes({label: counts[label] for label in labels}, "image"))
    return images


def read_images(
    options: argparse.Namespace,
    paths: Sequence[str | os.PathLike[str]],
    labels: Sequence[str],
    describer: Describer,
) -> Images:
    """Usable images among the paths; names the others.

    Parameters
    ----------
    options : argparse.Namespace
    paths : sequence of str or path-like
    labels : sequence of str
        One for each path, or none at all.
    describer : Describer
    """
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
    return Images(batch, kept, [labels[k] for k in kept] if labels else [], unusable)
