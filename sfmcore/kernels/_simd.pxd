"""The width of this process's vectors, which every vectorised kernel follows."""

cdef int width
