from libc.stdint cimport int64_t


cdef extern from "lbfgs/descent.h" nogil:
    ctypedef int (*sfm_function)(void *, const double *, double *, double *) noexcept

    ctypedef struct sfm_descent_limits:
        int max_iter
        int max_search
        double tolerance
        double slope_tolerance
        double sufficient
        double curvature

    ctypedef struct sfm_descent:
        sfm_function evaluate
        void *context
        double value
        int64_t n_evaluations
        double *memory
        double *point

    int sfm_descent_begin(sfm_descent *, const double *, int64_t, double, int)
    int sfm_descent_look(sfm_descent *)
    int sfm_descent_run(sfm_descent *, const sfm_descent_limits *)
