/* The data term of J(u) over rows of which the entries that are not zero are kept.
 *
 * Row r has the entries offsets[r] to offsets[r + 1]: values, and their columns in rising order.
 * Eight rows go together, so that their losses fill a vector.
 */
#ifndef SFM_SPARSE_ROWS_H
#define SFM_SPARSE_ROWS_H

#include "sfm_gibbs_loss.h"

#if SFM_LEVEL_8
#define WIDTH 8
#define NAME(x) sfm_##x##_8
#define TARGET SFM_TARGET_8
#include "sfm_sparse_loops.h"
#undef WIDTH
#undef NAME
#undef TARGET
#endif

#if SFM_LEVEL_4
#define WIDTH 4
#define NAME(x) sfm_##x##_4
#define TARGET SFM_TARGET_4
#include "sfm_sparse_loops.h"
#undef WIDTH
#undef NAME
#undef TARGET
#endif

#if SFM_LEVEL_2
#define WIDTH 2
#define NAME(x) sfm_##x##_2
#define TARGET SFM_TARGET_2
#include "sfm_sparse_loops.h"
#undef WIDTH
#undef NAME
#undef TARGET
#endif

/* With vectors of at most `widest` doubles. */
static inline void sfm_sparse_scores(const float *values, const int32_t *columns,
                                     const int64_t *offsets, int64_t n_rows, const double *u,
                                     double *scores, int widest)
{
    SFM_CALL(widest, sfm_sparse_scores, values, columns, offsets, n_rows, u, scores);
}

static inline void sfm_sparse_risks(const float *values, const int32_t *columns,
                                    const int64_t *offsets, int64_t n_rows, int64_t n_columns,
                                    const int8_t *signs, const double *weights, const double *u,
                                    int convex, sfm_risks *risks, double *gradient, int widest)
{
    SFM_CALL(widest, sfm_sparse_risks, values, columns, offsets, n_rows, n_columns, signs,
             weights, u, convex, risks, gradient);
}

#endif
