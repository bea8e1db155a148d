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
    gradient = np.zeros(n_columns)
    cdef double[::1] out = gradient
    if n_rows == 0 or n_columns == 0:
        return 0.0, 0.0, 0.0, gradient
    cdef DataTerm term
    cdef sfm_risks total
    term.floats = NULL
    term.doubles = NULL
    if real is float:
        term.floats = &features[0, 0]
    else:
        term.doubles = &features[0, 0]
    term.signs, term.weights = &signs[0], &weights[0]
    term.n_rows, term.n_columns, term.n_threads = n_rows, n_columns, n_threads
    take_memory(&term)
    with nogil:
        total = sum_risks(&term, &u[0], convex, &out[0])
        give_memory(&term)
    return total.risk, total.disagreement, total.tandem, gradient


cdef int take_memory(DataTerm *term) except -1:
    """Cut the rows into chunks, and take the memory for their sums."""
    cdef int64_t n_rows = term.n_rows
    term.size = max(CHUNK, -(-n_rows // MAX_CHUNKS))
    term.n_chunks = (n_rows + term.size - 1) // term.size
    term.width = sfm_spread_width(term.n_columns)
    term.spread = <double *> sfm_alloc(term.width * sizeof(double))
    term.gradients = <double *> sfm_alloc(term.n_chunks * term.width * sizeof(double))
    term.sums = <sfm_risks *> sfm_alloc(term.n_chunks * sizeof(sfm_risks))
    if term.spread == NULL or term.gradients == NULL or term.sums == NULL:
        give_memory(term)
        raise MemoryError("no memory for the gradients")
    return 0


cdef void give_memory(DataTerm *term) noexcept nogil:
    free(term.spread)
    free(term.gradients)
    free(term.sums)


cdef sfm_risks sum_risks(DataTerm *term, const double *u, bint convex,
                         double *gradient) noexcept nogil:
    """What `risks` returns, into memory that is there; at least one row and one column."""
    cdef int64_t chunk
    sfm_spread_to(u, term.n_columns, term.spread)
    if term.n_threads == 1:
        # Even a team of one thread takes longer to call than fifty rows to add.
        for chunk in range(term.n_chunks):
            sum_chunk(term, chunk, convex)
    else:
        for chunk in prange(term.n_chunks, schedule="static", num_threads=term.n_threads):
            sum_chunk(term, chunk, convex)
    return sfm_add_chunks(term.sums, term.gradients, term.n_chunks, term.n_columns, gradient)


cdef void sum_chunk(DataTerm *term, int64_t chunk, bint convex) noexcept nogil:
    cdef int64_t first = chunk * term.size, n_columns = term.n_columns
    cdef int64_t count = min(term.size, term.n_rows - first)
    if term.floats != NULL:
        sfm_risks_float(term.floats + first * n_columns, n_columns, count, n_columns,
                        term.signs + first, term.weights + first, term.spread, convex,
                        term.sums + chunk, term.gradients + chunk * term.width)
    else:
        sfm_risks_double(term.doubles + first * n_columns, n_columns, count, n_columns,
                         term.signs + first, term.weights + first, term.spread, convex,
                         term.sums + chunk, term.gradients + chunk * term.width)


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
    cdef int64_t n = slope.shape[0]
    if u.shape[0] != n or prior_mean.shape[0] != n:
        raise ValueError(f"slope has {n} entries, u has {u.shape[0]}, prior_mean has "
                         f"{prior_mean.shape[0]}")
    if n == 0:
        return 0.0
    return sfm_add_divergence(&slope[0], &u[0], &prior_mean[0], n, C, n_items)


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
