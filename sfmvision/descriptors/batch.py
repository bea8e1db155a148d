"""Images as a batch of descriptors that are made once and kept where there is room."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import cv2
import numpy as np
import numpy.typing as npt

from sfmcore.data.arrays import BoolArray, Float32Array
from sfmvision.descriptors.cache import content_digest
from sfmvision.descriptors.colours import colour_cells
from sfmvision.descriptors.dense_sift import DenseSIFT
from sfmvision.images.errors import ImageError
from sfmvision.images.pixels import ROUNDING
from sfmvision.images.reading import read_content, read_image

Arrays = dict[str, np.ndarray]
Image = npt.NDArray[Any] | str | os.PathLike[str]


class Cache(Protocol):
    """Store of descriptors."""

    def get(self, digest: str) -> Arrays | None:
        """Arrays of an image, or None."""

    def put(self, digest: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Keep the arrays of an image, if there is room."""


class InMemory(dict[str, Arrays]):
    """A cache for a few images."""

    def put(self, digest: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Keep the arrays."""
        self[digest] = dict(arrays)


@dataclass(frozen=True)
class Described:
    """Descriptors of an image, and where its patches stand.

    Attributes
    ----------
    values : ndarray of shape (n_patches, n_columns), uint8
    flat : ndarray of shape (n_patches,), bool
        Patches without contrast.
    centres : ndarray of shape (n_patches, 2), float32
        Row and column in pixels.
    shape : (int, int)
        Height and width of the image that they stand in.
    bin_sizes : ndarray of shape (n_patches,), float32
        Pixels of a spatial bin.
    cells : ndarray of shape (n_rows, n_columns, 6), float32
        See :func:`sfmvision.descriptors.colours.colour_cells`.
    """

    values: npt.NDArray[np.uint8]
    flat: BoolArray
    centres: Float32Array
    shape: tuple[int, int]
    bin_sizes: Float32Array
    cells: Float32Array


@dataclass(frozen=True)
class Describer:
    """From an image to its descriptors.

    Attributes
    ----------
    sift : DenseSIFT
    max_side : int or None
        A longer side is reduced to it first, so that patches cover the same part of a scene.
    allow_truncated : bool
    max_pixels : int
    cache : Cache
        What it holds must have been made with the same settings.
    """

    sift: DenseSIFT
    max_side: int | None
    allow_truncated: bool
    max_pixels: int
    cache: Cache

    @property
    def settings(self) -> dict[str, Any]:
        """Parameters that descriptors depend on; the others decide which images can be read."""
        return settings_of(self.sift, self.max_side)

    def source(self, image: Image) -> "Source":
        """An image known by the digest of its content, with its descriptors in the cache.

        Raises
        ------
        ImageError
            If it can't be read.
        """
        if isinstance(image, str | os.PathLike):
            name = os.fspath(image)
            data = read_content(name)
            digest = content_digest(data)
            arrays = self.cache.get(digest)
            if arrays is None:
                arrays = self._make(digest, self._pixels(name, data))
            return Source(digest, name, None, len(arrays["flat"]))
        pixels = _checked(image)
        kind = f"{pixels.dtype.str} {pixels.shape} ".encode()
        digest = content_digest(kind + pixels.tobytes())
        arrays = self.cache.get(digest)
        if arrays is None:
            arrays = self._make(digest, pixels)
        return Source(digest, "<array>", pixels, len(arrays["flat"]))

    def describe(self, source: "Source") -> Described:
        """Descriptors of an image: from the cache, or made again if they are gone.

        Raises
        ------
        ImageError
            If its file has to be read again, and is gone or another by now.
        """
        arrays = self.cache.get(source.digest)
        if arrays is None:
            pixels = source.pixels
            if pixels is None:
                data = read_content(source.name)
                if content_digest(data) != source.digest:
                    raise ImageError(source.name, "has changed since it was first read")
                pixels = self._pixels(source.name, data)
            arrays = self._make(source.digest, pixels)
        height, width = arrays["shape"].tolist()
        return Described(
            arrays["values"],
            arrays["flat"],
            arrays["centres"],
            (height, width),
            arrays["bin_sizes"],
            arrays["cells"],
        )

    def _pixels(self, name: str, data: bytes) -> npt.NDArray[np.uint8]:
        try:
            return read_image(
                data, allow_truncated=self.allow_truncated, max_pixels=self.max_pixels
            )
        except ImageError as error:
            raise ImageError(name, error.reason) from None

    def _make(self, digest: str, pixels: npt.NDArray[Any]) -> Arrays:
        pixels = reduced(pixels, self.max_side)
        made = self.sift.compute(pixels)
        arrays: Arrays = {
            "values": made.values,
            "flat": made.flat,
            "centres": made.centres,
            "shape": np.array(pixels.shape[:2], dtype=np.int64),
            "bin_sizes": made.bin_sizes,
            "cells": colour_cells(pixels),
        }
        self.cache.put(digest, arrays)
        return arrays


@dataclass(frozen=True)
class Source:
    """Origin of an image.

    Attributes
    ----------
    digest : str
        Of its content: equal images have equal digests.
    name : str
    pixels : ndarray or None
        None for a file, which is read again if need be.
    n_patches : int
    """

    digest: str
    name: str
    pixels: npt.NDArray[Any] | None
    n_patches: int


@dataclass(frozen=True)
class ImageBatch(Sequence[Described]):
    """Images with their descriptors, one at a time in memory.

    Attributes
    ----------
    sources : tuple of Source
    describer : Describer
    """

    sources: tuple[Source, ...]
    describer: Describer

    def __len__(self) -> int:
        return len(self.sources)

    def __getitem__(self, index: Any) -> Any:
        """Descriptors of one image, or the batch of the images that `index` selects."""
        if isinstance(index, int | np.integer):
            return self.describer.describe(self.sources[index])
        picked = np.arange(len(self))[index]
        return ImageBatch(tuple(self.sources[k] for k in picked), self.describer)

    def __iter__(self) -> Iterator[Described]:
        return map(self.describer.describe, self.sources)

    def identity(self) -> Any:
        """Content of the batch, for a digest; not the place of its files."""
        return [[source.digest for source in self.sources], self.describer.settings]

    def joined(self, other: "ImageBatch") -> "ImageBatch":
        """Both batches in one, the images of `other` last."""
        return ImageBatch(self.sources + other.sources, self.describer)


def settings_of(sift: DenseSIFT, max_side: int | None) -> dict[str, Any]:
    """Parameters that descriptors depend on, by name."""
    return {**asdict(sift), "max_side": max_side}


def check_settings(learnt: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Refuse descriptors of another kind: the words would not be those that were learnt.

    Parameters
    ----------
    learnt, given : mapping of str to value
        See :func:`settings_of`.

    Raises
    ------
    ValueError
        With the name of the first parameter that differs.
    """
    for name, value in learnt.items():
        if given[name] != value:
            raise ValueError(f"{name} must be {value!r}, as in fit, got {given[name]!r}")


def reduced(pixels: npt.NDArray[Any], max_side: int | None) -> npt.NDArray[Any]:
    """The image with its longer side at most `max_side`, by the mean over areas."""
    longer = max(pixels.shape[:2])
    if max_side is None or longer <= max_side:
        return pixels
    height, width = (max(1, round(side * max_side / longer)) for side in pixels.shape[:2])
    small: npt.NDArray[Any] = cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA)
    return small


