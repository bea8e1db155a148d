from libc.stdint cimport int64_t


cdef extern from "products/products.h" nogil:
    int SFM_PRODUCTS_SCRATCH
    void sfm_products_rows(const float *, int64_t, int64_t, const float *, int64_t, int64_t,
                           float *, float *)
