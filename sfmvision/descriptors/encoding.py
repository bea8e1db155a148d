"""Many images at once: their descriptors, made side by side and kept where there is room."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from sfmcore.data.errors import refuse
from sfmcore.parallel.progress import progress
from sfmcore.parallel.workers import workers
from sfmvision.descriptors.batch import Cache, Describer, ImageBatch, InMemory, Source
from sfmvision.descriptors.cache import DescriptorCache, TemporaryDescriptorCache
from sfmvision.descriptors.dense_sift import DenseSIFT
from sfmvision.images.errors import ImageError

_FEW = 64
"""Number of images whose descriptors are kept in memory, about 1 MB each."""

TOO_SMALL = "too small for a patch"
"""Why an image that can be read can't be used."""


def cache_of(
    folder: str | os.PathLike[str] | None,
    sift: DenseSIFT,
    reading: Mapping[str, Any],
    n_images: int,
) -> Cache:
    """Cache for the descriptors of so many images.

    Parameters
    ----------
    folder : str or path-like or None
        None for memory if the images are few, else for a folder that goes with the cache.
    sift : DenseSIFT
    reading : mapping of str to int, bool or None
        How files are read and reduced. What is refused by one setting must not come out of a
        folder that was filled with another.
    n_images : int
    """
    settings: dict[str, Any] = {
        name: value.item() if isinstance(value, np.generic) else value  # as JSON can hold it
        for name, value in {**asdict(sift), **reading}.items()
    }
    if folder is not None:
        return DescriptorCache(folder, settings)
    return InMemory() if n_images <= _FEW else TemporaryDescriptorCache(settings)


def sources_of(
    images: Iterable[Any], describer: Describer, *, n_threads: int
) -> Iterator[Source | ImageError]:
    """Each image as a source whose descriptors are in the cache, or the error, in order.

    Parameters
    ----------
    images : iterable of array, str or path-like
    describer : Describer
    n_threads : int
        Images that are worked on at a time; the result does not depend on it.
    """

    def one(image: Any) -> Source | ImageError:
        try:
            return describer.source(image)
        except ImageError as error:
            return error

    if n_threads == 1:
        yield from map(one, images)
        return
    with workers(n_threads) as pool:
        yield from pool.map(one, images)


def encoded(
    images: list[Any], describer: Describer, *, n_threads: int, show_progress: bool
) -> ImageBatch:
    """All images as a batch.

    Parameters
    ----------
    images : list of array, str or path-like
    describer : Describer
    n_threads : int
    show_progress : bool

    Raises
    ------
    ValueError
        One error that names every image that can't be used.
    """
    made = sources_of(images, describer, n_threads=n_threads)
    shown = progress(made, "describing", total=len(images), unit=" images", show=show_progress)
    sources: list[Source] = []
    problems = []
    for number, result in enumerate(shown):
        if isinstance(result, ImageError):
            problems.append(f"item {number}: {result}")
        elif result.n_patches == 0:
            problems.append(f"item {number}: {result.name}: {TOO_SMALL}")
        else:
            sources.append(result)
    refuse(problems, "image", "images")
    return ImageBatch(tuple(sources), describer)