def _checked(image: Any) -> npt.NDArray[Any]:
    """An array as an image: 8 bits, or floats from 0 to 1."""
    try:
        pixels = np.asarray(image)
    except (TypeError, ValueError):  # lists of unequal length
        pixels = np.array(None)
    if pixels.dtype.kind not in "biufc":
        kind = type(image).__name__
        raise ImageError("<array>", f"of type {kind}, neither pixels nor a path")
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[:, :, 0]
    if pixels.ndim not in (2, 3) or (pixels.ndim == 3 and pixels.shape[2] != 3):
        raise ImageError("<array>", f"shape {pixels.shape} is neither grey nor RGB")
    if not pixels.size:
        raise ImageError("<array>", "no pixels")
    if pixels.dtype == np.uint8:
        return np.ascontiguousarray(pixels)
    if pixels.dtype.kind != "f":
        raise ImageError("<array>", f"pixels must be uint8 or floats, not {pixels.dtype}")
    # NaN is in no range.
    if not (pixels.min() >= -ROUNDING and pixels.max() <= 1 + ROUNDING):
        raise ImageError("<array>", "floats must be from 0 to 1")
    exact: npt.NDArray[Any] = np.clip(np.ascontiguousarray(pixels, dtype=np.float32), 0, 1)
    return exact
