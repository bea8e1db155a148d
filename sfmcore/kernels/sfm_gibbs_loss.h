/* Losses of eight rows of a linear Gibbs classifier, from their scores. */
#ifndef SFM_GIBBS_LOSS_H
#define SFM_GIBBS_LOSS_H

#include "sfm_normal.h"

typedef struct {
    double risk;
    double disagreement;
    double tandem;
} sfm_risks;

/* The same of eight rows side by side. */
typedef struct {
    vdouble risk;
    vdouble disagreement;
    vdouble tandem;
} sfm_vrisks;

/* Add n losses, at most eight; returns d(risk + disagreement / 2) / d(score), 0 beyond n.
 *
 * A sign is -1, 0 (unlabelled) or 1.
 */
SFM_INLINE vdouble sfm_risk8(vdouble score, const int8_t *signs, const double *weights, int n,
                             int convex, sfm_vrisks *risks)
{
    /* A row of weight 0 adds nothing. */
    vdouble sign = vzero(), weight = vzero();
    for (int r = 0; r < n; ++r) {
        sign[r] = signs[r];
        weight[r] = weights[r];
    }
    const vuint flip = (vuint)sign & SFM_SIGN_BIT;
    const vint labelled = sfm_vabove((vuint)sign & ~SFM_SIGN_BIT, 0);
    const vdouble a = (vdouble)((vuint)score ^ flip);
    vdouble loss, opposite, slope, unlabelled_slope = vzero();
    sfm_vnormal(a, &loss, &opposite, &slope);
    risks->tandem += vselect(labelled, weight * loss * loss, vzero());
    if (convex) {
        /* The tangent at 0. The disagreement has no convex surrogate. */
        const vint below = sfm_vsigned((vuint)a);
        loss = vselect(below, 0.5 - a * SFM_INVERSE_SQRT_2PI, loss);
        slope = vselect(below, vfill(SFM_INVERSE_SQRT_2PI), slope);
    } else {
        risks->disagreement += vselect(labelled, vzero(), weight * 2.0 * loss * opposite);
        unlabelled_slope = weight * slope * (loss - opposite);
    }
    risks->risk += vselect(labelled, weight * loss, vzero());
    return vselect(labelled, -(sign * weight * slope), unlabelled_slope);
}

/* Eight floats as doubles. GCC makes one instruction of this, but four of a conversion of the
 * whole vector.
 */
SFM_INLINE vdouble sfm_load8(const float *p)
{
    return (vdouble){p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]};
}

#endif
