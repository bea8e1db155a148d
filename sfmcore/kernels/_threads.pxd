cdef extern from "threads/threads.h" nogil:
    void sfm_release_threads()
