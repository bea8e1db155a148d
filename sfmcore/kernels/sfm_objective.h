/* Gibbs risk, disagreement and tandem loss of a linear Gibbs classifier, with the gradient. */
#ifndef SFM_OBJECTIVE_H
#define SFM_OBJECTIVE_H

#include "sfm_vector.h"

#define SFM_SQRT_HALF 0.70710678118654752440
#define SFM_INVERSE_SQRT_2PI 0.39894228040143267794

typedef struct {
    double risk;
    double disagreement;
    double tandem;
} sfm_risks;

/* Upper tail of the normal distribution. erfc, since 1 - erf loses the tail. */
static inline double sfm_phi(double a)
{
    return 0.5 * erfc(a * SFM_SQRT_HALF);
}

static inline double sfm_gauss(double a)
{
    return SFM_INVERSE_SQRT_2PI * exp(-0.5 * a * a);
}

/* Add one row's losses; returns d(risk + disagreement / 2) / d(score). */
static inline double sfm_risk(double score, int8_t sign, double weight, int convex,
                              sfm_risks *risks)
{
    if (sign != 0) {
        const double a = sign * score;
        const double loss = sfm_phi(a);
        risks->tandem += weight * loss * loss;
        if (convex && a < 0.0) {
            risks->risk += weight * (0.5 - a * SFM_INVERSE_SQRT_2PI);
            return -weight * sign * SFM_INVERSE_SQRT_2PI;
        }
        risks->risk += weight * loss;
        return -weight * sign * sfm_gauss(score);
    }
    if (convex) {
        return 0.0; /* the disagreement has no convex surrogate */
    }
    const double above = sfm_phi(score), below = sfm_phi(-score);
    risks->disagreement += weight * 2.0 * above * below;
    return weight * sfm_gauss(score) * (above - below);
}

#define REAL float
#define LOAD8(p) __builtin_convertvector(*(const vfloat_u *)(p), vdouble)
#define NAME(x) sfm_##x##_float
#include "sfm_objective_rows.h"
#undef REAL
#undef LOAD8
#undef NAME

#define REAL double
#define LOAD8(p) ((vdouble)(*(const vdouble_u *)(p)))
#define NAME(x) sfm_##x##_double
#include "sfm_objective_rows.h"
#undef REAL
#undef LOAD8
#undef NAME

#endif
