"""The data term of J(u): risks and gradient in one pass over the features.

Sums over rows are taken in chunks that depend on the data only, and added chunk by chunk, so
that the result has the same bits for any number of threads.
"""

import numpy as np

from cython.parallel cimport prange
from libc.stdint cimport int8_t, int64_t

ctypedef fused real:
    float
    double


cdef extern from "sfm_objective.h" nogil:
    ctypedef struct sfm_risks:
        double risk
        double disagreement
        double tandem

    void sfm_scores_float(const float *, int64_t, int64_t, int64_t, const double *, double *)
    void sfm_scores_double(const double *, int64_t, int64_t, int64_t, const double *, double *)
    void sfm_risks_float(const float *, int64_t, int64_t, int64_t, const int8_t *,
                         const double *, const double *, int, sfm_risks *, double *)
    void sfm_risks_double(const double *, int64_t, int64_t, int64_t, const int8_t *,
                          const double *, const double *, int, sfm_risks *, double *)


# Rows of a chunk at least: the buffers of the partial gradients stay small beside the rows.
CHUNK = 256
MAX_CHUNKS = 256


def scores(const real[:, ::1] features, const double[::1] u, int n_threads):
    """Scores u . phi of every row.

    Parameters
    ----------
    features : ndarray of shape (n_rows, n_features), float32 or float64  # IN
    u : ndarray of shape (n_features,)  # IN
    n_threads : int

    Returns
    -------
    ndarray of shape (n_rows,)
        A row's score does not depend on the other rows, to the last bit.

    Raises
    ------
    ValueError
        If `u` has another length than the rows.
    """
    cdef int64_t n_rows = features.shape[0], n_columns = features.shape[1]
    cdef int64_t n_chunks = (n_rows + CHUNK - 1) // CHUNK
    cdef int64_t size = CHUNK
    cdef int64_t chunk, first
    result = np.zeros(n_rows)
    cdef double[::1] out = result
    if u.shape[0] != n_columns:
        raise ValueError(f"u has {u.shape[0]} weights for {n_columns} features")
    if n_threads < 1:
        raise ValueError(f"n_threads must be at least 1, got {n_threads}")
    if n_rows == 0 or n_columns == 0:
        return result
    for chunk in prange(n_chunks, nogil=True, schedule="static", num_threads=n_threads):
        first = chunk * size
        if real is float:
            sfm_scores_float(&features[first, 0], n_columns, min(size, n_rows - first),
                             n_columns, &u[0], &out[first])
        else:
            sfm_scores_double(&features[first, 0], n_columns, min(size, n_rows - first),
                              n_columns, &u[0], &out[first])
    return result


def risks(const real[:, ::1] features, const int8_t[::1] signs, const double[::1] weights,
          const double[::1] u, bint convex, int n_threads):
    """Weighted risks of the Gibbs classifier N(u, I), and the gradient of the data term.

    With a = u . phi and Phi the upper tail of the normal distribution, a labelled row (sign +1
    or -1) adds weight * Phi(sign a) to the Gibbs risk and weight * Phi(sign a)^2 to the tandem
    loss; an unlabelled row (sign 0) adds weight * 2 Phi(a) Phi(-a) to the disagreement.

    Parameters
    ----------
    features : ndarray of shape (n_rows, n_features), float32 or float64  # IN
    signs : ndarray of shape (n_rows,), dtype int8  # IN
    weights : ndarray of shape (n_rows,)  # IN
    u : ndarray of shape (n_features,)  # IN
    convex : bool
        Replace Phi below 0 by its tangent (an upper bound, convex), and leave out the
        unlabelled rows.
    n_threads : int

    Returns
    -------
    risk, disagreement, tandem : float
    gradient : ndarray of shape (n_features,)
        Of risk + disagreement / 2.

    Raises
    ------
    ValueError
        If shapes disagree.
    """
    cdef int64_t n_rows = features.shape[0], n_columns = features.shape[1]
    if u.shape[0] != n_columns:
        raise ValueError(f"u has {u.shape[0]} weights for {n_columns} features")
    if n_threads < 1:
        raise ValueError(f"n_threads must be at least 1, got {n_threads}")
    if signs.shape[0] != n_rows or weights.shape[0] != n_rows:
        raise ValueError("signs and weights must have one value for each row")
    cdef int64_t size = max(CHUNK, -(-n_rows // MAX_CHUNKS))
    cdef int64_t n_chunks = (n_rows + size - 1) // size
    cdef int64_t chunk, first
    if n_rows == 0 or n_columns == 0:
        return 0.0, 0.0, 0.0, np.zeros(n_columns)
    partial = np.zeros((n_chunks, n_columns))
    totals = np.zeros((n_chunks, 3))
    cdef double[:, ::1] gradients = partial
    cdef double[:, ::1] sums = totals
    for chunk in prange(n_chunks, nogil=True, schedule="static", num_threads=n_threads):
        first = chunk * size
        if real is float:
            sfm_risks_float(&features[first, 0], n_columns, min(size, n_rows - first), n_columns,
                            &signs[first], &weights[first], &u[0], convex,
                            <sfm_risks *> &sums[chunk, 0], &gradients[chunk, 0])
        else:
            sfm_risks_double(&features[first, 0], n_columns, min(size, n_rows - first),
                             n_columns, &signs[first], &weights[first], &u[0], convex,
                             <sfm_risks *> &sums[chunk, 0], &gradients[chunk, 0])
    gradient = partial[0].copy()
    total = totals[0].copy()
    for chunk in range(1, n_chunks):
        gradient += partial[chunk]
        total += totals[chunk]
    return float(total[0]), float(total[1]), float(total[2]), gradient
