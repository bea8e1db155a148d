/* The functions of sfm_math.h and sfm_normal.h over arrays, where tests can reach them. */
#ifndef SFM_ELEMENTWISE_H
#define SFM_ELEMENTWISE_H

#include "sfm_normal.h"

/* Eight arguments from x, the last one again where there are fewer. */
SFM_INLINE vdouble sfm_arguments(const double *x, int64_t n)
{
    vdouble eight;
    for (int lane = 0; lane < SFM_LANES; ++lane) {
        eight[lane] = x[lane < n ? lane : n - 1];
    }
    return eight;
}

SFM_INLINE void sfm_results(vdouble eight, int64_t n, double *y)
{
    memcpy(y, &eight, (size_t)(n < SFM_LANES ? n : SFM_LANES) * sizeof(double));
}

SFM_DISPATCH static void sfm_exp_array(const double *x, int64_t n, double *y)
{
    for (int64_t k = 0; k < n; k += SFM_LANES) {
        sfm_results(sfm_vexp(sfm_arguments(x + k, n - k)), n - k, y + k);
    }
}

SFM_DISPATCH static void sfm_log_array(const double *x, int64_t n, double *y)
{
    for (int64_t k = 0; k < n; k += SFM_LANES) {
        sfm_results(sfm_vlog(sfm_arguments(x + k, n - k)), n - k, y + k);
    }
}

SFM_DISPATCH static void sfm_normal_array(const double *a, int64_t n, double *upper,
                                          double *density)
{
    for (int64_t k = 0; k < n; k += SFM_LANES) {
        vdouble above, below, slope;
        sfm_vnormal(sfm_arguments(a + k, n - k), &above, &below, &slope);
        sfm_results(above, n - k, upper + k);
        sfm_results(slope, n - k, density + k);
    }
}

#endif
