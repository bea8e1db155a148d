"""SIFT descriptors of patches on a grid, by filtering the whole image.

The arithmetic stands in ``sift/sift.h``: one scale of one plane, on one thread.
"""

import numpy as np

from libc.stdint cimport int64_t, uint8_t

from sfmcore.kernels cimport _simd
from sfmcore.kernels._native cimport sfm_follow

sfm_follow(&_simd.width)

FLOATS = SFM_FLOATS
SIZE = SFM_SIFT_SIZE


def _check_centres(name, centres, bin_size, length):
    if not (np.all(np.diff(centres) >= 0) and centres.min() >= 0
            and centres.max() + 3 * bin_size < length):
        raise ValueError(f"{name} must be in order, and all four bins' centres in the image")


def descriptors(const float[:, ::1] plane, int64_t width, const float[::1] smoothing,
                const float[:, ::1] kernels, const float[::1] weights, const int64_t[::1] rows,
                const int64_t[::1] columns, float contrast, bint root, uint8_t[:, :] out,
                uint8_t[::1] flat):
    """Describe the patches of all pairs of a row and a column.

    A patch has 4 x 4 bins, as far from each other as the kernels say, and 8 orientations.

    Parameters
    ----------
    plane : ndarray of shape (height, stride), dtype float32  # IN
        The image, finite, with rows filled up to a multiple of 16 pixels.
    width : int
        Columns of the image.
    smoothing : ndarray of shape (radius + 1,), dtype float32  # IN
        Half of a symmetric kernel, from the middle outwards.
    kernels : ndarray of shape (1 or 4, 2 * bin - 1), dtype float32  # IN
        Weight of a pixel by its distance from the bin's centre, on one axis: one kernel for all
        bins, or one for each.
    weights : ndarray of shape (4,), dtype float32  # IN
        Of the bins, on one axis.
    rows, columns : ndarray of shape (n_rows,) and (n_columns,), dtype int64  # IN
        Pixels of the centres of the patches' first bins, in order.
    contrast : float
        A patch whose bins sum to less than this times (3 bin + 1)^2 is flat.
    root : bool
        Roots of the shares of the sum.
    out : ndarray of shape (n_rows * n_columns, 128), dtype uint8  # OUT
        Bin's row, bin's column, orientation. Rows may lie apart.
    flat : ndarray of shape (n_rows * n_columns,), dtype uint8  # OUT

    Raises
    ------
    ValueError
        If shapes disagree, or a bin's centre is not in the image.
    """
    cdef sfm_sift sift
    cdef int failed
    n_rows, n_columns = rows.shape[0], columns.shape[0]
    bin_size = (kernels.shape[1] + 1) // 2
    if not 0 < width <= plane.shape[1] or plane.shape[1] % FLOATS or plane.shape[0] == 0:
        raise ValueError("plane must have rows of a multiple of 16 pixels, at least width")
    if plane.shape[1] >= 1 << 27:
        raise ValueError("plane is too wide: places in a row of orientations have 32 bits")
    if smoothing.shape[0] == 0 or weights.shape[0] != 4:
        raise ValueError("smoothing must not be empty, and weights must be four")
    if kernels.shape[0] not in (1, 4) or kernels.shape[1] % 2 == 0:
        raise ValueError("kernels must be one or four, of odd length")
    if out.shape[0] != n_rows * n_columns or out.shape[1] != SIZE or (
            out.shape[0] and out.strides[1] != 1):
        raise ValueError("out must have 128 contiguous bytes for each patch")
    if flat.shape[0] != n_rows * n_columns:
        raise ValueError("flat must have one value for each patch")
    if n_rows == 0 or n_columns == 0:
        return
    _check_centres("rows", np.asarray(rows), bin_size, plane.shape[0])
    _check_centres("columns", np.asarray(columns), bin_size, width)
    sift.plane = sfm_plane(plane.shape[0], width, plane.shape[1], &plane[0, 0])
    sift.bin = bin_size
    sift.radius = smoothing.shape[0] - 1
    sift.smoothing = &smoothing[0]
    sift.n_kernels = kernels.shape[0]
    sift.kernels = &kernels[0, 0]
    sift.weights = &weights[0]
    sift.n_rows = n_rows
    sift.n_columns = n_columns
    sift.rows = &rows[0]
    sift.columns = &columns[0]
    sift.contrast = contrast
    sift.root = root
    sift.out_stride = out.strides[0]
    sift.out = &out[0, 0]
    sift.flat = &flat[0]
    with nogil:
        failed = not sfm_sift_run(&sift)
    if failed:
        raise MemoryError("no memory for the rows of orientations")
