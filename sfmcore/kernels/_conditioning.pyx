"""From raw features to the normalised ones that the classifier sees."""

from cython.parallel cimport prange
from libc.stdint cimport int64_t

from sfmcore.kernels cimport _simd
from sfmcore.kernels._native cimport sfm_follow

sfm_follow(&_simd.width)


def condition(const float[:, ::1] raw, const double[::1] rates, const double[::1] mean,
              const double[::1] inverse_scale, double clip, float[:, ::1] out,
              int n_threads):
    """Rows (raw * rate - mean) * inverse_scale, clipped, with 1 appended, of unit length.

    Parameters
    ----------
    raw : ndarray of shape (n_rows, n_features), dtype float32  # IN
    rates : ndarray of shape (n_rows,)  # IN
        Factor of a row: one over the item's length, or 1.
    mean, inverse_scale : ndarray of shape (n_features,)  # IN
    clip : float
        Bound of the absolute value; infinity for none.
    out : ndarray of shape (n_rows, n_features + 1), dtype float32  # OUT
    n_threads : int

    Raises
    ------
    ValueError
        If shapes disagree.
    """
    cdef int64_t n_rows = raw.shape[0], n_columns = raw.shape[1], row
    if rates.shape[0] != n_rows or out.shape[0] != n_rows or out.shape[1] != n_columns + 1:
        raise ValueError("raw, rates and out must have the same rows, out one column more")
    if mean.shape[0] != n_columns or inverse_scale.shape[0] != n_columns:
        raise ValueError("mean and inverse_scale must have one value for each feature")
    if n_threads < 1:
        raise ValueError(f"n_threads must be at least 1, got {n_threads}")
    if n_columns == 0:
        out[:, 0] = 1.0
    if n_rows == 0 or n_columns == 0:
        return
    for row in prange(n_rows, nogil=True, schedule="static", num_threads=n_threads):
        sfm_condition_row(&raw[row, 0], n_columns, rates[row], &mean[0], &inverse_scale[0], clip,
                          &out[row, 0])
