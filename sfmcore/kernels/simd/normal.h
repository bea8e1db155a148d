/* Tails and density of the standard normal distribution: vnormal. */
#ifndef SFM_SIMD_NORMAL_H
#define SFM_SIMD_NORMAL_H

#include "simd/math.h"

#define SFM_INVERSE_SQRT_2PI 0.39894228040143267794
/* Beyond this all but the larger tail are 0: exp(-a^2 / 2) is 1e-307. */
#define SFM_NORMAL_END 37.6
#define SFM_NORMAL_END_BITS 0x4042cccccccccccdu

/* P of vnormal, lowest power first. */
static const double sfm_tail_series[21] = {
    -0x1.627821a59c421p-1,  -0x1.b465d9bc6e697p-2,  -0x1.d30a95b2173e4p-3,
    -0x1.a463d509d889cp-4,  -0x1.2c0a8c487bdf9p-5,  -0x1.263686934e84bp-7,
    -0x1.5a5dc35d22969p-11, 0x1.1963edcac8806p-11,  0x1.c84290da14cdcp-13,
    -0x1.ab41791454157p-22, -0x1.9523b2d9b9e24p-16, -0x1.1cbdc50ea8153p-18,
    0x1.4613bcb87dd2fp-19,  0x1.c14600be60bd2p-21,  -0x1.22b4098b27e99p-22,
    -0x1.233461319c928p-23, 0x1.41440cff68b36p-25,  0x1.567ddc476041fp-26,
    -0x1.a5579bb0f618cp-28, -0x1.1a34f522df0aep-29, 0x1.b66a1d9167175p-31,
};

#define vnormal SIZED(sfm_vnormal)

#define SFM_EACH_WIDTH "simd/normal.width.h"
#include "simd/each_width.h"

#endif
