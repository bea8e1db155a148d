"""Dense SIFT: descriptors of patches on a grid, at several scales."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from sfmcore.data.arrays import BoolArray, Float32Array, Float64Array
from sfmcore.data.checks import check_choice, check_number, check_whole
from sfmvision.descriptors.grid import centres, first_bins, patch_grid
from sfmvision.images.pixels import ROUNDING
from sfmvision.kernels import _dense_sift

_BLOCK = 128
# Standard deviation of the window over a patch, in bins.
_WINDOW = 1.5
# Standard deviation of the smoothing, in bins; below so many pixels it moves nothing that counts.
_SMOOTHING = 1 / 6
_LEAST_SMOOTHING = 0.25
# Luma of ITU-R BT.601.
_INTENSITY = (0.299, 0.587, 0.114)
# No image has so many rows, and a larger number from a model file fits no array.
_MOST = 100_000


@dataclass(frozen=True, eq=False)
class Descriptors:
    """Descriptors of the patches of one image, scale by scale and row by row.

    Attributes
    ----------
    values : ndarray of shape (n_patches, 128) or (n_patches, 384), dtype uint8
        512 times the unit vector, rounded, at most 255. Bin's row, bin's column, orientation, the
        last the fastest; orientation o is o * 45 degrees counter-clockwise from the right. With
        opponent colours three such blocks, each of unit length or zero.
    centres : ndarray of shape (n_patches, 2), dtype float32
        y and x, in pixels; (0, 0) is the middle of the first pixel.
    bin_sizes : ndarray of shape (n_patches,), dtype float32
        Pixels of a spatial bin.
    flat : ndarray of shape (n_patches,), dtype bool
        Patches without contrast. Their values are all zero.
    """

    values: npt.NDArray[np.uint8]
    centres: Float32Array
    bin_sizes: Float32Array
    flat: BoolArray

    def __len__(self) -> int:
        """Number of patches."""
        return len(self.values)


@dataclass(frozen=True)
class DenseSIFT:
    """SIFT descriptors of patches on a grid, upright, at several scales.

    A patch has 4 x 4 spatial bins of 8 orientations. Every scale smooths the image with a
    Gaussian of a sixth of a bin, takes central differences, shares a gradient between the two
    nearest orientations and, linearly, between the nearest bins, and weights the bins around the
    patch's centre. Descriptors have unit length, are clamped at 0.2 and have unit length again.
    What lies beyond the border counts for nothing.

    A patch whose 4 bins do not lie in the image as a whole is left out, so a small image may have
    none at a large scale, or none at all.

    Parameters
    ----------
    grid : tuple of two ints, optional
        Rows and columns of patches, spread evenly over the image at every scale.
    step : int, optional
        Pixels from one patch to the next, on both axes. The patches of all scales have the same
        centres (half a pixel apart between odd and even bins); smaller ones have more, towards
        the borders. Exactly one of `grid` and `step` must be given.
    bin_sizes : sequence of int, default=(4, 6, 8, 10)
        Pixels of a spatial bin, one for each scale. A patch is 4 bins wide.
    window : {"flat", "gaussian"}, default="flat"
        Weight of a gradient by its place in the patch: a Gaussian of 1.5 bins, or its mean over
        each bin, which is faster where patches overlap.
    root : bool, default=False
        RootSIFT: the roots of the descriptor's shares of its sum. Euclidean distances between
        these compare the shares by the Hellinger kernel.
    colour : {"grey", "opponent"}, default="grey"
        Describe the intensity (0.299 R + 0.587 G + 0.114 B), or also (R - G) / sqrt(2) and
        (R + G - 2 B) / sqrt(6), each normalised on its own.
    contrast : float, default=0.005
        A patch is flat if the sum of its bins before normalising, over (3 * bin_size + 1)^2, is
        below this, for an image between 0 and 1. The intensity decides; a block of colours below
        it is zero.

    Raises
    ------
    ValueError
        If a parameter can't be used.

    Notes
    -----
    An image takes 4 bytes a pixel and plane while it is described, and 128 bytes a patch and
    plane afterwards. One image is described on one thread, without the interpreter's lock, so
    that threads can share out images.

    References
    ----------
    D. Lowe, "Distinctive image features from scale-invariant keypoints", IJCV 60 (2004).
    A. Bosch, A. Zisserman, X. Munoz, "Image classification using random forests and ferns", ICCV
    (2007).
    R. Arandjelovic, A. Zisserman, "Three things everyone should know to improve object
    retrieval", CVPR (2012).

    Examples
    --------
    >>> image = np.zeros((40, 60))
    >>> image[:, 24:] = 1.0
    >>> found = DenseSIFT(grid=(1, 2), bin_sizes=(4,)).compute(image)
    >>> found.values.shape, found.centres.tolist()
    ((2, 128), [[20.0, 8.0], [20.0, 52.0]])
    >>> found.flat
    array([ True,  True])
    >>> found = DenseSIFT(grid=(1, 3), bin_sizes=(4, 8)).compute(image)
    >>> found.flat
    array([ True, False,  True, False, False,  True])

    Brighter to the right, so all is in the first orientation:

    >>> found.values.reshape(6, 4, 4, 8)[1].any(axis=(0, 1))
    array([ True, False, False, False, False, False, False, False])
    """

    grid: tuple[int, int] | None = None
    step: int | None = None
    bin_sizes: Sequence[int] = (4, 6, 8, 10)
    window: Literal["flat", "gaussian"] = "flat"
    root: bool = False
    colour: Literal["grey", "opponent"] = "grey"
    contrast: float = 0.005

    def __post_init__(self) -> None:
        if (self.grid is None) == (self.step is None):
            raise ValueError("exactly one of grid and step must be given")
        if self.step is not None:
            check_whole("step", self.step, 1)
            check_number("step", self.step, f"of at most {_MOST}", lambda n: n <= _MOST)
        if self.grid is not None:
            object.__setattr__(self, "grid", _whole_numbers("grid", self.grid))
            if len(self.grid) != 2:
                raise ValueError(f"grid must be two whole numbers, got {self.grid!r}")
        object.__setattr__(self, "bin_sizes", _whole_numbers("bin_sizes", self.bin_sizes))
        check_choice("window", self.window, ("flat", "gaussian"))
        check_choice("root", self.root, (True, False))
        check_choice("colour", self.colour, ("grey", "opponent"))
        check_number("contrast", self.contrast, "of at least 0", lambda contrast: contrast >= 0)

    @property
    def n_columns(self) -> int:
        """Values of a descriptor."""
        return _BLOCK * (3 if self.colour == "opponent" else 1)

    def compute(self, image: npt.ArrayLike) -> Descriptors:
        """Describe one image.

        Parameters
        ----------
        image : array-like of shape (height, width) or (height, width, 3)
            Grey or RGB; uint8, or floats in [0, 1]. A grey image has no contrast in colours.

        Returns
        -------
        Descriptors
            Without any patch if the image is too small for every scale.

        Raises
        ------
        ValueError
            If the image has another shape or type, or a number that is not in [0, 1].
        """
        planes, height, width = _planes(image, self.colour)
        places = patch_grid(height, width, self.bin_sizes, grid=self.grid, step=self.step)
        counts = [len(rows) * len(columns) for rows, columns in places]
        values = np.empty((sum(counts), _BLOCK * len(planes)), dtype=np.uint8)
        flat = np.empty(len(values), dtype=bool)
        middles = np.empty((len(values), 2), dtype=np.float32)
        end = 0
        for size, count, (rows, columns) in zip(self.bin_sizes, counts, places, strict=True):
            if count == 0:
                continue
            part = slice(end, end + count)
            end += count
            middles[part, 0] = np.repeat(centres(rows, size), len(columns))
            middles[part, 1] = np.tile(centres(columns, size), len(rows))
            filters = smoothing_kernel(size), *bin_kernels(size, self.window)
            where = first_bins(rows, size), first_bins(columns, size)
            # The intensity comes last, and its answer stays.
            for k in reversed(range(len(planes))):
                out = values[part, k * _BLOCK : (k + 1) * _BLOCK]
                _dense_sift.descriptors(
                    planes[k],
                    width,
                    *filters,
                    *where,
                    self.contrast,
                    self.root,
                    out,
                    flat[part].view(np.uint8),
                )
        values[flat] = 0
        sizes = np.repeat(np.array(self.bin_sizes, dtype=np.float32), counts)
        return Descriptors(values, middles, sizes, flat)


@lru_cache(maxsize=64)
def smoothing_kernel(bin_size: int) -> Float32Array:
    """Half of the Gaussian of a sixth of a bin, from the middle to 3 standard deviations."""
    sigma = _SMOOTHING * bin_size
    if sigma < _LEAST_SMOOTHING:
        return _shared(np.ones(1))
    half = np.exp(-0.5 * (np.arange(np.ceil(3 * sigma) + 1) / sigma) ** 2)
    return _shared(half / (2 * half.sum() - half[0]))


@lru_cache(maxsize=64)
def bin_kernels(
    bin_size: int, window: str, spread: float = _WINDOW
) -> tuple[Float32Array, Float32Array]:
    """Kernels of the bins on one axis, and the bins' weights; `spread` is the window's, in bins.

    A triangle is linear interpolation between bins. The flat window has one triangle for all
    bins, weighted by the window's mean over the bin; otherwise each bin has its part of the
    window in its own.
    """
    distances = np.arange(1 - bin_size, bin_size) / bin_size
    triangle = 1 - np.abs(distances)
    bins = np.arange(4) - 1.5
    gaussian = np.exp(-0.5 * ((bins[:, None] + distances) / spread) ** 2)
    if window == "flat":
        kernels, weights = triangle[None], gaussian.mean(1)
    else:
        kernels, weights = triangle * gaussian, np.ones(4)
    return _shared(kernels), _shared(weights)


def _shared(values: Float64Array) -> Float32Array:
    """As float32 that nobody can change, since the next image has it as well."""
    array = values.astype(np.float32)
    array.flags.writeable = False
    return array


def _whole_numbers(name: str, values: Any) -> tuple[int, ...]:
    try:
        numbers = tuple(values)
    except TypeError:
        numbers = ()
    if not numbers or isinstance(values, str):
        raise ValueError(f"{name} must be whole numbers, got {values!r}")
    for number in numbers:
        check_whole(name, number, 1)
        check_number(name, number, f"of at most {_MOST}", lambda n: n <= _MOST)
    return tuple(int(number) for number in numbers)


def _planes(image: npt.ArrayLike, colour: str) -> tuple[list[Float32Array], int, int]:
    """Planes between 0 and 1 in rows filled up for the kernel, and height and width."""
    pixels = np.asarray(image)
    if pixels.ndim not in (2, 3) or (pixels.ndim == 3 and pixels.shape[2] != 3):
        raise ValueError(
            f"image must have shape (height, width) or (height, width, 3), got {pixels.shape}"
        )
    if pixels.dtype == np.uint8:
        scale = 1 / 255
    elif np.issubdtype(pixels.dtype, np.floating):
        scale = 1.0
        # NaN is in no range.
        if pixels.size and not (pixels.min() >= -ROUNDING and pixels.max() <= 1 + ROUNDING):
            raise ValueError("image must have floats in [0, 1], without NaN")
    else:
        raise ValueError(f"image must be uint8 or floats in [0, 1], got {pixels.dtype}")
    height, width = pixels.shape[:2]
    stride = -(-max(width, 1) // _dense_sift.FLOATS) * _dense_sift.FLOATS

    def plane(*weighted: tuple[float, npt.NDArray[Any]]) -> Float32Array:
        filled = np.zeros((height, stride), dtype=np.float32)
        inner = filled[:, :width]
        for weight, channel in weighted:
            inner += np.multiply(channel, np.float32(scale * weight), dtype=np.float32)
        return filled

    if pixels.ndim == 2:
        grey = plane((1.0, pixels))
        return [grey] + [np.zeros_like(grey)] * (2 * (colour == "opponent")), height, width
    red, green, blue = (pixels[:, :, k] for k in range(3))
    planes = [plane(*zip(_INTENSITY, (red, green, blue), strict=True))]
    if colour == "opponent":
        half, sixth = 2**-0.5, 6**-0.5
        planes.append(plane((half, red), (-half, green)))
        planes.append(plane((sixth, red), (sixth, green), (-2 * sixth, blue)))
    return planes, height, width
