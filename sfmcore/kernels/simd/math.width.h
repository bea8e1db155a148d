/* The functions of math.h for one width. A lane's result has the same bits in any width, provided
 * that all of them fuse multiply-add or none does.
 */

/* Mask of the lanes with the sign bit. A mask from a comparison would be dear: where GCC has no
 * instruction for a 64-byte vector it compares lane by lane, but it splits a shift well.
 */
SFM_INNER vmask vsigned(vbits bits)
{
    return (vmask)(0 - (bits >> 63));
}

/* Mask of the lanes above the limit; neither has the sign bit. Positive doubles, infinity and
 * NaN are in the order of their bits.
 */
SFM_INNER vmask vabove(vbits bits, uint64_t limit)
{
    return vsigned(limit - bits);
}

/* exp(x + low) where x is from -708.39 to 709.78 and |low| is at most 1e-4: what is left when x
 * does not hold the whole argument. Outside the result has no meaning.
 */
SFM_INNER vdouble vexp_within(vdouble x, vdouble low)
{
    /* Adding 1.5 * 2^52 rounds to an integer n, whose bits are then the sum's last ones. */
    const double shift = 0x1.8p52;
    const vdouble shifted = x * SFM_INVERSE_LN2 + shift;
    const vdouble n = shifted - shift;
    const vdouble r = (x - n * SFM_LN2_HIGH) - (n * SFM_LN2_LOW - low);
    /* (exp(r) - 1 - r) / r^2 for |r| <= log(2) / 2, minimax, error 4e-18 in exp. */
    const vdouble r2 = r * r, r4 = r2 * r2;
    const vdouble q01 = 0x1.000000000000ap-1 + r * 0x1.55555555554fap-3;
    const vdouble q23 = 0x1.555555555088dp-5 + r * 0x1.1111111127cc0p-7;
    const vdouble q45 = 0x1.6c16c1842aaccp-10 + r * 0x1.a01a012a0ff21p-13;
    const vdouble q67 = 0x1.a0199a02e3319p-16 + r * 0x1.71df25da834e8p-19;
    const vdouble q89 = 0x1.28ad811a06a90p-22 + r * 0x1.ad7ecfc1daf24p-26;
    const vdouble q = (q01 + r2 * q23) + r4 * ((q45 + r2 * q67) + r4 * q89);
    const vdouble p = 1.0 + (r + r2 * q);
    /* p * 2^n: n goes into the exponent. */
    return (vdouble)((vbits)p + ((vbits)shifted << 52));
}

/* exp(x). 0 below -708.39 (no denormals), infinite above 709.78, NaN for NaN. */
SFM_INNER vdouble vexp(vdouble x)
{
    const vbits size = (vbits)x & ~SFM_SIGN_BIT;
    const vmask negative = vsigned((vbits)x);
    const vmask vanishes = negative & vabove(size, SFM_EXP_LOW_BITS);
    const vmask explodes = ~negative & vabove(size, SFM_EXP_HIGH_BITS);
    const vmask nan = vabove(size, SFM_INFINITY_BITS);
    vmask y = (vmask)vexp_within(x, vfill(0.0));
    y = (y & ~vanishes & ~explodes) | (explodes & (int64_t)SFM_INFINITY_BITS) | nan;
    return (vdouble)y;
}

/* log(x) of positive normal numbers. log(0) is -1023 log(2), about -709.09: finite, and below
 * every other result. A denormal gives something from there to -708.39. Infinity and NaN
 * give themselves; what a negative number or -0 gives has no meaning.
 */
SFM_INNER vdouble vlog(vdouble x)
{
    /* x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2): adding the distance from sqrt(1/2)
     * to 1 carries into the exponent when the mantissa is sqrt(2) or more. */
    const uint64_t sqrt_half = 0x3fe6a09e667f3bcdu, one = 0x3ff0000000000000u;
    const uint64_t mantissa = 0x000fffffffffffffu, two52 = 0x4330000000000000u;
    const vbits bits = (vbits)x + (one - sqrt_half);
    const vdouble f = (vdouble)((bits & mantissa) + sqrt_half) - 1.0;
    /* The exponent as a double: written into the last bits of 2^52. */
    const vdouble k = (vdouble)((bits >> 52) | two52) - (0x1p52 + 1023.0);
    /* With s = f / (2 + f), log(1 + f) = 2 atanh(s): the series of FreeBSD's libm. */
    const vdouble s = f / (2.0 + f), z = s * s, w = z * z, half = 0.5 * f * f;
    const vdouble odd = 3.999999999940941908e-01 +
                       w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01);
    const vdouble even = 6.666666666666735130e-01 +
                        w * (2.857142874366239149e-01 +
                             w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01));
    const vdouble rest = s * (half + (w * odd + z * even)) + k * SFM_LN2_LOW;
    const vdouble y = k * SFM_LN2_HIGH - ((half - rest) - f);
    return vselect(vabove((vbits)x, SFM_INFINITY_BITS - 1), x, y);
}
