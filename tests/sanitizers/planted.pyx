"""Three functions for the control: two hold a fault that a sanitizer must report."""

from libc.stdlib cimport free, malloc


def sound(int n):
    """Sum of n zeros, all inside their array."""
    return total(n, n)


def read_past_the_end(int n):
    """Sum that takes one number too many from an array."""
    return total(n, n + 1)


def overflow(int n):
    """Sum of two numbers that no int holds if n is large."""
    return n + n


cdef int total(int n_stored, int n_read):
    cdef int *numbers = <int *> malloc(n_stored * sizeof(int))
    cdef int i, result = 0
    for i in range(n_stored):
        numbers[i] = 0
    for i in range(n_read):
        result += numbers[i]
    free(numbers)
    return result
