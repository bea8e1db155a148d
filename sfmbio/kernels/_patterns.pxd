from libc.stdint cimport int32_t, int64_t, uint8_t


cdef extern from "patterns/patterns.h" nogil:
    ctypedef struct sfm_pattern:
        int64_t n_places
        const int32_t *places
        const uint8_t *groups
        int64_t n_groups
        float weight
        const float *rows

    void sfm_pattern_project(const sfm_pattern *, const uint8_t *, int64_t, int64_t, int32_t *,
                             int32_t *, float *)
