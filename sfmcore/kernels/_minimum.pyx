"""A minimum of J(u) over dense rows: L-BFGS with the values in one call, without Python between.

Of fifty rows a value takes a microsecond, and to call it from Python several.
"""

import numpy as np

from libc.math cimport isfinite
from libc.stdint cimport int8_t, int64_t
from libc.string cimport memcpy
from libc.stdlib cimport free

from sfmcore.kernels cimport _simd
from sfmcore.kernels._lbfgs cimport (
    sfm_descent,
    sfm_descent_begin,
    sfm_descent_limits,
    sfm_descent_look,
    sfm_descent_run,
    sfm_function,
)
from sfmcore.kernels._native cimport sfm_follow
from sfmcore.kernels._objective cimport (
    DataTerm,
    give_memory,
    sfm_add_divergence,
    sfm_risks,
    sum_risks,
    take_memory,
)

sfm_follow(&_simd.width)

ctypedef fused real:
    float
    double


cdef struct Objective:
    DataTerm term
    const double *prior_mean
    double C
    double n_items
    bint convex


cdef int evaluate(void *context, const double *u, double *value, double *slope) noexcept nogil:
    """J(u) and its gradient, by the operations of `sfmcore.bounds.objective.Objective`."""
    cdef Objective *own = <Objective *> context
    cdef sfm_risks risks = sum_risks(&own.term, u, own.convex, slope)
    cdef double divergence = sfm_add_divergence(slope, u, own.prior_mean, own.term.n_columns,
                                                own.C, own.n_items)
    value[0] = own.C * (risks.risk + 0.5 * risks.disagreement) + divergence / own.n_items
    return 0


def minimise(const real[:, ::1] features, const int8_t[::1] signs, const double[::1] weights,
             const double[::1] prior_mean, double C, double n_items, bint convex,
             const double[::1] start, int memory, int max_iter, double tolerance,
             double slope_tolerance, double sufficient, double curvature, int max_search,
             int n_threads):
    """Descend from a point to a local minimum of J(u), or of its convex surrogate.

    Parameters
    ----------
    features, signs, weights, convex, n_threads
        As in `_objective.risks`; at least one row and one column.
    prior_mean : ndarray of shape (n_features,)  # IN
        u_0.
    C, n_items : float
        Those of J(u); what is minimised is `n_items` times J(u).
    start : ndarray of shape (n_features,)  # IN
    memory, max_iter, tolerance, slope_tolerance, sufficient, curvature, max_search
        As in `_lbfgs.minimise`.

    Returns
    -------
    u : ndarray of shape (n_features,)
    value : float
        J(u).
    n_iter, n_evaluations : int

    Raises
    ------
    ValueError
        If shapes disagree, there is no row or no column, or J(u) at the start is not finite.
    """
    cdef int64_t n_rows = features.shape[0], n_columns = features.shape[1]
    if start.shape[0] != n_columns or prior_mean.shape[0] != n_columns:
        raise ValueError(f"start has {start.shape[0]} weights and prior_mean "
                         f"{prior_mean.shape[0]} for {n_columns} features")
    if signs.shape[0] != n_rows or weights.shape[0] != n_rows:
        raise ValueError("signs and weights must have one value for each row")
    if n_rows == 0 or n_columns == 0:
        raise ValueError("there must be a row and a column")
    if n_threads < 1:
        raise ValueError(f"n_threads must be at least 1, got {n_threads}")
    if memory < 1 or n_items <= 0:
        raise ValueError(f"memory must be at least 1 and n_items above 0, got {memory} and "
                         f"{n_items}")
    cdef Objective own
    own.term.floats = NULL
    own.term.doubles = NULL
    if real is float:
        own.term.floats = &features[0, 0]
    else:
        own.term.doubles = &features[0, 0]
    own.term.signs, own.term.weights = &signs[0], &weights[0]
    own.term.n_rows, own.term.n_columns, own.term.n_threads = n_rows, n_columns, n_threads
    own.prior_mean, own.C, own.n_items, own.convex = &prior_mean[0], C, n_items, convex
    cdef sfm_descent descent
    cdef sfm_descent_limits limits = sfm_descent_limits(
        max_iter, max_search, tolerance, slope_tolerance, sufficient, curvature
    )
    cdef int n_iter = 0
    cdef bint begun
    descent.evaluate = <sfm_function> evaluate
    descent.context = &own
    result = np.empty(n_columns)
    cdef double[::1] found = result
    take_memory(&own.term)
    if sfm_descent_begin(&descent, &start[0], n_columns, n_items, memory):
        give_memory(&own.term)
        raise MemoryError("no memory for the descent")
    with nogil:
        sfm_descent_look(&descent)
        begun = isfinite(descent.value)
        if begun:
            n_iter = sfm_descent_run(&descent, &limits)
        memcpy(&found[0], descent.point, n_columns * sizeof(double))
        free(descent.memory)
        give_memory(&own.term)
    if not begun:
        raise ValueError(f"the value at the start is {descent.value / n_items}")
    return result, descent.value / n_items, n_iter, descent.n_evaluations
