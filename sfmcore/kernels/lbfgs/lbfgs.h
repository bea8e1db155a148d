/* Limited-memory BFGS: where to go next, from the latest steps and what they changed.
 *
 * Nocedal, "Updating quasi-Newton matrices with limited storage", Mathematics of Computation 35
 * (1980). Vectors are filled up with zeros to `width`, a multiple of eight.
 */
#ifndef SFM_LBFGS_H
#define SFM_LBFGS_H

#include "simd/simd.h"

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

#define SFM_EACH_WIDTH "lbfgs/lbfgs.width.h"
#include "simd/each_width.h"

static inline double sfm_lbfgs_dot(const sfm_lbfgs *past, const double *a, const double *b)
{
    return SFM_CALL(sfm_lbfgs_dot, a, b, past->width);
}

/* Keep step = point - before and the gradient's change over it, unless the curvature along the
 * step is not positive. */
static inline void sfm_lbfgs_keep(sfm_lbfgs *past, const double *before, const double *point,
                                  const double *slope_before, const double *slope)
{
    double *step = past->steps + past->next * past->width;
    double *change = past->changes + past->next * past->width;
    for (int64_t d = 0; d < past->width; ++d) {
        step[d] = point[d] - before[d];
        change[d] = slope[d] - slope_before[d];
    }
    const double curvature = sfm_lbfgs_dot(past, step, change);
    if (curvature > 2.2e-16 * sfm_lbfgs_dot(past, change, change)) {
        past->inverse[past->next] = 1.0 / curvature;
        past->next = (past->next + 1) % past->memory;
        past->count += past->count < past->memory;
    }
}

/* direction = -H slope; without pairs H is the identity. Returns slope . direction. */
static inline double sfm_lbfgs_direction(sfm_lbfgs *past, const double *slope, double *direction)
{
    const int64_t width = past->width, memory = past->memory;
    for (int64_t d = 0; d < width; ++d) {
        direction[d] = -slope[d];
    }
    for (int64_t k = 1; k <= past->count; ++k) {
        const int64_t p = (past->next - k + memory) % memory;
        const double *step = past->steps + p * width, *change = past->changes + p * width;
        past->factors[p] = past->inverse[p] * sfm_lbfgs_dot(past, step, direction);
        SFM_CALL(sfm_lbfgs_add, -past->factors[p], change, width, direction);
    }
    if (past->count) {
        const int64_t p = (past->next - 1 + memory) % memory;
        const double *change = past->changes + p * width;
        const double scale = 1.0 / (past->inverse[p] * sfm_lbfgs_dot(past, change, change));
        for (int64_t d = 0; d < width; ++d) {
            direction[d] *= scale;
        }
    }
    for (int64_t k = past->count; k >= 1; --k) {
        const int64_t p = (past->next - k + memory) % memory;
        const double *step = past->steps + p * width, *change = past->changes + p * width;
        const double factor = SFM_CALL(sfm_lbfgs_rest, past->factors[p], past->inverse[p], change,
                                       direction, width);
        SFM_CALL(sfm_lbfgs_add, factor, step, width, direction);
    }
    return sfm_lbfgs_dot(past, slope, direction);
}

#endif
