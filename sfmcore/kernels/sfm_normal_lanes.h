/* Tails and density of sfm_normal.h for vectors of WIDTH doubles; included once for each width,
 * after sfm_math_lanes.h. NAME(x) names the functions, TARGET is their attribute.
 */

#define VECTOR NAME(vdouble)
#define BITS NAME(vuint)
#define MASK NAME(vint)

/* Upper and lower tail and density at a; NaN for NaN.
 *
 * The smaller tail is computed and the other one is what it lacks to 1, so that none exceeds 1.
 * With t = |a| the smaller tail is exp(-t^2 / 2) S(t), and S, the half of erfcx(t / sqrt(2)), is
 * smooth up to infinity in w = 5 / (5 + t): S = w (1/2 + (1 - w) P(2w - 1)), where P is a
 * minimax polynomial for t up to SFM_NORMAL_END. At 0 both tails are exactly 1/2.
 */
SFM_INLINE TARGET void NAME(vnormal)(VECTOR a, VECTOR *upper, VECTOR *lower, VECTOR *density)
{
    const BITS size = (BITS)a & ~SFM_SIGN_BIT;
    const MASK negative = NAME(vsigned)((BITS)a);
    const MASK far = NAME(vabove)(size, SFM_NORMAL_END_BITS);
    const MASK nan = NAME(vabove)(size, SFM_INFINITY_BITS);
    const VECTOR t = NAME(vselect)(far, NAME(vfill)(SFM_NORMAL_END), (VECTOR)size);

    /* t^2 rounded would lose digits of exp(-t^2 / 2): high has 26 bits and an exact square. */
    const VECTOR high = (VECTOR)((BITS)t & 0xfffffffff8000000u);
    const VECTOR low = t - high;
    VECTOR power = NAME(vexp_within)(-0.5 * (high * high), -0.5 * (low * (t + high)));
    power = (VECTOR)(((MASK)power & ~far) | nan);

    const VECTOR w = 5.0 / (5.0 + t);
    const VECTOR y = 2.0 * w - 1.0, y2 = y * y;
    /* Even and odd powers apart: two shorter chains of additions. */
    VECTOR even = NAME(vfill)(sfm_tail_series[20]), odd = NAME(vfill)(sfm_tail_series[19]);
    for (int k = 18; k > 0; k -= 2) {
        even = even * y2 + sfm_tail_series[k];
        odd = odd * y2 + sfm_tail_series[k - 1];
    }
    even = even * y2 + sfm_tail_series[0];
    const VECTOR tail = power * (w * (0.5 + (1.0 - w) * (even + odd * y)));

    *upper = NAME(vselect)(negative, 1.0 - tail, tail);
    *lower = NAME(vselect)(negative, tail, 1.0 - tail);
    *density = SFM_INVERSE_SQRT_2PI * power;
}

#undef MASK
#undef BITS
#undef VECTOR
