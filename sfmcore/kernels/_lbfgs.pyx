"""L-BFGS for functions of many variables without bounds, whose value costs little.

What SciPy's minimiser does around each value takes several times as long as J(u) of a few hundred
rows; here it takes a few microseconds.
"""

import numpy as np

from libc.math cimport fabs, isfinite, sqrt
from libc.stdint cimport int64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from sfmcore.kernels cimport _simd
from sfmcore.kernels._native cimport SFM_LANES, sfm_alloc, sfm_follow

sfm_follow(&_simd.width)


cdef struct Place:
    # A step along the direction, with the value and the derivative there.
    double step
    double value
    double derivative


cdef double between(Place a, Place b) noexcept nogil:
    """Where the cubic through two places is lowest, kept away from both; else the middle."""
    cdef double gap = b.step - a.step
    cdef double slope = a.derivative + b.derivative - 3.0 * (b.value - a.value) / gap
    cdef double inside = slope * slope - a.derivative * b.derivative
    cdef double root, share
    if isfinite(b.value) and isfinite(inside) and inside >= 0.0:
        root = sqrt(inside) if gap > 0.0 else -sqrt(inside)
        share = 1.0 - (b.derivative + root - slope) / (b.derivative - a.derivative + 2.0 * root)
        if isfinite(share):
            return a.step + gap * min(max(share, 0.1), 0.9)
    return a.step + 0.5 * gap


cdef class _Descent:
    """The state of a descent: two points with their gradients, the direction and the past."""

    cdef object evaluate
    cdef double scale, value
    cdef int64_t n, width, n_evaluations
    cdef sfm_lbfgs past
    # Five vectors in one piece; `origin` and `point` change places.
    cdef double *memory
    cdef double *origin
    cdef double *origin_slope
    cdef double *point
    cdef double *slope
    cdef double *direction

    def __cinit__(self, evaluate, const double[::1] start, double scale, int memory):
        cdef int64_t n = start.shape[0]
        cdef int64_t width = max((n + SFM_LANES - 1) // SFM_LANES, 1) * SFM_LANES
        self.evaluate = evaluate
        self.scale = scale
        self.n = n
        self.width = width
        self.n_evaluations = 0
        cdef size_t total = (5 + 2 * memory) * width + 2 * memory
        self.memory = <double *> sfm_alloc(total * sizeof(double))
        if self.memory == NULL:
            raise MemoryError("no memory for the descent")
        memset(self.memory, 0, total * sizeof(double))
        self.origin = self.memory
        self.origin_slope = self.origin + width
        self.point = self.origin_slope + width
        self.slope = self.point + width
        self.direction = self.slope + width
        self.past.width = width
        self.past.memory = memory
        self.past.count = self.past.next = 0
        self.past.steps = self.direction + width
        self.past.changes = self.past.steps + memory * width
        self.past.inverse = self.past.changes + memory * width
        self.past.factors = self.past.inverse + memory
        if n:
            memcpy(self.point, &start[0], n * sizeof(double))

    def __dealloc__(self):
        free(self.memory)

    cdef object found(self):
        """The point as an array of its own."""
        result = np.empty(self.n)
        cdef double[::1] view = result
        if self.n:
            memcpy(&view[0], self.point, self.n * sizeof(double))
        return result

    cdef int look(self) except -1:
        """Value and gradient at the point."""
        value, slope = self.evaluate(self.found())
        cdef const double[::1] view = slope
        cdef int64_t d
        if view.shape[0] != self.n:
            raise ValueError(f"the gradient has {view.shape[0]} entries for {self.n} variables")
        self.value = self.scale * <double> value
        for d in range(self.n):
            self.slope[d] = self.scale * view[d]
        self.n_evaluations += 1
        return 0

    cdef Place at(self, double step) except *:
        """Go so far from the origin, and look."""
        cdef int64_t d
        cdef Place place
        for d in range(self.width):
            self.point[d] = self.origin[d] + step * self.direction[d]
        self.look()
        place.step = step
        place.value = self.value
        place.derivative = sfm_lbfgs_dot(&self.past, self.slope, self.direction)
        return place

    cdef bint search(self, Place origin, double step, double sufficient, double curvature,
                     int most) except *:
        """Find a step with the strong Wolfe conditions; the point is there, if it is true.

        Otherwise the point is the lowest that was met below the origin, if there is any.
        """
        cdef Place low = origin, high, place
        cdef bint bracketed = False
        high = origin
        for _ in range(most):
            place = self.at(step)
            # A value that is no number is too far away.
            if not (place.value <= origin.value + sufficient * step * origin.derivative
                    and place.value < low.value):
                high = place
                bracketed = True
            elif fabs(place.derivative) <= -curvature * origin.derivative:
                return True
            else:
                if place.derivative * ((high.step - low.step) if bracketed else 1.0) >= 0.0:
                    high = low
                    bracketed = True
                low = place
            step = between(low, high) if bracketed else 4.0 * step
            if step == low.step:
                break
        if low.step != origin.step:
            self.at(low.step)
            return True
        return False

    cdef double largest_slope(self) noexcept:
        cdef double largest = 0.0
        cdef int64_t d
        for d in range(self.n):
            largest = max(largest, fabs(self.slope[d]))
        return largest

    cdef bint advance(self, double sufficient, double curvature, int most) except *:
        """One step down; false, with the point as it was, if there is none."""
        cdef Place origin
        cdef double *swapped
        cdef double size
        while True:
            origin.step = 0.0
            origin.value = self.value
            origin.derivative = sfm_lbfgs_direction(&self.past, self.slope, self.direction)
            swapped = self.origin
            self.origin = self.point
            self.point = swapped
            swapped = self.origin_slope
            self.origin_slope = self.slope
            self.slope = swapped
            size = 1.0
            if self.past.count == 0 and origin.derivative < -1.0:
                size = 1.0 / sqrt(-origin.derivative)
            if origin.derivative < 0.0 and self.search(origin, size, sufficient, curvature, most):
                sfm_lbfgs_keep(&self.past, self.origin, self.point, self.origin_slope,
                               self.slope)
                return True
            memcpy(self.point, self.origin, self.width * sizeof(double))
            memcpy(self.slope, self.origin_slope, self.width * sizeof(double))
            self.value = origin.value
            if self.past.count == 0:
                return False
            # The past misleads: once more, straight down.
            self.past.count = self.past.next = 0


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
    cdef _Descent descent = _Descent(evaluate, start, scale, memory)
    cdef double before
    cdef int n_iter = 0
    descent.look()
    if not isfinite(descent.value):
        raise ValueError(f"the value at the start is {descent.value}")
    while n_iter < max_iter and descent.largest_slope() > slope_tolerance:
        before = descent.value
        if not descent.advance(sufficient, curvature, max_search):
            break
        n_iter += 1
        if before - descent.value <= tolerance * max(fabs(before), fabs(descent.value), 1.0):
            break
    return descent.found(), descent.value / scale, n_iter, descent.n_evaluations
