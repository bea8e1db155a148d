from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t


cdef extern from "alignment/alignment.h" nogil:
    enum:
        SFM_ROW
        SFM_GAP
        SFM_FEW_TARGETS

    ctypedef struct sfm_queries:
        const uint8_t *values
        const int64_t *offsets

    ctypedef struct sfm_targets:
        const int8_t *scores
        const int64_t *offsets
        int64_t n_targets
        int64_t n_symbols
        int open
        int extend

    void sfm_range(const int8_t *, int64_t, int *, int *)
    int sfm_scores_in_bytes(const sfm_targets *, const int64_t *, int, const sfm_queries *,
                            int64_t, int64_t, int32_t *, uint8_t *)
    int sfm_scores_across(const sfm_targets *, const int64_t *, int, const uint8_t *, int64_t, int,
                          int32_t *)
    int sfm_scores_again(const sfm_targets *, const int64_t *, int64_t, const uint8_t *, int64_t,
                         int32_t *)
    int sfm_scores_of_hits(const sfm_targets *, const int64_t *, const int64_t *, int64_t,
                           const sfm_queries *, int64_t, int64_t, int32_t *)
    int sfm_align_pairs(const sfm_targets *, const int64_t *, int, const int64_t *,
                        const uint8_t *, int64_t, uint8_t *, const int64_t *, int32_t *, int64_t *,
                        int64_t *)


cdef extern from "alignment/profile.h" nogil:
    ctypedef struct sfm_profiling:
        int64_t n_residues
        int64_t n_symbols
        const double *conditional
        const double *background
        double scale
        double beta
        double near
        int64_t window
        int limit

    int sfm_profile(const sfm_profiling *, const uint8_t *, int64_t, const uint8_t *, int64_t,
                    const int8_t *, int8_t *)
