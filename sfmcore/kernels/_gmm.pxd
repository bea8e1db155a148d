from libc.stdint cimport int64_t, uint64_t


cdef extern from "gmm/gmm.h" nogil:
    enum:
        SFM_GMM_BLOCK

    ctypedef struct sfm_gmm:
        int64_t n_components
        int64_t n_columns
        int64_t n_vectors
        const double *log_weight
        const double *constant
        const double *centre
        const double *scale
        const double *mean

    ctypedef struct sfm_gmm_scratch:
        double *share
        double log_likelihood[SFM_GMM_BLOCK]

    int sfm_gmm_scratch_new(sfm_gmm_scratch *, const sfm_gmm *, int)
    void sfm_gmm_scratch_free(sfm_gmm_scratch *)
    void sfm_gmm_posterior(const sfm_gmm *, const double *, int, sfm_gmm_scratch *)
    void sfm_gmm_add(const sfm_gmm *, const double *, int, const double *, sfm_gmm_scratch *,
                     double *)
    void sfm_gmm_write_expected(const sfm_gmm *, const sfm_gmm_scratch *, int, const double *,
                                float *)
    void sfm_gmm_write_choice(const sfm_gmm *, const sfm_gmm_scratch *, int, int64_t,
                              const double *, float *)
    void sfm_gmm_draw(const sfm_gmm *, const double *, int, const uint64_t *, int,
                      sfm_gmm_scratch *, float *, int64_t)
