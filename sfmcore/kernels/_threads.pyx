"""The threads that OpenMP keeps between two calls."""


cdef extern from "sfm_threads.h" nogil:
    void sfm_release_threads()


def release_threads():
    """End the threads that OpenMP keeps for the calling one; the next call starts new ones."""
    sfm_release_threads()
