/* The functions of sfm_math.h and sfm_normal.h over arrays, where tests can reach them. */
#ifndef SFM_ELEMENTWISE_H
#define SFM_ELEMENTWISE_H

#include "sfm_normal.h"

#if SFM_LEVEL_8
#define WIDTH 8
#define NAME(x) sfm_##x##_8
#define TARGET SFM_TARGET_8
#include "sfm_elementwise_loops.h"
#undef WIDTH
#undef NAME
#undef TARGET
#endif

#if SFM_LEVEL_4
#define WIDTH 4
#define NAME(x) sfm_##x##_4
#define TARGET SFM_TARGET_4
#include "sfm_elementwise_loops.h"
#undef WIDTH
#undef NAME
#undef TARGET
#endif

#if SFM_LEVEL_2
#define WIDTH 2
#define NAME(x) sfm_##x##_2
#define TARGET SFM_TARGET_2
#include "sfm_elementwise_loops.h"
#undef WIDTH
#undef NAME
#undef TARGET
#endif

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
