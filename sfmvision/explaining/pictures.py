"""Pictures of the images of a batch, as they were read."""

from typing import Any

import numpy as np
import numpy.typing as npt

from sfmvision.descriptors.batch import ImageBatch
from sfmvision.images.errors import ImageError
from sfmvision.images.reading import read_image


def picture_of(batch: ImageBatch, item: int) -> npt.NDArray[Any]:
    """Pixels of an image that was evaluated; grey ones where its file has gone since.

    Parameters
    ----------
    batch : ImageBatch
    item : int

    Returns
    -------
    ndarray of shape (height, width, 3)
    """
    source, describer = batch.sources[item], batch.describer
    if source.pixels is not None:
        pixels = source.pixels
        return np.repeat(pixels[:, :, None], 3, axis=2) if pixels.ndim == 2 else pixels
    try:
        return read_image(
            source.name,
            allow_truncated=describer.allow_truncated,
            max_pixels=describer.max_pixels,
        )
    except ImageError:
        return np.full((8, 8, 3), 128, dtype=np.uint8)
