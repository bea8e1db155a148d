from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t


cdef extern from "nearest/nearest.h" nogil:
    enum:
        SFM_NEAREST_GROUP
        SFM_NEAREST_ROWS

    ctypedef struct sfm_centres:
        int64_t n_groups
        int64_t n_pairs
        int64_t n_columns
        const int32_t *pair
        const int32_t *offset
        const uint16_t *number

    void sfm_nearest_block(const sfm_centres *, const uint8_t *, int64_t, int16_t *, uint16_t *)
    void sfm_add_bytes(const uint8_t *, int64_t, int64_t *)
