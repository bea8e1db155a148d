/* Tails and density of the standard normal distribution, eight at once. */
#ifndef SFM_NORMAL_H
#define SFM_NORMAL_H

#include "sfm_math.h"

#define SFM_INVERSE_SQRT_2PI 0.39894228040143267794
/* Beyond this all but the larger tail are 0: exp(-a^2 / 2) is 1e-307. */
#define SFM_NORMAL_END 37.6
#define SFM_NORMAL_END_BITS 0x4042cccccccccccdu

/* P of sfm_vnormal, lowest power first. */
static const double sfm_tail_series[21] = {
    -0x1.627821a59c421p-1,  -0x1.b465d9bc6e697p-2,  -0x1.d30a95b2173e4p-3,
    -0x1.a463d509d889cp-4,  -0x1.2c0a8c487bdf9p-5,  -0x1.263686934e84bp-7,
    -0x1.5a5dc35d22969p-11, 0x1.1963edcac8806p-11,  0x1.c84290da14cdcp-13,
    -0x1.ab41791454157p-22, -0x1.9523b2d9b9e24p-16, -0x1.1cbdc50ea8153p-18,
    0x1.4613bcb87dd2fp-19,  0x1.c14600be60bd2p-21,  -0x1.22b4098b27e99p-22,
    -0x1.233461319c928p-23, 0x1.41440cff68b36p-25,  0x1.567ddc476041fp-26,
    -0x1.a5579bb0f618cp-28, -0x1.1a34f522df0aep-29, 0x1.b66a1d9167175p-31,
};

/* Upper and lower tail and density at a; NaN for NaN.
 *
 * The smaller tail is computed and the other one is what it lacks to 1, so that none exceeds 1.
 * With t = |a| the smaller tail is exp(-t^2 / 2) S(t), and S, the half of erfcx(t / sqrt(2)), is
 * smooth up to infinity in w = 5 / (5 + t): S = w (1/2 + (1 - w) P(2w - 1)), where P is a
 * minimax polynomial for t up to SFM_NORMAL_END. At 0 both tails are exactly 1/2.
 */
SFM_INLINE void sfm_vnormal(vdouble a, vdouble *upper, vdouble *lower, vdouble *density)
{
    const vuint size = (vuint)a & ~SFM_SIGN_BIT;
    const vint negative = sfm_vsigned((vuint)a);
    const vint far = sfm_vabove(size, SFM_NORMAL_END_BITS);
    const vint nan = sfm_vabove(size, SFM_INFINITY_BITS);
    const vdouble t = vselect(far, vfill(SFM_NORMAL_END), (vdouble)size);

    /* t^2 rounded would lose digits of exp(-t^2 / 2): high has 26 bits and an exact square. */
    const vdouble high = (vdouble)((vuint)t & 0xfffffffff8000000u);
    const vdouble low = t - high;
    vdouble power = sfm_vexp_within(-0.5 * (high * high), -0.5 * (low * (t + high)));
    power = (vdouble)(((vint)power & ~far) | nan);

    const vdouble w = 5.0 / (5.0 + t);
    const vdouble y = 2.0 * w - 1.0, y2 = y * y;
    /* Even and odd powers apart: two shorter chains of additions. */
    vdouble even = vfill(sfm_tail_series[20]), odd = vfill(sfm_tail_series[19]);
    for (int k = 18; k > 0; k -= 2) {
        even = even * y2 + sfm_tail_series[k];
        odd = odd * y2 + sfm_tail_series[k - 1];
    }
    even = even * y2 + sfm_tail_series[0];
    const vdouble tail = power * (w * (0.5 + (1.0 - w) * (even + odd * y)));

    *upper = vselect(negative, 1.0 - tail, tail);
    *lower = vselect(negative, tail, 1.0 - tail);
    *density = SFM_INVERSE_SQRT_2PI * power;
}

#endif
