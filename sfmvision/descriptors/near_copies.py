"""Images that show nearly the same: saved again, of another size, brighter, or a little cropped."""

import cv2
import numpy as np

from sfmcore.data.arrays import Float32Array, Float64Array
from sfmcore.data.near_pairs import NearPairs
from sfmcore.kernels import _products
from sfmvision.descriptors.batch import Described, ImageBatch
from sfmvision.descriptors.streaming import for_each_image

SIMILARITY = 0.9
"""Cosine of the brightness gradients of two small copies of the images, at least.

Of 700 scenes no two different ones had more than 0.69; copies as JPEG of quality 50 and of half or
one and a half times the size had 0.99 or more, and those of 1.25 times the brightness 0.96 or more.
Those that lost 3 % at every side had 0.75 to 0.95: only some of these are found.
"""

# Rows and columns of the small copies.
_SIDE = 16
# Images that are compared with all later ones at a time.
_BLOCK = 256
# Of similarities, after the point.
_DIGITS = 4


def near_copies(batch: ImageBatch, *, n_threads: int = 1, show_progress: bool = False) -> NearPairs:
    """Find pairs of images that are alike at low resolution, whatever their size and contrast.

    An image is reduced to 16 x 16 places; the differences of the brightness of neighbours are its
    vector, and two images are alike if the cosine of theirs is at least :data:`SIMILARITY`. Images
    that are mirrored, turned or cropped by more than a little are not alike.

    Parameters
    ----------
    batch : ImageBatch
    n_threads : int, default=1
        The result does not depend on it.
    show_progress : bool, default=False

    Returns
    -------
    NearPairs
        Sorted; an image without any contrast is like none.

    Examples
    --------
    >>> from sfmvision.preparation import ScenePreparation
    >>> first = np.kron(np.random.default_rng(0).random((16, 16)), np.ones((16, 16)))
    >>> images = [first, first.T, first[::2, ::2] / 2]
    >>> found = near_copies(ScenePreparation().encode(images, estimator=None))
    >>> found.first.tolist(), found.second.tolist()
    ([0], [2])
    """
    vectors = np.zeros((len(batch), 2 * _SIDE * (_SIDE - 1)), dtype=np.float32)

    def keep(number: int, image: Described) -> None:
        vectors[number] = _gradients(image.cells)

    for_each_image(
        batch.sources,
        batch.describer,
        keep,
        n_threads=n_threads,
        show_progress=show_progress,
        description="comparing",
    )
    parts = [NearPairs()]
    for start in range(0, len(vectors), _BLOCK):
        block, others = vectors[start : start + _BLOCK], vectors[start:]
        cosines = np.empty((len(block), len(others)), dtype=np.float32)
        _products.products(block, others, cosines, n_threads)
        similarity: Float64Array = np.minimum(cosines, 1.0).astype(np.float64)
        similarity = similarity.round(_DIGITS)
        later = np.arange(len(others)) > np.arange(len(block))[:, None]
        rows, columns = np.nonzero((similarity >= SIMILARITY) & later)
        parts.append(NearPairs(rows + start, columns + start, similarity[rows, columns]))
    return NearPairs(
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("first", "second", "similarity")
        )
    )


def _gradients(cells: Float32Array) -> Float32Array:
    """Differences of neighbours in a small copy, as a vector of length 1, or 0 without contrast.

    Parameters
    ----------
    cells : ndarray of shape (n_rows, n_columns, 6), float32
        See :func:`sfmvision.descriptors.colours.colour_cells`.
    """
    if cells.size == 0:
        return np.zeros(2 * _SIDE * (_SIDE - 1), dtype=np.float32)
    brightness = np.ascontiguousarray(cells[:, :, :3].mean(axis=2))
    small = cv2.resize(brightness, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA)
    steps = np.concatenate([np.diff(small, axis=0).ravel(), np.diff(small, axis=1).ravel()])
    length = np.sqrt(np.sum(steps.astype(np.float64) ** 2))
    # What rounding left of an even surface is no contrast.
    return np.asarray(steps / length if length > 1e-4 else 0.0 * steps, dtype=np.float32)
