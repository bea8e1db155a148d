"""Inner products of rows, each with the same bits wherever its rows stand."""

import numpy as np

from cython.parallel cimport prange
from libc.stdint cimport int64_t

from sfmcore.kernels cimport _simd
from sfmcore.kernels._native cimport sfm_follow

sfm_follow(&_simd.width)


def products(const float[:, ::1] rows, const float[:, ::1] points, float[:, ::1] out,
             int n_threads):
    """Products rows . points^T, accumulated in single precision.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_columns), dtype float32  # IN
    points : ndarray of shape (n_points, n_columns), dtype float32  # IN
    out : ndarray of shape (n_rows, n_points), dtype float32  # OUT
    n_threads : int

    Raises
    ------
    ValueError
        If shapes disagree.
    """
    cdef int64_t n_rows = rows.shape[0], n_points = points.shape[0], n_columns = rows.shape[1]
    if points.shape[1] != n_columns:
        raise ValueError("rows and points must have the same columns")
    if out.shape[0] != n_rows or out.shape[1] != n_points:
        raise ValueError("out must have one row for each row and one column for each point")
    if n_threads < 1:
        raise ValueError(f"n_threads must be at least 1, got {n_threads}")
    if n_rows == 0 or n_points == 0:
        return
    if n_columns == 0:
        out[:, :] = 0.0
        return
    # A thread takes rows that lie together.
    cdef int64_t n_parts = min(<int64_t> n_threads, n_rows), part
    cdef float[:, ::1] scratch = np.empty((n_parts, SFM_PRODUCTS_SCRATCH), dtype=np.float32)
    for part in prange(n_parts, nogil=True, schedule="static", num_threads=n_threads):
        sfm_products_rows(&rows[0, 0], part * n_rows // n_parts, (part + 1) * n_rows // n_parts,
                          &points[0, 0], n_points, n_columns, &scratch[part, 0], &out[0, 0])
