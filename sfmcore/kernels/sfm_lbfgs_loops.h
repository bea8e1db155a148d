/* Loops of sfm_lbfgs.h for vectors of WIDTH doubles; included once for each width. NAME(x) names
 * the functions, TARGET is their attribute. A product is added in the same order in any width.
 */

#define VECTOR NAME(vdouble)
#define AT(p) (*(NAME(vdouble_a) *)(p))
#define READ(p) ((VECTOR)(*(const NAME(vdouble_a) *)(p)))
#define PARTS (SFM_LANES / WIDTH)

SFM_INLINE TARGET double NAME(lbfgs_product)(const double *a, const double *b, int64_t width)
{
    VECTOR sums[2][PARTS] = {{{0}}};
    int64_t d = 0;
    for (; d + 2 * SFM_LANES <= width; d += 2 * SFM_LANES) {
        for (int part = 0; part < PARTS; ++part) {
            const int64_t one = d + part * WIDTH, other = one + SFM_LANES;
            sums[0][part] += READ(a + one) * READ(b + one);
            sums[1][part] += READ(a + other) * READ(b + other);
        }
    }
    for (int part = 0; part < PARTS; ++part) {
        if (d < width) {
            sums[0][part] += READ(a + d + part * WIDTH) * READ(b + d + part * WIDTH);
        }
        sums[0][part] += sums[1][part];
    }
    return NAME(vsum8)(sums[0]);
}

SFM_INLINE TARGET void NAME(lbfgs_add)(double factor, const double *a, int64_t width, double *sum)
{
    for (int64_t d = 0; d < width; d += WIDTH) {
        AT(sum + d) += factor * READ(a + d);
    }
}

__attribute__((noinline)) TARGET static double NAME(lbfgs_dot)(const double *a, const double *b,
                                                               int64_t width)
{
    return NAME(lbfgs_product)(a, b, width);
}

__attribute__((noinline)) TARGET static void NAME(lbfgs_keep)(sfm_lbfgs *past,
                                                              const double *before,
                                                              const double *point,
                                                              const double *slope_before,
                                                              const double *slope)
{
    const int64_t width = past->width;
    double *step = past->steps + past->next * width, *change = past->changes + past->next * width;
    for (int64_t d = 0; d < width; d += WIDTH) {
        AT(step + d) = READ(point + d) - READ(before + d);
        AT(change + d) = READ(slope + d) - READ(slope_before + d);
    }
    const double curvature = NAME(lbfgs_product)(step, change, width);
    if (curvature > 2.2e-16 * NAME(lbfgs_product)(change, change, width)) {
        past->inverse[past->next] = 1.0 / curvature;
        past->next = (past->next + 1) % past->memory;
        past->count += past->count < past->memory;
    }
}

__attribute__((noinline)) TARGET static double NAME(lbfgs_direction)(sfm_lbfgs *past,
                                                                     const double *slope,
                                                                     double *direction)
{
    const int64_t width = past->width;
    for (int64_t d = 0; d < width; d += WIDTH) {
        AT(direction + d) = -READ(slope + d);
    }
    for (int64_t k = 1; k <= past->count; ++k) {
        const int64_t p = (past->next - k + past->memory) % past->memory;
        const double *step = past->steps + p * width, *change = past->changes + p * width;
        past->factors[p] = past->inverse[p] * NAME(lbfgs_product)(step, direction, width);
        NAME(lbfgs_add)(-past->factors[p], change, width, direction);
    }
    if (past->count) {
        const int64_t p = (past->next - 1 + past->memory) % past->memory;
        const double *change = past->changes + p * width;
        const double size = NAME(lbfgs_product)(change, change, width);
        const double scale = 1.0 / (past->inverse[p] * size);
        for (int64_t d = 0; d < width; d += WIDTH) {
            AT(direction + d) *= scale;
        }
    }
    for (int64_t k = past->count; k >= 1; --k) {
        const int64_t p = (past->next - k + past->memory) % past->memory;
        const double *step = past->steps + p * width, *change = past->changes + p * width;
        const double gap = past->inverse[p] * NAME(lbfgs_product)(change, direction, width);
        NAME(lbfgs_add)(past->factors[p] - gap, step, width, direction);
    }
    return NAME(lbfgs_product)(slope, direction, width);
}

#undef PARTS
#undef READ
#undef AT
#undef VECTOR
