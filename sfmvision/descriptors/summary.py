"""What an image is like as a whole, by numbers in which nothing is learnt."""

import numpy as np

from sfmcore.data.arrays import Float32Array
from sfmvision.descriptors.batch import Described

_CHANNELS = 3


def summary_size(n_columns: int) -> int:
    """Length of a :func:`summary`.

    Parameters
    ----------
    n_columns : int
        Of the descriptors.
    """
    return 2 * n_columns + 1 + 3 * _CHANNELS


def summary(described: Described) -> Float32Array:
    """Means and deviations of an image's descriptors and colours.

    Words and moments fit the images that they were learnt from better than others, so distances
    between them say of a training image that it is more typical than a new one. These do not.

    Parameters
    ----------
    described : Described

    Returns
    -------
    ndarray of shape (2 * n_columns + 10,), float32
        Mean of every column of the descriptors, and its standard deviation; the share of flat
        patches; of every channel the mean, the standard deviation of the cells' means, and the mean
        deviation within cells. Descriptors from 0 to 255, channels from 0 to 1.

    Examples
    --------
    >>> from sfmvision.descriptors.batch import Describer, InMemory
    >>> from sfmvision.descriptors.dense_sift import DenseSIFT
    >>> sift = DenseSIFT(grid=None, step=8, bin_sizes=(4,))
    >>> describer = Describer(sift, None, False, 10**6, InMemory())
    >>> image = np.full((40, 40, 3), 51, dtype=np.uint8)
    >>> found = summary(describer.describe(describer.source(image)))
    >>> print(found.shape, found[-10:].round(2))
    (266,) [1.  0.2 0.2 0.2 0.  0.  0.  0.  0.  0. ]
    """
    values = described.values
    # Whole numbers first: a sum of squares of bytes is exact.
    sums = values.sum(axis=0, dtype=np.int64)
    squares = np.square(values, dtype=np.uint16).sum(axis=0, dtype=np.int64)
    n = max(len(values), 1)
    means = sums / n
    deviations = np.sqrt(np.maximum(squares / n - means**2, 0.0))
    flat = np.mean(described.flat) if len(described.flat) else 1.0
    cells = described.cells.reshape(-1, 2 * _CHANNELS).astype(np.float64)
    if not len(cells):
        cells = np.zeros((1, 2 * _CHANNELS))
    level, square = cells[:, :_CHANNELS], cells[:, _CHANNELS:]
    within = np.sqrt(np.maximum(square - level**2, 0.0)).mean(axis=0)
    parts = [means, deviations, [flat], level.mean(axis=0), level.std(axis=0), within]
    return np.concatenate(parts).astype(np.float32)
