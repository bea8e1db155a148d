from libc.stdint cimport int8_t, int32_t, int64_t

from sfmcore.kernels._objective cimport sfm_risks


cdef extern from "objective/sparse.h" nogil:
    void sfm_sparse_scores(const float *, const int32_t *, const int64_t *, int64_t,
                           const double *, double *)
    void sfm_sparse_risks(const float *, const int32_t *, const int64_t *, int64_t, int64_t,
                          const int8_t *, const double *, const double *, int, sfm_risks *,
                          double *)
