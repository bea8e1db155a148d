from libc.stdint cimport uint64_t


cdef extern from "simd/random.h" nogil:
    ctypedef struct sfm_rng:
        pass

    uint64_t sfm_mix64(uint64_t)
    void sfm_rng_seed(sfm_rng *, uint64_t)
    double sfm_rng_uniform(sfm_rng *)
