from libc.stdint cimport int64_t


cdef extern from "conditioning/conditioning.h" nogil:
    void sfm_condition_row(const float *, int64_t, double, const double *, const double *, double,
                           float *)
