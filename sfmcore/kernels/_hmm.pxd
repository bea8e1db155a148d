from libc.stdint cimport int64_t, uint8_t, uint64_t

from sfmcore.kernels._native cimport SFM_LANES


cdef extern from "hmm/hmm.h" nogil:
    ctypedef struct sfm_hmm:
        int n_states
        int n_symbols
        const double *start
        const double *transition
        const double *incoming
        const double *emission

    ctypedef struct sfm_group:
        const uint8_t *codes[SFM_LANES]
        int64_t length[SFM_LANES]
        int64_t shortest
        int64_t longest

    ctypedef struct sfm_hmm_scratch:
        double log_likelihood[SFM_LANES]

    int sfm_hmm_scratch_new(sfm_hmm_scratch *, const sfm_hmm *, int64_t, int)
    void sfm_hmm_scratch_free(sfm_hmm_scratch *)
    void sfm_hmm_expect(const sfm_hmm *, const sfm_group *, sfm_hmm_scratch *)
    void sfm_hmm_score(const sfm_hmm *, const sfm_group *, sfm_hmm_scratch *)
    void sfm_hmm_draw(const sfm_hmm *, const sfm_group *, sfm_hmm_scratch *, const uint64_t *,
                      int, float **, int64_t)
    void sfm_hmm_write_row(const sfm_hmm *, sfm_hmm_scratch *, int, float *)
    void sfm_hmm_add_group(const sfm_hmm *, sfm_hmm_scratch *, const double *, double *)
