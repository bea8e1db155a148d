/* The functions of simd/math.h and simd/normal.h over arrays, where tests can reach them. */
#ifndef SFM_ELEMENTWISE_H
#define SFM_ELEMENTWISE_H

#include "simd/normal.h"

#define SFM_EACH_WIDTH "objective/elementwise.width.h"
#include "simd/each_width.h"

#define sfm_exp_array(...) SFM_CALL(sfm_exp_array, __VA_ARGS__)
#define sfm_log_array(...) SFM_CALL(sfm_log_array, __VA_ARGS__)
#define sfm_normal_array(...) SFM_CALL(sfm_normal_array, __VA_ARGS__)

#endif
