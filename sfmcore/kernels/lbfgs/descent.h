/* The descent of L-BFGS: a direction, a step along it that satisfies the strong Wolfe conditions,
 * and so on. Moré, Thuente, "Line search algorithms with guaranteed sufficient decrease", ACM
 * Transactions on Mathematical Software 20 (1994), for the conditions.
 */
#ifndef SFM_DESCENT_H
#define SFM_DESCENT_H

#include <math.h>

#include "lbfgs/lbfgs.h"

/* Writes the value and the gradient at a point; anything but 0 ends the descent. */
typedef int (*sfm_function)(void *context, const double *point, double *value, double *slope);

/* When to stop, and what a line search looks for. */
typedef struct {
    int max_iter;
    int max_search;         /* values of a line search at most */
    double tolerance;       /* of the value, relative where it is above 1 */
    double slope_tolerance; /* of the largest entry of the gradient */
    double sufficient, curvature;
} sfm_descent_limits;

/* Two points with their gradients, the direction and the past. */
typedef struct {
    sfm_function evaluate;
    void *context;
    double scale, value;
    int64_t n, width, n_evaluations;
    sfm_lbfgs past;
    /* All vectors in one piece; `origin` and `point` change places. */
    double *memory, *origin, *origin_slope, *point, *slope, *direction;
} sfm_descent;

/* A step along the direction, with the value and the derivative there. */
typedef struct {
    double step, value, derivative;
} sfm_place;

/* What the functions below return. */
enum { SFM_STUCK = 0, SFM_MOVED = 1, SFM_FAILED = -1 };

/* Returns 0, or -1 if there is no memory. */
static inline int sfm_descent_begin(sfm_descent *descent, const double *start, int64_t n,
                                    double scale, int memory)
{
    const int64_t width = (n > 0 ? (n + SFM_LANES - 1) / SFM_LANES : 1) * SFM_LANES;
    const size_t total = (size_t)((5 + 2 * memory) * width + 2 * memory) * sizeof(double);
    descent->scale = scale;
    descent->n = n;
    descent->width = width;
    descent->n_evaluations = 0;
    descent->memory = (double *)sfm_alloc(total);
    if (descent->memory == NULL) {
        return SFM_FAILED;
    }
    memset(descent->memory, 0, total);
    descent->origin = descent->memory;
    descent->origin_slope = descent->origin + width;
    descent->point = descent->origin_slope + width;
    descent->slope = descent->point + width;
    descent->direction = descent->slope + width;
    descent->past.width = width;
    descent->past.memory = memory;
    descent->past.count = descent->past.next = 0;
    descent->past.steps = descent->direction + width;
    descent->past.changes = descent->past.steps + memory * width;
    descent->past.inverse = descent->past.changes + memory * width;
    descent->past.factors = descent->past.inverse + memory;
    if (n > 0) {
        memcpy(descent->point, start, (size_t)n * sizeof(double));
    }
    return 0;
}

/* Value and gradient at the point. Returns 0, or what the function returned. */
static inline int sfm_descent_look(sfm_descent *descent)
{
    const int failed = descent->evaluate(descent->context, descent->point, &descent->value,
                                         descent->slope);
    descent->value *= descent->scale;
    for (int64_t d = 0; d < descent->n; ++d) {
        descent->slope[d] *= descent->scale;
    }
    descent->n_evaluations += 1;
    return failed;
}

/* Go so far from the origin, and look. */
static inline int sfm_descent_at(sfm_descent *descent, double step, sfm_place *place)
{
    for (int64_t d = 0; d < descent->width; ++d) {
        descent->point[d] = descent->origin[d] + step * descent->direction[d];
    }
    const int failed = sfm_descent_look(descent);
    place->step = step;
    place->value = descent->value;
    place->derivative = sfm_lbfgs_dot(&descent->past, descent->slope, descent->direction);
    return failed;
}

/* Where the cubic through two places is lowest, kept away from both; else the middle. */
static inline double sfm_descent_between(sfm_place a, sfm_place b)
{
    const double gap = b.step - a.step;
    const double slope = a.derivative + b.derivative - 3.0 * (b.value - a.value) / gap;
    const double inside = slope * slope - a.derivative * b.derivative;
    if (isfinite(b.value) && isfinite(inside) && inside >= 0.0) {
        const double root = gap > 0.0 ? sqrt(inside) : -sqrt(inside);
        double share = 1.0 - (b.derivative + root - slope) /
                                 (b.derivative - a.derivative + 2.0 * root);
        if (isfinite(share)) {
            share = share < 0.1 ? 0.1 : share > 0.9 ? 0.9 : share;
            return a.step + gap * share;
        }
    }
    return a.step + 0.5 * gap;
}

