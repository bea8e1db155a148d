"""Predicting a stream of images: one row for each, in order, in bounded memory."""

import os
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import TextIO

from sfmcore.commandline.output import one_line
from sfmcore.commandline.rows import best_two, in_order, row, unusable_row
from sfmvision.classifier import SceneClassifier
from sfmvision.descriptors.batch import ImageBatch, Source
from sfmvision.descriptors.encoding import TOO_SMALL, sources_of
from sfmvision.images.errors import ImageError

Name = str | os.PathLike[str]

COLUMNS = ("id", "label", "confidence", "status", "second_label", "second_confidence", "patches")
# Images that a thread takes at a time: few, so that a handful of images has work for all threads.
_CHUNK = 8


def write_predictions(
    classifier: SceneClassifier,
    paths: Iterable[Name],
    out: TextIO,
    problems: list[str],
    *,
    min_confidence: float = 0.0,
    n_threads: int = 1,
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
    min_confidence : float, default=0.0
        Below it the label is ``unclassified``, and the status says why.
    n_threads : int, default=1
        Chunks of images that are worked on at a time; the rows do not depend on it.

    Returns
    -------
    int
        Number of rows.
    """
    out.write("\t".join(COLUMNS) + "\n")
    n_rows = 0
    rows_of = partial(_rows, classifier, min_confidence=min_confidence)
    for results in in_order(rows_of, _chunks(paths), n_threads):
        for line, problem in results:
            out.write(line)
            if problem:
                problems.append(problem)
        n_rows += len(results)
    return n_rows


def _chunks(paths: Iterable[Name]) -> Iterator[list[Name]]:
    iterator = iter(paths)
    while chunk := list(islice(iterator, _CHUNK)):
        yield chunk


def _rows(
    classifier: SceneClassifier, chunk: list[Name], min_confidence: float
) -> list[tuple[str, str]]:
    """The row of every image, and the sentence about it if it can't be used."""
    describer = classifier.preparation.describer(len(chunk))
    made = list(sources_of(chunk, describer, n_threads=1))
    usable = tuple(one for one in made if isinstance(one, Source) and one.n_patches > 0)
    results = iter(best_two(classifier, ImageBatch(usable, describer)) if usable else [])
    rows = []
    for path, one in zip(chunk, made, strict=True):
        # A path may hold what ends a field or a row, or bytes that are no text.
        name = one_line(os.fspath(path))
        if isinstance(one, ImageError):
            rows.append((unusable_row(name, one.reason), str(one)))
        elif one.n_patches == 0:
            rows.append((unusable_row(name, TOO_SMALL, "0"), f"{os.fspath(path)}: {TOO_SMALL}"))
        else:
            rows.append((row(name, next(results), min_confidence, str(one.n_patches)), ""))
    return rows
