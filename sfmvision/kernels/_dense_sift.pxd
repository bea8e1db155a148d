from libc.stdint cimport int64_t, uint8_t


cdef extern from "sift/sift.h" nogil:
    enum:
        SFM_FLOATS
        SFM_SIFT_SIZE

    ctypedef struct sfm_plane:
        int64_t height
        int64_t width
        int64_t stride
        const float *pixels

    ctypedef struct sfm_sift:
        sfm_plane plane
        int64_t bin
        int64_t radius
        const float *smoothing
        int64_t n_kernels
        const float *kernels
        const float *weights
        int64_t n_rows
        int64_t n_columns
        const int64_t *rows
        const int64_t *columns
        float contrast
        int root
        int64_t out_stride
        uint8_t *out
        uint8_t *flat

    int sfm_sift_run(const sfm_sift *)
