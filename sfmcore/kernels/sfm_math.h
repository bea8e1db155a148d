/* Exponential and logarithm of a vector of doubles: sfm_vexp_8 of eight, and so on.
 *
 * libm's take one number a call. These have no branch and no table; a lane's result depends
 * on that lane alone. The relative error is below 4e-16, also without fused multiply-add.
 */
#ifndef SFM_MATH_H
#define SFM_MATH_H

#include "sfm_levels.h"

/* log(2) in two parts. The first has 32 zero bits at its end: n * SFM_LN2_HIGH is exact. */
#define SFM_LN2_HIGH 6.93147180369123816490e-01
#define SFM_LN2_LOW 1.90821492927058770002e-10
#define SFM_INVERSE_LN2 1.44269504088896340736
#define SFM_SIGN_BIT 0x8000000000000000u
#define SFM_INFINITY_BITS 0x7ff0000000000000u
/* The last argument whose exponential is finite, and minus the first one kept above 0. */
#define SFM_EXP_HIGH_BITS 0x40862e42fefa39efu /* 709.782712893384 */
#define SFM_EXP_LOW_BITS 0x4086231eb851eb85u  /* 708.39 */

#define SFM_PREFIX sfm_
#define SFM_LOOPS "sfm_math_lanes.h"
#include "sfm_each_width.h"

#endif
