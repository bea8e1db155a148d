/* What loops over eights of columns share, for vectors of WIDTH doubles; included once for each
 * width, after sfm_lanes.h. NAME(x) names the functions, TARGET is their attribute.
 */

#define VECTOR NAME(vdouble)

/* Some floats as doubles. GCC makes one instruction of four or two, but several of eight. */
SFM_INLINE TARGET VECTOR NAME(read_floats)(const float *p)
{
#if WIDTH == 8 && defined(SFM_X86)
    return (VECTOR)_mm512_cvtps_pd(_mm256_loadu_ps(p));
#elif WIDTH == 8
    return (VECTOR){p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]};
#elif WIDTH == 4
    return (VECTOR){p[0], p[1], p[2], p[3]};
#else
    return (VECTOR){p[0], p[1]};
#endif
}

/* Sum of an eight in a fixed order, which is the same in any width. */
SFM_INLINE TARGET double NAME(vsum8)(const VECTOR *eight)
{
#if WIDTH == 8
    const VECTOR x = eight[0];
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
#elif WIDTH == 4
    const VECTOR x = eight[0] + eight[1];
    return (x[0] + x[2]) + (x[1] + x[3]);
#else
    const VECTOR x = (eight[0] + eight[2]) + (eight[1] + eight[3]);
    return x[0] + x[1];
#endif
}

#undef VECTOR
