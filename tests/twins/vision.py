"""Plain NumPy twins of the kernels: slow, short, and what the tests compare with."""

import numpy as np


def smooth(image: np.ndarray, smoothing: np.ndarray) -> np.ndarray:
    """Image under a symmetric kernel, given from the middle outwards, borders repeated."""
    kernel = np.concatenate([smoothing[:0:-1], smoothing]).astype(float)
    for axis in range(2):
        sides = [(0, 0), (0, 0)]
        sides[axis] = (len(smoothing) - 1,) * 2
        padded = np.pad(image.astype(float), sides, mode="edge")
        image = np.apply_along_axis(np.convolve, axis, padded, kernel, mode="valid")
    return image


def orientations(image: np.ndarray) -> np.ndarray:
    """Magnitude of the gradient, shared between the two nearest of eight orientations.

    Shape (8, height, width). Orientation o is o * 45 degrees counter-clockwise from the right.
    """
    down, right = (
        np.gradient(image, axis=k) if image.shape[k] > 1 else np.zeros(image.shape) for k in (0, 1)
    )
    place = np.arctan2(-down, right) / (np.pi / 4)
    distance = np.abs((place - np.arange(8)[:, None, None] + 4) % 8 - 4)
    return np.hypot(right, down) * np.maximum(0.0, 1.0 - distance)


def bin_filters(
    kernels: np.ndarray, weights: np.ndarray, first: np.ndarray, length: int
) -> np.ndarray:
    """Weight of every pixel of an axis in every bin, shape (n_patches, 4, length)."""
    reach = kernels.shape[1] // 2
    filters = np.zeros((len(first), 4, length + 2 * reach))
    for i, start in enumerate(first):
        for b in range(4):
            centre = start + b * (reach + 1)
            filters[i, b, centre : centre + 2 * reach + 1] = (
                kernels[b % len(kernels)].astype(float) * weights[b]
            )
    # What lies beyond the image counts for nothing.
    return filters[:, :, reach : reach + length]


def dense_sift_bins(
    image: np.ndarray,
    smoothing: np.ndarray,
    kernels: np.ndarray,
    weights: np.ndarray,
    rows: np.ndarray,
    columns: np.ndarray,
) -> np.ndarray:
    """Bins before any normalisation, shape (n_rows * n_columns, 128), float64."""
    planes = orientations(smooth(image, smoothing))
    down = bin_filters(kernels, weights, rows, image.shape[0])
    across = bin_filters(kernels, weights, columns, image.shape[1])
    bins = np.einsum("ibh,ohw,jcw->ijbco", down, planes, across, optimize=True)
    return bins.reshape(-1, 128)


def sift_mass(bins: np.ndarray, bin_size: int) -> np.ndarray:
    """Sum of a patch's bins by the pixels its bins' centres span: what contrast refers to."""
    return bins.sum(1) / (3 * bin_size + 1) ** 2


def sift_normalise(bins: np.ndarray, root: bool) -> np.ndarray:
    """Unit length, clamped at 0.2, unit length again; or roots of the shares. Zeros stay."""
    lengths = np.linalg.norm(bins, axis=1, keepdims=True)
    unit = np.minimum(bins / np.where(lengths > 0, lengths, 1.0), 0.2)
    total = unit.sum(1, keepdims=True) if root else np.linalg.norm(unit, axis=1, keepdims=True)
    unit /= np.where(total > 0, total, 1.0)
    return np.sqrt(unit) if root else unit
