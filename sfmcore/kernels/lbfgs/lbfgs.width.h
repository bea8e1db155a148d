/* The sums of lbfgs.h for one width. Vectors are aligned, and filled up to eights. */

SFM_INNER double SIZED(sfm_lbfgs_product)(const double *a, const double *b, int64_t width)
{
    vdouble sums[2][PARTS] = {{{0}}};
    int64_t d = 0;
    for (; d + 2 * SFM_LANES <= width; d += 2 * SFM_LANES) {
        for (int part = 0; part < PARTS; ++part) {
            const int64_t one = d + part * WIDTH, other = one + SFM_LANES;
            sums[0][part] += vload_aligned(a + one) * vload_aligned(b + one);
            sums[1][part] += vload_aligned(a + other) * vload_aligned(b + other);
        }
    }
    for (int part = 0; part < PARTS; ++part) {
        const int64_t last = d + part * WIDTH;
        if (d < width) {
            sums[0][part] += vload_aligned(a + last) * vload_aligned(b + last);
        }
        sums[0][part] += sums[1][part];
    }
    return vsum8(sums[0]);
}

SFM_ENTRY double SIZED(sfm_lbfgs_dot)(const double *a, const double *b, int64_t width)
{
    return SIZED(sfm_lbfgs_product)(a, b, width);
}

/* factor - inverse * (a . b), fused like the sums. */
SFM_ENTRY double SIZED(sfm_lbfgs_rest)(double factor, double inverse, const double *a,
                                       const double *b, int64_t width)
{
    return factor - inverse * SIZED(sfm_lbfgs_product)(a, b, width);
}

/* sum += factor * a */
SFM_ENTRY void SIZED(sfm_lbfgs_add)(double factor, const double *a, int64_t width, double *sum)
{
    for (int64_t d = 0; d < width; d += WIDTH) {
        vstore_aligned(sum + d, vload_aligned(sum + d) + factor * vload_aligned(a + d));
    }
}
