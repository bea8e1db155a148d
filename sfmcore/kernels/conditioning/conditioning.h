/* Conditioning of one row of raw features: rate, standardise, clip, append 1, normalise. */
#ifndef SFM_CONDITIONING_H
#define SFM_CONDITIONING_H

#include "simd/simd.h"

#define SFM_EACH_WIDTH "conditioning/conditioning.width.h"
#include "simd/each_width.h"

/* raw[n_columns] to out[n_columns + 1]. */
static inline void sfm_condition_row(const float *raw, int64_t n_columns, double rate,
                                     const double *mean, const double *inverse_scale, double clip,
                                     float *out)
{
    SFM_CALL(sfm_condition_row, raw, n_columns, rate, mean, inverse_scale, clip, out);
}

#endif