/* Find a step with the strong Wolfe conditions; the point is there, if it says SFM_MOVED.
 *
 * Otherwise the point is the lowest that was met below the origin, if there is any.
 */
static inline int sfm_descent_search(sfm_descent *descent, sfm_place origin, double step,
                                     const sfm_descent_limits *limits)
{
    sfm_place low = origin, high = origin, place;
    int bracketed = 0;
    for (int k = 0; k < limits->max_search; ++k) {
        if (sfm_descent_at(descent, step, &place)) {
            return SFM_FAILED;
        }
        /* A value that is no number is too far away. */
        if (!(place.value <= origin.value + limits->sufficient * step * origin.derivative &&
              place.value < low.value)) {
            high = place;
            bracketed = 1;
        } else if (fabs(place.derivative) <= -limits->curvature * origin.derivative) {
            return SFM_MOVED;
        } else {
            if (place.derivative * (bracketed ? high.step - low.step : 1.0) >= 0.0) {
                high = low;
                bracketed = 1;
            }
            low = place;
        }
        step = bracketed ? sfm_descent_between(low, high) : 4.0 * step;
        if (step == low.step) {
            break;
        }
    }
    if (low.step != origin.step) {
        return sfm_descent_at(descent, low.step, &place) ? SFM_FAILED : SFM_MOVED;
    }
    return SFM_STUCK;
}

/* One step down; SFM_STUCK, with the point as it was, if there is none. */
static inline int sfm_descent_advance(sfm_descent *descent, const sfm_descent_limits *limits)
{
    for (;;) {
        sfm_place origin;
        double *swapped;
        origin.step = 0.0;
        origin.value = descent->value;
        origin.derivative =
            sfm_lbfgs_direction(&descent->past, descent->slope, descent->direction);
        swapped = descent->origin;
        descent->origin = descent->point;
        descent->point = swapped;
        swapped = descent->origin_slope;
        descent->origin_slope = descent->slope;
        descent->slope = swapped;
        double size = 1.0;
        if (descent->past.count == 0 && origin.derivative < -1.0) {
            size = 1.0 / sqrt(-origin.derivative);
        }
        if (origin.derivative < 0.0) {
            const int found = sfm_descent_search(descent, origin, size, limits);
            if (found == SFM_FAILED) {
                return SFM_FAILED;
            }
            if (found == SFM_MOVED) {
                sfm_lbfgs_keep(&descent->past, descent->origin, descent->point,
                               descent->origin_slope, descent->slope);
                return SFM_MOVED;
            }
        }
        memcpy(descent->point, descent->origin, (size_t)descent->width * sizeof(double));
        memcpy(descent->slope, descent->origin_slope, (size_t)descent->width * sizeof(double));
        descent->value = origin.value;
        if (descent->past.count == 0) {
            return SFM_STUCK;
        }
        /* The past misleads: once more, straight down. */
        descent->past.count = descent->past.next = 0;
    }
}

static inline double sfm_descent_largest_slope(const sfm_descent *descent)
{
    double largest = 0.0;
    for (int64_t d = 0; d < descent->n; ++d) {
        const double size = fabs(descent->slope[d]);
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* Descend from the point, where the value is known. Returns the steps, or SFM_FAILED. */
static inline int sfm_descent_run(sfm_descent *descent, const sfm_descent_limits *limits)
{
    int n_iter = 0;
    while (n_iter < limits->max_iter &&
           sfm_descent_largest_slope(descent) > limits->slope_tolerance) {
        const double before = descent->value;
        const int found = sfm_descent_advance(descent, limits);
        if (found == SFM_FAILED) {
            return SFM_FAILED;
        }
        if (found == SFM_STUCK) {
            break;
        }
        n_iter += 1;
        const double larger = fmax(fmax(fabs(before), fabs(descent->value)), 1.0);
        if (before - descent->value <= limits->tolerance * larger) {
            break;
        }
    }
    return n_iter;
}

#endif
