/* Losses of eight rows of a linear Gibbs classifier, from their scores. */
#ifndef SFM_GIBBS_LOSS_H
#define SFM_GIBBS_LOSS_H

#include "sfm_levels.h"
#include "sfm_normal.h"

typedef struct {
    double risk;
    double disagreement;
    double tandem;
} sfm_risks;

/* The same of eight rows side by side. */
typedef struct {
    double risk[SFM_LANES];
    double disagreement[SFM_LANES];
    double tandem[SFM_LANES];
} sfm_risk_lanes;

/* Sum of eight, in the order of sfm_vsum8_8. */
static inline double sfm_sum8(const double *x)
{
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

static inline sfm_risks sfm_sum_risks(const sfm_risk_lanes *lanes)
{
    const sfm_risks risks = {sfm_sum8(lanes->risk), sfm_sum8(lanes->disagreement),
                             sfm_sum8(lanes->tandem)};
    return risks;
}

#define SFM_PREFIX sfm_
#define SFM_LOOPS "sfm_gibbs_lanes.h"
#include "sfm_each_width.h"

#endif
