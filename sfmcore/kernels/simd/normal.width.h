/* The function of normal.h for one width. */

/* Upper and lower tail and density at a; NaN for NaN.
 *
 * The smaller tail is computed and the other one is what it lacks to 1, so that none exceeds 1.
 * With t = |a| the smaller tail is exp(-t^2 / 2) S(t), and S, the half of erfcx(t / sqrt(2)), is
 * smooth up to infinity in w = 5 / (5 + t): S = w (1/2 + (1 - w) P(2w - 1)), where P is a
 * minimax polynomial for t up to SFM_NORMAL_END. At 0 both tails are exactly 1/2.
 */
SFM_INNER void vnormal(vdouble a, vdouble *upper, vdouble *lower, vdouble *density)
{
    const vbits size = (vbits)a & ~SFM_SIGN_BIT;
    const vmask negative = vsigned((vbits)a);
    const vmask far = vabove(size, SFM_NORMAL_END_BITS);
    const vmask nan = vabove(size, SFM_INFINITY_BITS);
    const vdouble t = vselect(far, vfill(SFM_NORMAL_END), (vdouble)size);

    /* t^2 rounded would lose digits of exp(-t^2 / 2): high has 26 bits and an exact square. */
    const vdouble high = (vdouble)((vbits)t & 0xfffffffff8000000u);
    const vdouble low = t - high;
    vdouble power = vexp_within(-0.5 * (high * high), -0.5 * (low * (t + high)));
    power = (vdouble)(((vmask)power & ~far) | nan);

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
