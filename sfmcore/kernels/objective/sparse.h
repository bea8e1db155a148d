/* The data term of J(u) over rows of which the entries that are not zero are kept.
 *
 * Row r has the entries offsets[r] to offsets[r + 1]: values, and their columns in rising order.
 * Eight rows go together, so that their losses fill a vector.
 */
#ifndef SFM_SPARSE_H
#define SFM_SPARSE_H

#include "objective/gibbs.h"

#define SFM_EACH_WIDTH "objective/sparse.width.h"
#include "simd/each_width.h"

static inline void sfm_sparse_scores(const float *values, const int32_t *columns,
                                     const int64_t *offsets, int64_t n_rows, const double *u,
                                     double *scores)
{
    SFM_CALL(sfm_sparse_scores, values, columns, offsets, n_rows, u, scores);
}

static inline void sfm_sparse_risks(const float *values, const int32_t *columns,
                                    const int64_t *offsets, int64_t n_rows, int64_t n_columns,
                                    const int8_t *signs, const double *weights, const double *u,
                                    int convex, sfm_risks *risks, double *gradient)
{
    SFM_CALL(sfm_sparse_risks, values, columns, offsets, n_rows, n_columns, signs,
             weights, u, convex, risks, gradient);
}

#endif
