"""Descriptors of the mirrored image, from those of the image itself."""

from typing import Any

import numpy as np
import numpy.typing as npt


def mirrored_sift(n_columns: int) -> npt.NDArray[np.intp]:
    """Columns of dense SIFT in the order that they have where left and right are exchanged.

    Bins change their side, and an orientation o becomes 180 degrees minus o.

    Parameters
    ----------
    n_columns : int
        128 for each plane.

    Examples
    --------
    >>> order = mirrored_sift(128)
    >>> bool(np.array_equal(order[order], np.arange(128)))
    True
    """
    block = np.arange(128).reshape(4, 4, 8)[:, ::-1][:, :, (4 - np.arange(8)) % 8].ravel()
    return (block + np.arange(0, n_columns, 128)[:, None]).ravel()


def mirrored_colours() -> npt.NDArray[np.intp]:
    """The same for the columns of :func:`sfmvision.descriptors.colours.colour_patches`."""
    return np.arange(96).reshape(4, 4, 6)[:, ::-1].ravel()


def with_mirror(
    values: npt.NDArray[Any], places: npt.NDArray[Any], order: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Patches of an image and of its mirror image; the second place is the column, around 0."""
    other = places.copy()
    other[:, 1] *= -1
    return np.concatenate([values, values[:, order]]), np.concatenate([places, other])
