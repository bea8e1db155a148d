/* Conditioning of one row of raw features: rate, standardise, clip, append 1, normalise. */
#ifndef SFM_CONDITIONING_H
#define SFM_CONDITIONING_H

#include "simd/simd.h"

#define SFM_EACH_WIDTH "conditioning/conditioning.width.h"
#include "simd/each_width.h"

/* raw[n_columns] to out[n_columns + 1]. */
#define sfm_condition_row(...) SFM_CALL(sfm_condition_row, __VA_ARGS__)

#endif
