"""Layout of the words of an image: histograms over the cells of a grid, or of several."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sfmcore.data.arrays import Float32Array, Float64Array
from sfmcore.data.checks import check_whole

PYRAMID: tuple[tuple[int, int], ...] = ((1, 1), (2, 2), (4, 4))


def spatial_histogram(
    words: npt.NDArray[np.integer],
    centres: npt.NDArray[np.floating],
    shape: tuple[int, int],
    n_words: int,
    levels: Sequence[tuple[int, int]] = PYRAMID,
) -> Float32Array:
    """Histograms of an image's words over the cells of grids, one after the other.

    Counts are divided by the number of patches of the image, so every level sums to 1, and a cell
    shows how many of the patches it has. An image without patches gives zeros.

    Cells are half open: a patch on a border belongs to the cell that begins there, the one below
    or to the right. A patch on the image's own lower or right edge belongs to the last cell.

    Parameters
    ----------
    words : ndarray of shape (n_patches,), integers
        From 0 to ``n_words - 1``.
    centres : ndarray of shape (n_patches, 2)
        Row and column (y, x) of each patch, in pixels from the upper left corner.
    shape : (int, int)
        Height and width of the image, in pixels.
    n_words : int
        Number of words, the reserved one included (`Codebook.vocabulary_size`).
    levels : sequence of (int, int), default=((1, 1), (2, 2), (4, 4))
        Rows and columns of each grid.

    Returns
    -------
    ndarray of shape (histogram_size(n_words, levels),), float32
        By level, row of cells, column of cells, word.

    Raises
    ------
    ValueError
        If a word is out of range, a centre outside of the image, or a size below 1.

    References
    ----------
    S. Lazebnik, C. Schmid and J. Ponce, "Beyond bags of features: spatial pyramid matching for
    recognizing natural scene categories", CVPR (2006).

    Examples
    --------
    >>> words = np.array([0, 1, 1, 1])
    >>> centres = np.array([[1, 1], [1, 9], [9, 1], [9, 9]])
    >>> spatial_histogram(words, centres, (10, 10), 2, levels=((1, 1), (2, 1))).tolist()
    [0.25, 0.75, 0.25, 0.25, 0.0, 0.5]
    """
    height, width = shape
    check_whole("height", height, 1)
    check_whole("width", width, 1)
    n_patches = len(words)
    if words.shape != (n_patches,) or centres.shape != (n_patches, 2):
        raise ValueError(
            f"words and centres must have the shapes (n,) and (n, 2), got {words.shape} and "
            f"{centres.shape}"
        )
    result = np.zeros(histogram_size(n_words, levels), dtype=np.float32)
    if n_patches == 0:
        return result
    if words.min() < 0 or words.max() >= n_words:
        raise ValueError(f"words must be 0 to {n_words - 1}")
    places = np.asarray(centres, dtype=np.float64).T
    # Written so that NaN is refused too.
    if not (np.all(places >= 0) and np.all(places[0] <= height) and np.all(places[1] <= width)):
        raise ValueError("a centre lies outside of the image")
    cells = word_cells(words, centres, shape, n_words, levels)
    return np.asarray(
        np.bincount(cells.ravel(), minlength=len(result)) / n_patches, dtype=np.float32
    )


def word_cells(
    words: npt.NDArray[np.integer],
    centres: npt.NDArray[np.floating],
    shape: tuple[int, int],
    n_words: int,
    levels: Sequence[tuple[int, int]],
) -> npt.NDArray[np.intp]:
    """Columns of :func:`spatial_histogram` that every patch is counted in, one for each level.

    Parameters
    ----------
    words, centres, shape, n_words, levels
        As there.

    Returns
    -------
    ndarray of shape (n_levels, n_patches)
    """
    places = np.asarray(centres, dtype=np.float64).T
    out = np.empty((len(levels), len(words)), dtype=np.intp)
    first = 0
    for number, (n_rows, n_columns) in enumerate(levels):
        row = _cells(places[0], n_rows, shape[0])
        column = _cells(places[1], n_columns, shape[1])
        out[number] = first + (row * n_columns + column) * n_words + words
        first += n_rows * n_columns * n_words
    return out


def histogram_size(n_words: int, levels: Sequence[tuple[int, int]] = PYRAMID) -> int:
    """Length of a spatial histogram.

    Raises
    ------
    ValueError
        If there is no level, or a number is below 1.

    Examples
    --------
    >>> histogram_size(201, ((1, 1), (2, 2), (4, 4)))
    4221
    """
    check_whole("n_words", n_words, 1)
    if len(levels) == 0:
        raise ValueError("levels must name at least one grid")
    for n_rows, n_columns in levels:
        check_whole("the rows of a level", n_rows, 1)
        check_whole("the columns of a level", n_columns, 1)
    return n_words * sum(n_rows * n_columns for n_rows, n_columns in levels)


def _cells(places: Float64Array, n_cells: int, size: int) -> npt.NDArray[np.intp]:
    """Number of the cell of each place along one axis."""
    cells = (places * n_cells / size).astype(np.intp)
    return np.minimum(cells, n_cells - 1)
