"""What kernels share of the C headers in ``simd``."""


cdef extern from "simd/base.h" nogil:
    enum:
        SFM_LANES

    void *sfm_alloc(size_t)


cdef extern from "simd/dispatch.h" nogil:
    int sfm_widest()
    void sfm_follow(const int *)
