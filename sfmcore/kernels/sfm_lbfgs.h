/* Limited-memory BFGS: where to go next, from the latest steps and what they changed.
 *
 * Nocedal, "Updating quasi-Newton matrices with limited storage", Mathematics of Computation 35
 * (1980). Vectors are filled up with zeros to `width`, a multiple of eight.
 */
#ifndef SFM_LBFGS_H
#define SFM_LBFGS_H

#include "sfm_levels.h"

typedef struct {
    int64_t width;
    int64_t memory;   /* pairs that are kept, at most */
    int64_t count;    /* pairs that are kept */
    int64_t next;     /* where the next pair goes */
    int widest;       /* doubles in a vector, at most: tests compare the widths */
    double *steps;    /* [memory][width] */
    double *changes;  /* [memory][width], of the gradient */
    double *inverse;  /* [memory]: 1 / (step . change) */
    double *factors;  /* [memory] */
} sfm_lbfgs;

#define SFM_PREFIX sfm_
#define SFM_LOOPS "sfm_lbfgs_loops.h"
#include "sfm_each_width.h"

static inline double sfm_lbfgs_dot(const sfm_lbfgs *past, const double *a, const double *b)
{
    return SFM_CALL(past->widest, sfm_lbfgs_dot, a, b, past->width);
}

/* Keep step = point - before and the gradient's change over it, unless the curvature along the
 * step is not positive. */
static inline void sfm_lbfgs_keep(sfm_lbfgs *past, const double *before, const double *point,
                                  const double *slope_before, const double *slope)
{
    SFM_CALL(past->widest, sfm_lbfgs_keep, past, before, point, slope_before, slope);
}

/* direction = -H slope; without pairs H is the identity. Returns slope . direction. */
static inline double sfm_lbfgs_direction(sfm_lbfgs *past, const double *slope, double *direction)
{
    return SFM_CALL(past->widest, sfm_lbfgs_direction, past, slope, direction);
}

#endif
