from libc.stdint cimport int64_t, uint16_t, uint64_t


cdef extern from "lda/streams.h" nogil:
    enum:
        SFM_LDA_LANES

    ctypedef struct sfm_lda:
        int64_t n_topics
        int64_t n_blocks
        float *rows
        float *totals
        const float *alpha
        float beta
        float beta_sum

    ctypedef struct sfm_lda_scratch:
        float *expected

    ctypedef struct sfm_lda_batch:
        const uint16_t *words
        const float *counts
        const int64_t *offsets
        int64_t n_items
        int64_t n_words
        double tolerance
        int max_passes

    ctypedef struct sfm_lda_draws:
        const uint64_t *keys
        int n_draws
        int n_burn_in
        int n_between
        float *out
        int64_t stride

    ctypedef struct sfm_lda_corpus:
        const uint16_t *tokens
        uint16_t *topics
        const int64_t *offsets
        const uint64_t *keys
        const float *weights
        const int64_t *shards
        int64_t n_words
        float *rows
        float *totals

    int sfm_lda_scratch_new(sfm_lda_scratch *, const sfm_lda *, int64_t, int64_t)
    void sfm_lda_scratch_free(sfm_lda_scratch *)
    void sfm_lda_infer(const sfm_lda *, const uint16_t *, const float *, int64_t, double, int,
                       sfm_lda_scratch *)
    double sfm_lda_score(const sfm_lda *, const uint16_t *, const float *, int64_t, const double *)
    void sfm_lda_write_row(const sfm_lda *, int64_t, const uint16_t *, const float *, int64_t,
                           const sfm_lda_scratch *, float *)
    int64_t sfm_lda_most(const sfm_lda_batch *, int64_t, int64_t)
    int sfm_lda_draw(const sfm_lda *, const sfm_lda_batch *, const sfm_lda_draws *, int64_t,
                     int64_t)
    int sfm_lda_train(const sfm_lda *, const sfm_lda_corpus *, int64_t, int64_t)
