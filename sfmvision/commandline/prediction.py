"""Predicting a stream of images: one row for each, in order, in bounded memory."""

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TextIO

from sfmcore.commandline.output import one_line
from sfmcore.commandline.rows import Limits, answers, columns, row, unusable_row
from sfmcore.parallel.tasks import stream_tasks
from sfmvision.classifier import SceneClassifier
from sfmvision.descriptors.batch import ImageBatch, Source
from sfmvision.descriptors.encoding import TOO_SMALL, sources_of
from sfmvision.images.errors import ImageError
from sfmvision.preparation import ScenePreparation

Name = str | os.PathLike[str]

COLUMNS = (
    "id",
    "label",
    "confidence",
    "status",
    "second_label",
    "second_confidence",
    "patches",
    "typicality",
)
_NO_LIMITS = Limits()
CHUNK = 8
"""Images that a thread takes at a time: few, so that a handful has work for all threads."""


def write_predictions(
    classifier: SceneClassifier,
    paths: Iterable[Name],
    out: TextIO,
    problems: list[str],
    *,
    limits: Limits = _NO_LIMITS,
    coverage: float | None = None,
    n_threads: int = 1,
    header: bool = True,
    folder: str = "",
) -> int:
    """Write one tab-separated row for every image, in the order they come.

    Parameters
    ----------
    classifier : SceneClassifier
        Fitted.
    paths : iterable of str or path-like
        Those that can't be used get a row with their status and no label.
    out : text file
    problems : list of str
        Gets a sentence for each row without label.
    limits : Limits, optional
        Beyond them the label is ``unclassified``, and the status says why.
    coverage : float, optional
        Adds a column of the labels that can't be excluded.
    n_threads : int, default=1
        Chunks of images that are worked on at a time; the rows do not depend on it.
    header : bool, default=True
        Whether the first row names the columns.
    folder : str, default=""
        What paths are relative to, for a worker that was started elsewhere.

    Returns
    -------
    int
        Number of rows.
    """
    if header:
        out.write("\t".join(columns(COLUMNS, coverage)) + "\n")
    n_rows = 0
    shared = {
        "classifier": classifier,
        "limits": limits,
        "coverage": coverage,
        "folder": folder,
    }
    for results in stream_tasks(_rows, _chunks(paths), shared, n_threads):
        for line, problem in results:
            out.write(line)
            if problem:
                problems.append(problem)
        n_rows += len(results)
    return n_rows


def _chunks(paths: Iterable[Name]) -> Iterator[list[Name]]:
    iterator = iter(paths)
    while chunk := list(islice(iterator, CHUNK)):
        yield chunk


def _rows(
    chunk: list[Name],
    n_threads: int,
    *,
    classifier: SceneClassifier,
    limits: Limits,
    coverage: float | None,
    folder: str,
) -> list[tuple[str, str]]:
    """The row of every image, and the sentence about it if it can't be used."""
    paths = [os.fspath(path) for path in chunk]
    made, usable = described(classifier, paths, folder)
    sets = coverage is not None
    results = iter(answers(classifier, usable, coverage=coverage) if len(usable) else [])
    rows = []
    for path, one in zip(paths, made, strict=True):
        # A path may hold what ends a field or a row, or bytes that are no text.
        name = one_line(path)
        if isinstance(one, ImageError):
            line = unusable_row(name, one.reason, sets=sets)
        elif one.n_patches == 0:
            line = unusable_row(name, TOO_SMALL, "0", sets=sets)
        else:
            line = row(name, next(results), limits, str(one.n_patches))
        rows.append((line, problem_of(path, one)))
    return rows


def described(
    classifier: SceneClassifier, paths: Sequence[str], folder: str = ""
) -> tuple[list[Source | ImageError], ImageBatch]:
    """Some images, or why they can't be read, and a batch of those that can be used.

    Parameters
    ----------
    classifier : SceneClassifier
    paths : sequence of str
    folder : str, default=""
        What paths are relative to.
    """
    preparation = classifier.preparation
    assert isinstance(preparation, ScenePreparation)
    describer = preparation.describer(len(paths))
    files = [os.path.join(folder, path) for path in paths]
    made = list(sources_of(files, describer, n_threads=1))
    usable = tuple(one for one in made if isinstance(one, Source) and one.n_patches > 0)
    return made, ImageBatch(usable, describer)


def problem_of(path: str, made: Source | ImageError) -> str:
    """Sentence about an image that can't be used; empty if it can."""
    if isinstance(made, ImageError):
        return str(ImageError(path, made.reason))
    return "" if made.n_patches else f"{path}: {TOO_SMALL}"
