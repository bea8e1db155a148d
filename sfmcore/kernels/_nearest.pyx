"""Nearest centre of rows of bytes, and the sums of the rows of each centre: steps of k-means.

All arithmetic is in whole numbers (see ``nearest/nearest.h``), so the results are exact: the same
for any vector width, order of rows and number of threads. Centres are rounded to 1/128.
"""

import numpy as np

from cython.parallel cimport prange
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t
from libc.stdlib cimport free
from libc.string cimport memset

from sfmcore.kernels cimport _simd
from sfmcore.kernels._native cimport sfm_alloc, sfm_follow

sfm_follow(&_simd.width)

# A centre's unit, and the most columns for which no score leaves 32 bits.
UNIT = 128
MAX_COLUMNS = 512


cdef int nearest_rows(const sfm_centres *centres, const uint8_t *values, int64_t first,
                      int64_t end, uint16_t *out) noexcept nogil:
    # Some rows more: a tile reads beyond the block's last row.
    cdef size_t size = (SFM_NEAREST_ROWS + 8) * 2 * <size_t> centres.n_pairs * sizeof(int16_t)
    cdef int16_t *wide = <int16_t *> sfm_alloc(size)
    if wide == NULL:
        return 1
    memset(wide, 0, size)
    while first < end:
        sfm_nearest_block(centres, values + first * centres.n_columns,
                          min(<int64_t> SFM_NEAREST_ROWS, end - first), wide, out + first)
        first += SFM_NEAREST_ROWS
    free(wide)
    return 0


cdef class Centres:
    """Centres as the search takes them.

    Parameters
    ----------
    centres : ndarray of shape (n_centres, n_columns), dtype int16  # IN
        In units of 1/128, less 128: -16384 to 16256. At most 65,535 centres of 512 columns.

    Raises
    ------
    ValueError
        If there is none, or too many, or a number is out of range.
    """

    cdef sfm_centres centres
    cdef readonly Py_ssize_t n_centres
    cdef readonly Py_ssize_t n_columns
    cdef object kept

    def __init__(self, const int16_t[:, ::1] centres):
        fixed = np.asarray(centres).astype(np.int64)
        V, D = fixed.shape
        if not (0 < V < 1 << 16 and 0 < D <= MAX_COLUMNS):
            raise ValueError(f"1 to 65,535 centres of 1 to {MAX_COLUMNS} columns, got {V} x {D}")
        if fixed.min() < -128 * UNIT or fixed.max() > 127 * UNIT:
            raise ValueError("a centre lies outside of 0 to 255")
        squares = (fixed**2).sum(1)
        # The offset drops squares % 256. Where two scores are equal the smaller rest is nearer,
        # so sorted by it, and then by number, the first is the nearest of all.
        order = np.lexsort((np.arange(V), squares % (2 * UNIT)))
        G, P = -(-V // SFM_NEAREST_GROUP), (D + 1) // 2
        padded = np.zeros((G * SFM_NEAREST_GROUP, 2 * P), dtype=np.int16)
        padded[:V, :D] = fixed[order]
        groups = padded.view(np.int32).reshape(G, SFM_NEAREST_GROUP, P)
        offsets = np.full(G * SFM_NEAREST_GROUP, np.iinfo(np.int32).min, dtype=np.int32)
        offsets[:V] = -(squares[order] // (2 * UNIT))
        numbers = np.zeros(G * SFM_NEAREST_GROUP, dtype=np.uint16)
        numbers[:V] = order
        # Copied to where a vector may be loaded from.
        cdef const int32_t[:, :, ::1] pair_view = _aligned(groups.transpose(0, 2, 1))
        cdef const int32_t[::1] offset_view = _aligned(offsets)
        cdef const uint16_t[::1] number_view = numbers
        self.kept = (centres, pair_view, offset_view, number_view)
        self.n_centres, self.n_columns = V, D
        self.centres.n_groups = G
        self.centres.n_pairs = P
        self.centres.n_columns = D
        self.centres.pair = &pair_view[0, 0, 0]
        self.centres.offset = &offset_view[0]
        self.centres.number = &number_view[0]

    def __reduce__(self):
        return Centres, (np.array(self.kept[0]),)

    def nearest(self, const uint8_t[:, ::1] values, int n_threads):
        """Number of the nearest centre of every row; the smaller of two that are equally near.

        Parameters
        ----------
        values : ndarray of shape (n_rows, n_columns), dtype uint8  # IN
        n_threads : int

        Returns
        -------
        ndarray of shape (n_rows,), dtype uint16

        Raises
        ------
        ValueError
            If the columns are not those of the centres.
        MemoryError
            If there is no memory for a block of rows.
        """
        # Chunks of whole blocks.
        cdef int64_t n_rows = values.shape[0], size = 10 * SFM_NEAREST_ROWS, chunk, first
        cdef int64_t n_chunks = (n_rows + size - 1) // size
        cdef const sfm_centres *centres = &self.centres
        cdef int failed = 0
        if values.shape[1] != self.n_columns:
            raise ValueError(f"rows of {values.shape[1]} columns, centres of {self.n_columns}")
        if n_threads < 1:
            raise ValueError(f"n_threads must be at least 1, got {n_threads}")
        numbers = np.empty(n_rows, dtype=np.uint16)
        if n_rows == 0:
            return numbers
        cdef uint16_t[::1] out = numbers
        for chunk in prange(n_chunks, nogil=True, schedule="dynamic", chunksize=1,
                            num_threads=n_threads):
            first = chunk * size
            failed += nearest_rows(centres, &values[0, 0], first, min(first + size, n_rows),
                                   &out[0])
        if failed:
            raise MemoryError("no memory for a block of rows")
        return numbers


def sums(const uint8_t[:, ::1] values, const uint16_t[::1] numbers, Py_ssize_t n_centres):
    """Sum of the rows of each centre, and their count.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns), dtype uint8  # IN
    numbers : ndarray of shape (n_rows,), dtype uint16  # IN
        Centre of each row, below `n_centres`.
    n_centres : int

    Returns
    -------
    total : ndarray of shape (n_centres, n_columns), dtype int64
    count : ndarray of shape (n_centres,), dtype int64

    Raises
    ------
    ValueError
        If the rows disagree, or a number is not below `n_centres`.
    """
    cdef Py_ssize_t n_rows = values.shape[0], row
    if numbers.shape[0] != n_rows or (n_rows > 0 and np.max(numbers) >= n_centres):
        raise ValueError("numbers must have one centre below n_centres for each row")
    total = np.zeros((n_centres, values.shape[1]), dtype=np.int64)
    count = np.bincount(numbers, minlength=n_centres).astype(np.int64)
    cdef int64_t[:, ::1] view = total
    if total.size:
        with nogil:
            for row in range(n_rows):
                sfm_add_bytes(&values[row, 0], values.shape[1], &view[numbers[row], 0])
    return total, count


def _aligned(array):
    """A copy in C order that begins at a multiple of 64 bytes."""
    raw = np.empty(array.nbytes + 64, dtype=np.uint8)
    start = -raw.ctypes.data % 64
    copy = raw[start:start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy
