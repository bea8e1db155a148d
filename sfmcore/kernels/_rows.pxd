"""Rows of features that a kernel fills: float32, contiguous along a row."""

from libc.stdint cimport int64_t


cdef inline int64_t stride_of(out, rows, columns) except -1:
    """Floats from one row to the next, if `out` has these rows."""
    if out.dtype != "float32" or out.ndim != 2 or out.shape != (rows, columns):
        raise ValueError(f"out must be float32 of shape ({rows}, {columns})")
    if out.size and (out.strides[1] != 4 or out.strides[0] % 4):
        raise ValueError("out must be contiguous along its rows")
    return out.strides[0] // 4
