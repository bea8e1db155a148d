from libc.stdint cimport int64_t


cdef extern from "lbfgs/lbfgs.h" nogil:
    ctypedef struct sfm_lbfgs:
        int64_t width
        int64_t memory
        int64_t count
        int64_t next
        double *steps
        double *changes
        double *inverse
        double *factors

    double sfm_lbfgs_dot(const sfm_lbfgs *, const double *, const double *)
    void sfm_lbfgs_keep(sfm_lbfgs *, const double *, const double *, const double *,
                        const double *)
    double sfm_lbfgs_direction(sfm_lbfgs *, const double *, double *)
