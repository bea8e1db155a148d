/* The functions of simd/math.h and simd/normal.h over arrays, where tests can reach them. */
#ifndef SFM_ELEMENTWISE_H
#define SFM_ELEMENTWISE_H

#include "simd/normal.h"

#define SFM_EACH_WIDTH "objective/elementwise.width.h"
#include "simd/each_width.h"

static inline void sfm_exp_array(const double *x, int64_t n, double *y)
{
    SFM_CALL(sfm_exp_array, x, n, y);
}

static inline void sfm_log_array(const double *x, int64_t n, double *y)
{
    SFM_CALL(sfm_log_array, x, n, y);
}

static inline void sfm_normal_array(const double *a, int64_t n, double *upper, double *density)
{
    SFM_CALL(sfm_normal_array, a, n, upper, density);
}

#endif
