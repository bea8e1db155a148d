/* Limited-memory BFGS: where to go next, from the latest steps and what they changed.
 *
 * Nocedal, "Updating quasi-Newton matrices with limited storage", Mathematics of Computation 35
 * (1980). Vectors are filled up with zeros to `width`, a multiple of eight.
 */
#ifndef SFM_LBFGS_H
#define SFM_LBFGS_H

#include "sfm_vector.h"

typedef struct {
    int64_t width;
    int64_t memory;   /* pairs that are kept, at most */
    int64_t count;    /* pairs that are kept */
    int64_t next;     /* where the next pair goes */
    double *steps;    /* [memory][width] */
    double *changes;  /* [memory][width], of the gradient */
    double *inverse;  /* [memory]: 1 / (step . change) */
    double *factors;  /* [memory] */
} sfm_lbfgs;

SFM_INLINE double sfm_lbfgs_product(const double *a, const double *b, int64_t width)
{
    vdouble sums[2] = {vzero(), vzero()};
    int64_t d = 0;
    for (; d + 2 * SFM_LANES <= width; d += 2 * SFM_LANES) {
        sums[0] += *(const vdouble *)(a + d) * *(const vdouble *)(b + d);
        sums[1] += *(const vdouble *)(a + d + SFM_LANES) * *(const vdouble *)(b + d + SFM_LANES);
    }
    if (d < width) {
        sums[0] += *(const vdouble *)(a + d) * *(const vdouble *)(b + d);
    }
    return vsum(sums[0] + sums[1]);
}

SFM_INLINE void sfm_lbfgs_add(double factor, const double *a, int64_t width, double *sum)
{
    for (int64_t d = 0; d < width; d += SFM_LANES) {
        *(vdouble *)(sum + d) += factor * *(const vdouble *)(a + d);
    }
}

SFM_DISPATCH static double sfm_lbfgs_dot(const double *a, const double *b, int64_t width)
{
    return sfm_lbfgs_product(a, b, width);
}

/* Keep step = point - before and the gradient's change over it, unless the curvature along the
 * step is not positive. */
SFM_DISPATCH static void sfm_lbfgs_keep(sfm_lbfgs *past, const double *before,
                                        const double *point, const double *slope_before,
                                        const double *slope)
{
    const int64_t width = past->width;
    double *step = past->steps + past->next * width, *change = past->changes + past->next * width;
    for (int64_t d = 0; d < width; d += SFM_LANES) {
        *(vdouble *)(step + d) = *(const vdouble *)(point + d) - *(const vdouble *)(before + d);
        *(vdouble *)(change + d) =
            *(const vdouble *)(slope + d) - *(const vdouble *)(slope_before + d);
    }
    const double curvature = sfm_lbfgs_product(step, change, width);
    if (curvature > 2.2e-16 * sfm_lbfgs_product(change, change, width)) {
        past->inverse[past->next] = 1.0 / curvature;
        past->next = (past->next + 1) % past->memory;
        past->count += past->count < past->memory;
    }
}

/* direction = -H slope; without pairs H is the identity. Returns slope . direction. */
SFM_DISPATCH static double sfm_lbfgs_direction(sfm_lbfgs *past, const double *slope,
                                               double *direction)
{
    const int64_t width = past->width;
    for (int64_t d = 0; d < width; ++d) {
        direction[d] = -slope[d];
    }
    for (int64_t k = 1; k <= past->count; ++k) {
        const int64_t p = (past->next - k + past->memory) % past->memory;
        const double *step = past->steps + p * width, *change = past->changes + p * width;
        past->factors[p] = past->inverse[p] * sfm_lbfgs_product(step, direction, width);
        sfm_lbfgs_add(-past->factors[p], change, width, direction);
    }
    if (past->count) {
        const int64_t p = (past->next - 1 + past->memory) % past->memory;
        const double *change = past->changes + p * width;
        const double scale = 1.0 / (past->inverse[p] * sfm_lbfgs_product(change, change, width));
        for (int64_t d = 0; d < width; ++d) {
            direction[d] *= scale;
        }
    }
    for (int64_t k = past->count; k >= 1; --k) {
        const int64_t p = (past->next - k + past->memory) % past->memory;
        const double *step = past->steps + p * width, *change = past->changes + p * width;
        const double gap = past->inverse[p] * sfm_lbfgs_product(change, direction, width);
        sfm_lbfgs_add(past->factors[p] - gap, step, width, direction);
    }
    return sfm_lbfgs_product(slope, direction, width);
}

#endif
