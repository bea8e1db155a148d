from libc.stdint cimport int64_t, uint8_t


cdef extern from "occupancy/occupancy.h" nogil:
    ctypedef struct sfm_chain:
        int64_t n_states
        int64_t n_symbols
        const double *start
        const double *transition
        const double *incoming
        const double *emission

    ctypedef struct sfm_worth:
        const double *start
        const double *step
        const double *symbol

    void sfm_occupancy(const sfm_chain *, const sfm_worth *, const uint8_t *, int64_t, double *,
                       double *)
