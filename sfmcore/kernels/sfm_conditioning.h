/* Conditioning of one row of raw features: rate, standardise, clip, append 1, normalise. */
#ifndef SFM_CONDITIONING_H
#define SFM_CONDITIONING_H

#include "sfm_levels.h"

#define SFM_PREFIX sfm_
#define SFM_LOOPS "sfm_conditioning_loops.h"
#include "sfm_each_width.h"

/* With vectors of at most `widest` doubles. */
static inline void sfm_condition_row(const float *raw, int64_t n_columns, double rate,
                                     const double *mean, const double *inverse_scale, double clip,
                                     float *out, int widest)
{
    SFM_CALL(widest, sfm_condition_row, raw, n_columns, rate, mean, inverse_scale, clip, out);
}

#endif
