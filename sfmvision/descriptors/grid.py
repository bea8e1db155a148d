"""Positions of patches in an image."""

from collections.abc import Sequence

import numpy as np

from sfmcore.data.arrays import Float32Array, Int64Array


def patch_grid(
    height: int,
    width: int,
    bin_sizes: Sequence[int],
    *,
    grid: tuple[int, int] | None = None,
    step: int | None = None,
) -> list[tuple[Int64Array, Int64Array]]:
    """Place the patches of every scale: first pixels of their rows and of their columns.

    A patch is 4 bins wide and high, and lies in the image as a whole. Exactly one of `grid` and
    `step` must be given.

    Parameters
    ----------
    height, width : int
        Of the image, in pixels.
    bin_sizes : sequence of int
        Pixels of a spatial bin, one for each scale.
    grid : tuple of two ints, optional
        Rows and columns of patches, spread evenly over where they fit.
    step : int, optional
        Pixels from one patch to the next. All scales then lie on the lattice of the largest that
        fits, which starts in the upper left corner; smaller ones have more of it.

    Returns
    -------
    list of tuples of two int64 arrays
        One for each scale, in order; both are empty if the patch does not fit.

    Examples
    --------
    >>> patch_grid(20, 30, [4, 6], grid=(2, 3))
    [(array([0, 4]), array([ 0,  7, 14])), (array([], dtype=int64), array([], dtype=int64))]
    >>> [(rows.tolist(), columns.tolist()) for rows, columns in patch_grid(24, 30, [4, 6], step=4)]
    [([0, 4, 8], [0, 4, 8, 12]), ([0], [0, 4])]
    """
    fitting = [size for size in bin_sizes if 4 * size <= min(height, width)]
    none = np.zeros(0, dtype=np.int64)
    places = []
    for size in bin_sizes:
        if size not in fitting:
            places.append((none, none))
        elif grid is not None:
            rows, columns = (
                _spread(length - 4 * size, count)
                for length, count in zip((height, width), grid, strict=True)
            )
            places.append((rows, columns))
        elif step is not None:
            # Half pixels, since the centre of a patch of odd bins lies between two.
            start = (_doubled_centre(max(fitting)) - _doubled_centre(size)) // 2 % step
            rows, columns = (
                np.arange(start, length - 4 * size + 1, step, dtype=np.int64)
                for length in (height, width)
            )
            places.append((rows, columns))
        else:
            raise ValueError("one of grid and step must be given")
    return places


def first_bins(first_pixels: Int64Array, bin_size: int) -> Int64Array:
    """Pixels where the first bins of patches have their centres."""
    return first_pixels + bin_size // 2


def centres(first_pixels: Int64Array, bin_size: int) -> Float32Array:
    """Centres of patches, between the second and the third bin's.

    Whole pixels for an even `bin_size`, otherwise between two pixels.
    """
    return (first_pixels + _doubled_centre(bin_size) / 2).astype(np.float32)


def _doubled_centre(bin_size: int) -> int:
    return 2 * (bin_size // 2) + 3 * bin_size


def _spread(room: int, count: int) -> Int64Array:
    """`count` whole numbers from 0 to `room`; a single one stands in the middle."""
    parts = np.arange(count) / (count - 1) if count > 1 else np.array([0.5])
    return np.floor(parts * room + 0.5).astype(np.int64)
