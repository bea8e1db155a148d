"""Passes over images, whose descriptors are in memory one image at a time for each thread."""

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from sfmcore.data.errors import refuse
from sfmcore.parallel.progress import progress
from sfmcore.parallel.workers import workers
from sfmvision.descriptors.batch import Arrays, Cache, Described, Describer, ImageBatch, Source
from sfmvision.descriptors.encoding import TOO_SMALL
from sfmvision.images.errors import ImageError

Use = Callable[[int, Described], None]


class Recent(threading.local):
    """A cache of the last image of each thread, before another that may keep more.

    An image whose patches lie close together has megabytes of descriptors, which are made again
    in milliseconds: a folder of them is worth its room only if it serves several runs.

    Parameters
    ----------
    kept : Cache or None, default=None
        None: only the last image is kept.

    Examples
    --------
    >>> cache = Recent()
    >>> cache.put("a", {"flat": np.array([True])})
    >>> cache.get("a"), cache.get("b")
    ({'flat': array([ True])}, None)
    """

    def __init__(self, kept: Cache | None = None) -> None:
        self._kept = kept
        self._last: tuple[str, Arrays] | None = None

    def get(self, digest: str) -> Arrays | None:
        """Arrays of an image, or None."""
        if self._last is not None and self._last[0] == digest:
            return self._last[1]
        arrays = None if self._kept is None else self._kept.get(digest)
        if arrays is not None:
            self._last = digest, arrays
        return arrays

    def put(self, digest: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Keep the arrays until the thread's next image, and where the other cache keeps them."""
        self._last = digest, dict(arrays)
        if self._kept is not None:
            self._kept.put(digest, arrays)


def listed(X: Any) -> list[Any] | ImageBatch:
    """Images as a list; a batch passes through.

    Raises
    ------
    ValueError
        If they are not several images.

    Examples
    --------
    >>> listed("coast/a.jpg")
    Traceback (most recent call last):
    ...
    ValueError: X must be a list of images, not one
    """
    if isinstance(X, ImageBatch):
        return X
    if isinstance(X, str | bytes | os.PathLike):
        raise ValueError("X must be a list of images, not one")
    if not isinstance(X, Iterable):
        raise ValueError(f"X must be a list of images, not {type(X).__name__}")
    return list(X)


def for_each_image(
    images: Sequence[Any],
    describer: Describer,
    use: Use,
    *,
    n_threads: int,
    show_progress: bool = False,
    description: str = "describing",
) -> None:
    """Describe every image and hand it on.

    Parameters
    ----------
    images : sequence of array, str, path-like or Source
    describer : Describer
    use : callable
        Takes an image's number and its descriptors. Called from several threads at once, in any
        order.
    n_threads : int
        Images that are worked on at a time.
    show_progress : bool, default=False
    description : str, default="describing"
        What the progress bar says.

    Raises
    ------
    ValueError
        One error that names every image that can't be used, when the others have been.
    """

    def one(number: int) -> str:
        image = images[number]
        try:
            source = image if isinstance(image, Source) else describer.source(image)
            if source.n_patches == 0:
                return f"item {number}: {source.name}: {TOO_SMALL}"
            described = describer.describe(source)
        except ImageError as error:
            return f"item {number}: {error}"
        use(number, described)
        return ""

    def shown(results: Iterable[str]) -> list[str]:
        bar = progress(results, description, total=len(images), unit=" images", show=show_progress)
        return [problem for problem in bar if problem]

    if n_threads == 1:
        problems = shown(map(one, range(len(images))))
    else:
        with workers(n_threads) as pool:
            problems = shown(pool.map(one, range(len(images))))
    refuse(problems, "image", "images")
