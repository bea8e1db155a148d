"""Local colour statistics: mean and deviation of red, green and blue around a place."""

import numpy as np
import numpy.typing as npt

from sfmcore.data.arrays import Float32Array

CELL = 8
"""Pixels of a cell, and from one patch to the next."""
N_COLUMNS = 96
"""Values of a patch: 4 x 4 parts, three means and three deviations of each."""
_PARTS = 4
_SIZES = (1, 2)


def colour_cells(image: npt.NDArray[np.uint8] | npt.NDArray[np.floating]) -> Float32Array:
    """Means of the channels and of their squares, in cells of 8 x 8 pixels.

    Parameters
    ----------
    image : ndarray of shape (height, width) or (height, width, 3)
        uint8, or floats from 0 to 1. What is left over at the right and lower edge is not seen.

    Returns
    -------
    ndarray of shape (height // 8, width // 8, 6), float32

    Examples
    --------
    >>> colour_cells(np.full((17, 8, 3), 255, dtype=np.uint8)).tolist()
    [[[1.0, 1.0, 1.0, 1.0, 1.0, 1.0]], [[1.0, 1.0, 1.0, 1.0, 1.0, 1.0]]]
    """
    scale = np.float32(1 / 255 if image.dtype == np.uint8 else 1.0)
    planes = image if image.ndim == 3 else np.repeat(image[:, :, None], 3, axis=2)
    rows, columns = planes.shape[0] // CELL, planes.shape[1] // CELL
    inner = planes[: rows * CELL, : columns * CELL].astype(np.float32) * scale
    blocks = inner.reshape(rows, CELL, columns, CELL, 3)
    return np.concatenate([blocks.mean((1, 3)), (blocks**2).mean((1, 3))], axis=-1)


def colour_patches(cells: Float32Array) -> tuple[Float32Array, Float32Array]:
    """Patches of 32 and of 64 pixels, one every 8 pixels, and their places.

    Parameters
    ----------
    cells : ndarray of shape (n_rows, n_columns, 6), float32
        From :func:`colour_cells`.

    Returns
    -------
    values : ndarray of shape (n_patches, 96), float32
        Row and column of the part, then means and deviations of red, green and blue. None for
        an image that is smaller than a patch.
    places : ndarray of shape (n_patches, 3), float32
        Centre's row and column, from -0.5 to 0.5 of the image, and the size's logarithm.

    References
    ----------
    S. Clinchant et al., "XRCE's participation to ImagEval", ImagEval workshop (2007).

    Examples
    --------
    >>> values, places = colour_patches(colour_cells(np.zeros((40, 32, 3), dtype=np.uint8)))
    >>> values.shape, (10 * places[:, 0]).round().tolist()
    ((2, 96), [-1.0, 1.0])
    """
    values = [np.empty((0, N_COLUMNS), dtype=np.float32)]
    places = [np.empty((0, 3), dtype=np.float32)]
    for size in _SIZES:
        n_rows, n_columns = (side - _PARTS * size + 1 for side in cells.shape[:2])
        if n_rows < 1 or n_columns < 1:
            continue
        parts = _statistics(cells, size)
        grid = [
            parts[r * size : r * size + n_rows, c * size : c * size + n_columns]
            for r in range(_PARTS)
            for c in range(_PARTS)
        ]
        values.append(np.stack(grid, axis=2).reshape(n_rows * n_columns, N_COLUMNS))
        middles = [
            (np.arange(count) + _PARTS * size / 2) / side - 0.5
            for count, side in zip((n_rows, n_columns), cells.shape[:2], strict=True)
        ]
        where = np.empty((n_rows * n_columns, 3), dtype=np.float32)
        where[:, 0] = np.repeat(middles[0], n_columns)
        where[:, 1] = np.tile(middles[1], n_rows)
        where[:, 2] = np.log(size)
        places.append(where)
    return np.concatenate(values), np.concatenate(places)


def _statistics(cells: Float32Array, size: int) -> Float32Array:
    """Means and deviations over squares of `size` cells, one at every cell."""
    rows, columns = (side - size + 1 for side in cells.shape[:2])
    total = np.zeros((rows, columns, 6), dtype=np.float32)
    for r in range(size):
        for c in range(size):
            total += cells[r : r + rows, c : c + columns]
    total /= size * size
    means = total[..., :3]
    variances = np.maximum(total[..., 3:] - means**2, 0.0)
    return np.concatenate([means, np.sqrt(variances)], axis=-1)
