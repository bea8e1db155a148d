"""L-BFGS for functions of many variables without bounds, whose value costs little.

What SciPy's minimiser does around each value takes several times as long as J(u) of a few hundred
rows; here it takes a few microseconds. `_minimum` has the same descent for J(u) itself, without
Python between the values.
"""

import numpy as np

from cpython.ref cimport PyObject
from libc.math cimport isfinite
from libc.stdint cimport int64_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from sfmcore.kernels cimport _simd
from sfmcore.kernels._native cimport sfm_follow

sfm_follow(&_simd.width)


cdef class _Call:
    """A Python function, and what it raised."""

    cdef object function
    cdef int64_t n
    cdef object error

    def __cinit__(self, function, int64_t n):
        self.function = function
        self.n = n
        self.error = None

    cdef object copied(self, const double *point):
        """The point as an array of its own."""
        result = np.empty(self.n)
        cdef double[::1] view = result
        if self.n:
            memcpy(&view[0], point, self.n * sizeof(double))
        return result

    cdef int ask(self, const double *point, double *value, double *slope) noexcept:
        """Value and gradient at the point; 1 if there are none."""
        cdef const double[::1] view
        try:
            found, gradient = self.function(self.copied(point))
            view = gradient
            if view.shape[0] != self.n:
                raise ValueError(
                    f"the gradient has {view.shape[0]} entries for {self.n} variables"
                )
            value[0] = found
        except BaseException as error:
            self.error = error
            return 1
        if self.n:
            memcpy(slope, &view[0], self.n * sizeof(double))
        return 0


cdef int ask(void *context, const double *point, double *value, double *slope) noexcept:
    return (<_Call> <PyObject *> context).ask(point, value, slope)


def minimise(evaluate, const double[::1] start, double scale, int memory, int max_iter,
             double tolerance, double slope_tolerance, double sufficient, double curvature,
             int max_search):
    """Descend from a point to a local minimum of `scale` times a smooth function.

    Parameters
    ----------
    evaluate : callable
        Takes an array of shape (n,) of its own; returns the value, and the gradient as a float64
        array of shape (n,).
    start : ndarray of shape (n,)  # IN
    scale : float
        Factor of the function, above 0.
    memory : int
        Steps that the direction is made of, at least 1.
    max_iter : int
        Steps at most.
    tolerance : float
        Stop when a step lowers the scaled value by at most this share of it, or of 1.
    slope_tolerance : float
        Stop when no entry of the scaled gradient is larger.
    sufficient, curvature : float
        Constants of the strong Wolfe conditions, 0 < sufficient < curvature < 1.
    max_search : int
        Values of a line search at most.

    Returns
    -------
    x : ndarray of shape (n,)
    value : float
        Not scaled.
    n_iter, n_evaluations : int

    Raises
    ------
    ValueError
        If the value at the start is not finite, or a gradient has another length.
    """
    if memory < 1 or scale <= 0:
        raise ValueError(f"memory must be at least 1 and scale above 0, got {memory} and {scale}")
    cdef int64_t n = start.shape[0]
    cdef _Call call = _Call(evaluate, n)
    cdef sfm_descent descent
    cdef sfm_descent_limits limits = sfm_descent_limits(
        max_iter, max_search, tolerance, slope_tolerance, sufficient, curvature
    )
    descent.evaluate = <sfm_function> ask
    descent.context = <void *> <PyObject *> call
    if sfm_descent_begin(&descent, &start[0] if n else NULL, n, scale, memory):
        raise MemoryError("no memory for the descent")
    cdef int n_iter
    try:
        if sfm_descent_look(&descent):
            raise call.error
        if not isfinite(descent.value):
            raise ValueError(f"the value at the start is {descent.value}")
        n_iter = sfm_descent_run(&descent, &limits)
        if n_iter < 0:
            raise call.error
        return call.copied(descent.point), descent.value / scale, n_iter, descent.n_evaluations
    finally:
        free(descent.memory)
