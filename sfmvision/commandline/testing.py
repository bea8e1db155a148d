"""Testing a model on a stream of labelled images: each is judged once, a few at a time."""

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from sfmcore.evaluation.testing import Block, block_of
from sfmcore.parallel.tasks import stream_tasks
from sfmvision.classifier import SceneClassifier
from sfmvision.commandline.prediction import CHUNK, described, problem_of

Labelled = tuple[str, int]
"""Path of an image, and the number of its class."""


def judged_blocks(
    classifier: SceneClassifier,
    images: Iterable[Labelled],
    problems: list[str],
    *,
    drop_known: bool,
    n_threads: int = 1,
    folder: str = "",
) -> Iterator[Block]:
    """What the classifier says of every image.

    Parameters
    ----------
    classifier : SceneClassifier
        Fitted.
    images : iterable of (str, int)
        Those that can't be used count in a block, and have no answer.
    problems : list of str
        Gets a sentence for each image that can't be used.
    drop_known : bool
    n_threads : int, default=1
        Images that are worked on at a time; what is said does not depend on it.
    folder : str, default=""
        What paths are relative to, for a worker that was started elsewhere.
    """
    shared = {"classifier": classifier, "drop_known": drop_known, "folder": folder}
    for block, sentences in stream_tasks(_judged, _chunks(images), shared, n_threads):
        problems += sentences
        yield block


def _chunks(images: Iterable[Labelled]) -> Iterator[list[Labelled]]:
    iterator = iter(images)
    while chunk := list(islice(iterator, CHUNK)):
        yield chunk


def _judged(
    chunk: list[Labelled],
    n_threads: int,
    *,
    classifier: SceneClassifier,
    drop_known: bool,
    folder: str,
) -> tuple[Block, list[str]]:
    paths = [path for path, _ in chunk]
    made, usable = described(classifier, paths, folder)
    problems = [problem_of(path, one) for path, one in zip(paths, made, strict=True)]
    places = np.array([k for k, problem in enumerate(problems) if not problem], dtype=np.int64)
    numbers = np.array([number for _, number in chunk], dtype=np.int64)[places]
    block = block_of(
        classifier, usable, numbers, drop_known=drop_known, places=places, n_given=len(chunk)
    )
    return block, [problem for problem in problems if problem]
