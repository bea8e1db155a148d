from libc.stdint cimport int8_t, int64_t


cdef extern from "objective/gibbs.h" nogil:
    ctypedef struct sfm_risks:
        double risk
        double disagreement
        double tandem


cdef extern from "objective/objective.h" nogil:
    int64_t sfm_spread_width(int64_t)
    double *sfm_spread(const double *, int64_t)
    void sfm_spread_to(const double *, int64_t, double *)
    double sfm_add_divergence(double *, const double *, const double *, int64_t, double, double)
    sfm_risks sfm_add_chunks(sfm_risks *, double *, int64_t, int64_t, double *)
    void sfm_scores_float(const float *, int64_t, int64_t, int64_t, const double *, double *)
    void sfm_scores_double(const double *, int64_t, int64_t, int64_t, const double *, double *)
    void sfm_risks_float(const float *, int64_t, int64_t, int64_t, const int8_t *, const double *,
                         const double *, int, sfm_risks *, double *)
    void sfm_risks_double(const double *, int64_t, int64_t, int64_t, const int8_t *,
                          const double *, const double *, int, sfm_risks *, double *)


cdef extern from "objective/elementwise.h" nogil:
    void sfm_exp_array(const double *, int64_t, double *)
    void sfm_log_array(const double *, int64_t, double *)
    void sfm_normal_array(const double *, int64_t, double *, double *)


# A data term with the memory for its sums; see _objective.pyx.
cdef struct DataTerm:
    const float *floats
    const double *doubles
    const int8_t *signs
    const double *weights
    int64_t n_rows
    int64_t n_columns
    int64_t size
    int64_t n_chunks
    int64_t width
    int n_threads
    double *spread
    double *gradients
    sfm_risks *sums


cdef int take_memory(DataTerm *) except -1
cdef void give_memory(DataTerm *) noexcept nogil
cdef sfm_risks sum_risks(DataTerm *, const double *, bint, double *) noexcept nogil
