/* Exponential and logarithm of a vector of doubles: vexp and vlog, and bits as masks.
 *
 * libm's take one number a call. These have no branch and no table; a lane's result depends
 * on that lane alone. The relative error is below 4e-16, also without fused multiply-add.
 */
#ifndef SFM_SIMD_MATH_H
#define SFM_SIMD_MATH_H

#include "simd/simd.h"

/* log(2) in two parts. The first has 32 zero bits at its end: n * SFM_LN2_HIGH is exact. */
#define SFM_LN2_HIGH 6.93147180369123816490e-01
#define SFM_LN2_LOW 1.90821492927058770002e-10
#define SFM_INVERSE_LN2 1.44269504088896340736
#define SFM_SIGN_BIT 0x8000000000000000u
#define SFM_INFINITY_BITS 0x7ff0000000000000u
/* The last argument whose exponential is finite, and minus the first one kept above 0. */
#define SFM_EXP_HIGH_BITS 0x40862e42fefa39efu /* 709.782712893384 */
#define SFM_EXP_LOW_BITS 0x4086231eb851eb85u  /* 708.39 */

#define vsigned SIZED(sfm_vsigned)
#define vabove SIZED(sfm_vabove)
#define vexp_within SIZED(sfm_vexp_within)
#define vexp SIZED(sfm_vexp)
#define vlog SIZED(sfm_vlog)

#define SFM_EACH_WIDTH "simd/math.width.h"
#include "simd/each_width.h"

#endif
