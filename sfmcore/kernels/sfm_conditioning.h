/* Conditioning of one row of raw features: rate, standardise, clip, append 1, normalise. */
#ifndef SFM_CONDITIONING_H
#define SFM_CONDITIONING_H

#include "sfm_levels.h"

#if SFM_LEVEL_8
#define WIDTH 8
#define NAME(x) sfm_##x##_8
#define TARGET SFM_TARGET_8
#include "sfm_conditioning_loops.h"
#undef WIDTH
#undef NAME
#undef TARGET
#endif

#if SFM_LEVEL_4
#define WIDTH 4
#define NAME(x) sfm_##x##_4
#define TARGET SFM_TARGET_4
#include "sfm_conditioning_loops.h"
#undef WIDTH
#undef NAME
#undef TARGET
#endif

#if SFM_LEVEL_2
#define WIDTH 2
#define NAME(x) sfm_##x##_2
#define TARGET SFM_TARGET_2
#include "sfm_conditioning_loops.h"
#undef WIDTH
#undef NAME
#undef TARGET
#endif

/* With vectors of at most `widest` doubles. */
static inline void sfm_condition_row(const float *raw, int64_t n_columns, double rate,
                                     const double *mean, const double *inverse_scale, double clip,
                                     float *out, int widest)
{
    SFM_CALL(widest, sfm_condition_row, raw, n_columns, rate, mean, inverse_scale, clip, out);
}

#endif
