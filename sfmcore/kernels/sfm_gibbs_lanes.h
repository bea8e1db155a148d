/* Losses of eight rows of sfm_gibbs_loss.h for vectors of WIDTH doubles; included once for each
 * width, after sfm_normal_lanes.h. NAME(x) names the functions, TARGET is their attribute.
 */

#define VECTOR NAME(vdouble)
#define BITS NAME(vuint)
#define MASK NAME(vint)

#define AT(p) (*(NAME(vdouble_u) *)(p))
#define READ(p) ((VECTOR)(*(const NAME(vdouble_u) *)(p)))

/* Some signs as integers. GCC would widen them one by one. */
SFM_INLINE TARGET BITS NAME(read_signs)(const int8_t *p)
{
#if WIDTH == 8 && defined(SFM_X86)
    return (BITS)_mm512_cvtepi8_epi64(_mm_loadl_epi64((const __m128i *)p));
#elif WIDTH == 4 && defined(SFM_X86) && (SFM_CHOOSE || defined(__AVX2__))
    int32_t four;
    memcpy(&four, p, sizeof four);
    return (BITS)_mm256_cvtepi8_epi64(_mm_cvtsi32_si128(four));
#elif WIDTH == 8
    return (BITS)(MASK){p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]};
#elif WIDTH == 4
    return (BITS)(MASK){p[0], p[1], p[2], p[3]};
#else
    return (BITS)(MASK){p[0], p[1]};
#endif
}

/* Add n losses, at most eight, and turn the eight scores into
 * d(risk + disagreement / 2) / d(score), 0 beyond n.
 *
 * A sign is -1, 0 (unlabelled) or 1.
 */
SFM_INLINE TARGET void NAME(risk8)(double *scores, const int8_t *signs, const double *weights,
                                   int n, int convex, sfm_risk_lanes *risks)
{
    int8_t few_signs[SFM_LANES] = {0};
    double few_weights[SFM_LANES] = {0};
    if (n < SFM_LANES) {
        /* A row of weight 0 adds nothing. */
        for (int r = 0; r < n; ++r) {
            few_signs[r] = signs[r];
            few_weights[r] = weights[r];
        }
        for (int r = n; r < SFM_LANES; ++r) {
            scores[r] = 0.0;
        }
        signs = few_signs;
        weights = few_weights;
    }
    for (int first = 0; first < SFM_LANES; first += WIDTH) {
        const BITS minus = NAME(read_signs)(signs + first);
        const BITS flip = minus & SFM_SIGN_BIT;
        const MASK labelled = NAME(vsigned)(minus | (0 - minus));
        const VECTOR w = READ(weights + first);
        const VECTOR a = (VECTOR)((BITS)READ(scores + first) ^ flip);
        VECTOR loss, opposite, slope, unlabelled_slope = {0};
        NAME(vnormal)(a, &loss, &opposite, &slope);
        AT(risks->tandem + first) += (VECTOR)((MASK)(w * loss * loss) & labelled);
        if (convex) {
            /* The tangent at 0. The disagreement has no convex surrogate. */
            const MASK below = NAME(vsigned)((BITS)a);
            loss = NAME(vselect)(below, 0.5 - a * SFM_INVERSE_SQRT_2PI, loss);
            slope = NAME(vselect)(below, NAME(vfill)(SFM_INVERSE_SQRT_2PI), slope);
        } else {
            const VECTOR disagreement = w * 2.0 * loss * opposite;
            AT(risks->disagreement + first) += (VECTOR)((MASK)disagreement & ~labelled);
            unlabelled_slope = w * slope * (loss - opposite);
        }
        AT(risks->risk + first) += (VECTOR)((MASK)(w * loss) & labelled);
        const VECTOR labelled_slope = (VECTOR)((BITS)(w * slope) ^ flip ^ SFM_SIGN_BIT);
        AT(scores + first) = NAME(vselect)(labelled, labelled_slope, unlabelled_slope);
    }
}

#undef READ
#undef AT
#undef MASK
#undef BITS
#undef VECTOR
