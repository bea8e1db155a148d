"""The data term of J(u) over sparse rows; what it computes is in `_objective`.

Sums over rows are taken in chunks that depend on the data only, and added chunk by chunk, so
that the result has the same bits for any number of threads.
"""

import numpy as np

from cython.parallel cimport prange
from libc.stdint cimport int8_t, int32_t, int64_t
from libc.stdlib cimport free

from sfmcore.kernels cimport _simd
from sfmcore.kernels._native cimport sfm_alloc, sfm_follow
from sfmcore.kernels._objective cimport sfm_risks

sfm_follow(&_simd.width)


# Rows of a chunk at least, and chunks at most.
CHUNK = 256
MAX_CHUNKS = 64


cdef class SparseRows:
    """Rows of a matrix, of which the entries that are not zero are kept.

    Parameters
    ----------
    values : ndarray of shape (n_entries,), float32
    columns : ndarray of shape (n_entries,), int32
    offsets : ndarray of shape (n_rows + 1,), int64
        Where the entries of each row begin.
    n_columns : int

    Raises
    ------
    ValueError
        If lengths disagree, offsets fall, or a column is not one of the matrix.
    """

    cdef readonly int64_t n_rows
    cdef readonly int64_t n_columns
    cdef const float[::1] values
    cdef const int32_t[::1] columns
    cdef const int64_t[::1] offsets

    def __init__(self, values, columns, offsets, int64_t n_columns):
        n_entries = len(values)
        if len(columns) != n_entries:
            raise ValueError(f"{n_entries} values have {len(columns)} columns")
        n_offsets = len(offsets)
        if n_offsets == 0 or offsets[0] != 0 or offsets[n_offsets - 1] != n_entries:
            raise ValueError(f"offsets must go from 0 to {n_entries}, the number of values")
        if np.any(np.diff(offsets) < 0):
            raise ValueError("offsets must not fall")
        if n_entries and (np.min(columns) < 0 or np.max(columns) >= n_columns):
            raise ValueError(f"columns must be from 0 to {n_columns - 1}")
        self.values = values
        self.columns = columns
        self.offsets = offsets
        self.n_rows = n_offsets - 1
        self.n_columns = n_columns

    def _check(self, u, int n_threads):
        if len(u) != self.n_columns:
            raise ValueError(f"u has {len(u)} weights for {self.n_columns} features")
        if n_threads < 1:
            raise ValueError(f"n_threads must be at least 1, got {n_threads}")

    def scores(self, const double[::1] u, int n_threads):
        """Scores u . phi of every row.

        Parameters
        ----------
        u : ndarray of shape (n_columns,)  # IN
        n_threads : int
            All as in `_objective.scores`.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        self._check(u, n_threads)
        result = np.zeros(self.n_rows)
        if self.n_rows == 0 or self.values.shape[0] == 0:
            return result
        cdef double[::1] out = result
        cdef int64_t n_rows = self.n_rows, size = CHUNK, chunk, first
        cdef int64_t n_chunks = (n_rows + size - 1) // size
        cdef const float *values = &self.values[0]
        cdef const int32_t *columns = &self.columns[0]
        cdef const int64_t *offsets = &self.offsets[0]
        for chunk in prange(n_chunks, nogil=True, schedule="static", num_threads=n_threads):
            first = chunk * size
            sfm_sparse_scores(values, columns, offsets + first, min(size, n_rows - first), &u[0],
                              &out[first])
        return result

    def risks(self, const int8_t[::1] signs, const double[::1] weights, const double[::1] u,
              bint convex, int n_threads):
        """Weighted risks of the Gibbs classifier N(u, I), and the gradient of the data term.

        Parameters
        ----------
        signs : ndarray of shape (n_rows,), dtype int8  # IN
        weights : ndarray of shape (n_rows,)  # IN
        u : ndarray of shape (n_columns,)  # IN
        convex : bool
        n_threads : int
            All as in `_objective.risks`.

        Returns
        -------
        risk, disagreement, tandem : float
        gradient : ndarray of shape (n_columns,)
        """
        self._check(u, n_threads)
        if signs.shape[0] != self.n_rows or weights.shape[0] != self.n_rows:
            raise ValueError("signs and weights must have one value for each row")
        gradient = np.zeros(self.n_columns)
        if self.n_rows == 0 or self.n_columns == 0:
            return 0.0, 0.0, 0.0, gradient
        cdef double[::1] out = gradient
        cdef int64_t n_rows = self.n_rows, n_columns = self.n_columns, chunk, first, d
        cdef int64_t size = max(CHUNK, -(-n_rows // MAX_CHUNKS))
        cdef int64_t n_chunks = (n_rows + size - 1) // size
        # Rows that are all zero have no entry to point at.
        cdef const float *values = &self.values[0] if self.values.shape[0] else NULL
        cdef const int32_t *columns = &self.columns[0] if self.values.shape[0] else NULL
        cdef const int64_t *offsets = &self.offsets[0]
        cdef double risk = 0.0, disagreement = 0.0, tandem = 0.0
        cdef double *gradients = <double *> sfm_alloc(n_chunks * n_columns * sizeof(double))
        cdef sfm_risks *sums = <sfm_risks *> sfm_alloc(n_chunks * sizeof(sfm_risks))
        if gradients == NULL or sums == NULL:
            free(gradients)
            free(sums)
            raise MemoryError("no memory for the gradients")
        for chunk in prange(n_chunks, nogil=True, schedule="static", num_threads=n_threads):
            first = chunk * size
            sfm_sparse_risks(values, columns, offsets + first, min(size, n_rows - first),
                             n_columns, &signs[first], &weights[first], &u[0], convex,
                             &sums[chunk], &gradients[chunk * n_columns])
        for chunk in range(n_chunks):
            for d in range(n_columns):
                out[d] += gradients[chunk * n_columns + d]
            risk += sums[chunk].risk
            disagreement += sums[chunk].disagreement
            tandem += sums[chunk].tandem
        free(gradients)
        free(sums)
        return risk, disagreement, tandem, gradient
