/* Losses of eight rows of a linear Gibbs classifier, from their scores. */
#ifndef SFM_GIBBS_H
#define SFM_GIBBS_H

#include "simd/normal.h"

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

static inline sfm_risks sfm_sum_risks(const sfm_risk_lanes *lanes)
{
    const sfm_risks risks = {sfm_sum8(lanes->risk), sfm_sum8(lanes->disagreement),
                             sfm_sum8(lanes->tandem)};
    return risks;
}

#define SFM_EACH_WIDTH "objective/gibbs.width.h"
#include "simd/each_width.h"

#endif
