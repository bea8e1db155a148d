"""The data term of J(u): risks and gradient in one pass over the features.

Sums over rows are taken in chunks that depend on the data only, and added chunk by chunk, so
that the result has the same bits for any number of threads.
"""

import numpy as np

from cython.parallel cimport prange
from libc.stdint cimport int8_t, int64_t
from libc.stdlib cimport free

from sfmcore.kernels cimport _simd
from sfmcore.kernels._native cimport sfm_alloc, sfm_follow

sfm_follow(&_simd.width)

ctypedef fused real:
    float
    double


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
    if u.shape[0] != n_columns:
        raise ValueError(f"u has {u.shape[0]} weights for {n_columns} features")
    if n_threads < 1:
        raise ValueError(f"n_threads must be at least 1, got {n_threads}")
    result = np.zeros(n_rows)
    cdef double[::1] out = result
    if n_rows == 0 or n_columns == 0:
        return result
    cdef double *spread = sfm_spread(&u[0], n_columns)
    if spread == NULL:
        raise MemoryError("no memory for the weights")
    for chunk in prange(n_chunks, nogil=True, schedule="static", num_threads=n_threads):
        first = chunk * size
        if real is float:
            sfm_scores_float(&features[first, 0], n_columns, min(size, n_rows - first),
                             n_columns, spread, &out[first])
        else:
            sfm_scores_double(&features[first, 0], n_columns, min(size, n_rows - first),
                              n_columns, spread, &out[first])
    free(spread)
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
    n_threads
        As in :func:`scores`.

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
    cdef int64_t width = sfm_spread_width(n_columns)
    cdef int64_t chunk, first
    gradient = np.zeros(n_columns)
    cdef double[::1] out = gradient
    if n_rows == 0 or n_columns == 0:
        return 0.0, 0.0, 0.0, gradient
    cdef double *spread = sfm_spread(&u[0], n_columns)
    cdef double *gradients = <double *> sfm_alloc(n_chunks * width * sizeof(double))
    cdef sfm_risks *sums = <sfm_risks *> sfm_alloc(n_chunks * sizeof(sfm_risks))
    cdef sfm_risks total
    if spread == NULL or gradients == NULL or sums == NULL:
        free(spread)
        free(gradients)
        free(sums)
        raise MemoryError("no memory for the gradients")
    for chunk in prange(n_chunks, nogil=True, schedule="static", num_threads=n_threads):
        first = chunk * size
        if real is float:
            sfm_risks_float(&features[first, 0], n_columns, min(size, n_rows - first), n_columns,
                            &signs[first], &weights[first], spread, convex,
                            &sums[chunk], &gradients[chunk * width])
        else:
            sfm_risks_double(&features[first, 0], n_columns, min(size, n_rows - first),
                             n_columns, &signs[first], &weights[first], spread, convex,
                             &sums[chunk], &gradients[chunk * width])
    total = sfm_add_chunks(sums, gradients, n_chunks, n_columns, &out[0])
    free(spread)
    free(gradients)
    free(sums)
    return total.risk, total.disagreement, total.tandem, gradient


def add_divergence(double[::1] slope, const double[::1] u, const double[::1] prior_mean, double C,
                   double n_items):
    """KL(Q || P) of the weights, and the data term's slope made that of J(u) in place.

    The gradient of C * f(u) + |u - u_0|^2 / (2 m) from that of f.

    Parameters
    ----------
    slope : ndarray of shape (n_features,)  # IN, OUT
        Of the data term; then C * slope + (u - u_0) / m.
    u, prior_mean : ndarray of shape (n_features,)  # IN
    C, n_items : float

    Returns
    -------
    float
        |u - u_0|^2 / 2.

    Raises
    ------
    ValueError
        If lengths disagree.
    """
    cdef int64_t d, n = slope.shape[0]
    cdef double difference, total = 0.0, rate = 1.0 / n_items
    if u.shape[0] != n or prior_mean.shape[0] != n:
        raise ValueError(f"slope has {n} entries, u has {u.shape[0]}, prior_mean has "
                         f"{prior_mean.shape[0]}")
    for d in range(n):
        difference = u[d] - prior_mean[d]
        total += difference * difference
        slope[d] = C * slope[d] + rate * difference
    return 0.5 * total


def upper_tail_and_density(const double[::1] a):
    """Upper tail and density of the standard normal distribution, as `risks` takes them.

    Parameters
    ----------
    a : ndarray of shape (n,)  # IN

    Returns
    -------
    upper_tail, density : ndarray of shape (n,)
        Of relative error below 1e-14 up to 37, 0 beyond 37.6; NaN for NaN.
    """
    cdef int64_t n = a.shape[0]
    upper_tail, density = np.zeros(n), np.zeros(n)
    cdef double[::1] above = upper_tail
    cdef double[::1] slope = density
    if n > 0:
        sfm_normal_array(&a[0], n, &above[0], &slope[0])
    return upper_tail, density


def exponential(const double[::1] x):
    """exp(x) by the vector function of the kernels: 0 below -708.39, no denormals.

    Parameters
    ----------
    x : ndarray of shape (n,)  # IN

    Returns
    -------
    ndarray of shape (n,)
    """
    cdef int64_t n = x.shape[0]
    result = np.zeros(n)
    cdef double[::1] out = result
    if n > 0:
        sfm_exp_array(&x[0], n, &out[0])
    return result


def logarithm(const double[::1] x):
    """log(x) by the vector function of the kernels, for x >= 0: about -709.09 at 0.

    Parameters
    ----------
    x : ndarray of shape (n,)  # IN

    Returns
    -------
    ndarray of shape (n,)
    """
    cdef int64_t n = x.shape[0]
    result = np.zeros(n)
    cdef double[::1] out = result
    if n > 0:
        sfm_log_array(&x[0], n, &out[0])
    return result
