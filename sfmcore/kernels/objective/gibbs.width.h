/* Losses of eight rows, as in gibbs.h, for one width. */

/* Some signs as integers. GCC would widen them one by one. */
SFM_INNER vbits SIZED(sfm_read_signs)(const int8_t *p)
{
#if BITS == 512
    return (vbits)_mm512_cvtepi8_epi64(_mm_loadl_epi64((const __m128i *)p));
#elif BITS == 256
    int32_t four;
    memcpy(&four, p, sizeof four);
    return (vbits)_mm256_cvtepi8_epi64(_mm_cvtsi32_si128(four));
#else
    return (vbits)(vmask){p[0], p[1]};
#endif
}

/* Add what a mask has left of some terms. */
SFM_INNER void SIZED(sfm_add_to)(double *sum, vmask terms)
{
    vstore(sum, vload(sum) + (vdouble)terms);
}

/* Add n losses, at most eight, and turn the eight scores into
 * d(risk + disagreement / 2) / d(score), 0 beyond n.
 *
 * A sign is -1, 0 (unlabelled) or 1.
 */
SFM_INNER void SIZED(sfm_risk8)(double *scores, const int8_t *signs, const double *weights, int n,
                                int convex, sfm_risk_lanes *risks)
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
        const vbits minus = SIZED(sfm_read_signs)(signs + first);
        const vbits flip = minus & SFM_SIGN_BIT;
        const vmask labelled = vsigned(minus | (0 - minus));
        const vdouble w = vload(weights + first);
        const vdouble a = (vdouble)((vbits)vload(scores + first) ^ flip);
        vdouble loss, opposite, slope, unlabelled_slope = {0};
        vnormal(a, &loss, &opposite, &slope);
        SIZED(sfm_add_to)(risks->tandem + first, (vmask)(w * loss * loss) & labelled);
        if (convex) {
            /* The tangent at 0. The disagreement has no convex surrogate. */
            const vmask below = vsigned((vbits)a);
            loss = vselect(below, 0.5 - a * SFM_INVERSE_SQRT_2PI, loss);
            slope = vselect(below, vfill(SFM_INVERSE_SQRT_2PI), slope);
        } else {
            const vdouble disagreement = w * 2.0 * loss * opposite;
            SIZED(sfm_add_to)(risks->disagreement + first, (vmask)disagreement & ~labelled);
            unlabelled_slope = w * slope * (loss - opposite);
        }
        SIZED(sfm_add_to)(risks->risk + first, (vmask)(w * loss) & labelled);
        const vdouble labelled_slope = (vdouble)((vbits)(w * slope) ^ flip ^ SFM_SIGN_BIT);
        vstore(scores + first, vselect(labelled, labelled_slope, unlabelled_slope));
    }
}
