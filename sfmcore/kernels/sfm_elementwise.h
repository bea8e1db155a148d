/* The functions of sfm_math.h and sfm_normal.h over arrays, where tests can reach them. */
#ifndef SFM_ELEMENTWISE_H
#define SFM_ELEMENTWISE_H

#include "sfm_normal.h"

#define SFM_PREFIX sfm_
#define SFM_LOOPS "sfm_elementwise_loops.h"
#include "sfm_each_width.h"

/* With vectors of at most `widest` doubles. */
static inline void sfm_exp_array(const double *x, int64_t n, double *y, int widest)
{
    SFM_CALL(widest, sfm_exp_array, x, n, y);
}

static inline void sfm_log_array(const double *x, int64_t n, double *y, int widest)
{
    SFM_CALL(widest, sfm_log_array, x, n, y);
}

static inline void sfm_normal_array(const double *a, int64_t n, double *upper, double *density,
                                    int widest)
{
    SFM_CALL(widest, sfm_normal_array, a, n, upper, density);
}

#endif
