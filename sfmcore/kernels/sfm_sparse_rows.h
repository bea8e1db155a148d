/* The data term of J(u) over rows of which the entries that are not zero are kept.
 *
 * Row r has the entries offsets[r] to offsets[r + 1]: values, and their columns in rising order.
 * Eight rows go together, so that their losses fill a vector.
 */
#ifndef SFM_SPARSE_ROWS_H
#define SFM_SPARSE_ROWS_H

#include "sfm_gibbs_loss.h"

/* u . phi of one row, in eight sums. */
SFM_INLINE double sfm_sparse_dot(const float *values, const int32_t *columns, int64_t n,
                                 const double *u)
{
    vdouble sums = vzero();
    double rest = 0.0;
    int64_t k = 0;
    for (; k + SFM_LANES <= n; k += SFM_LANES) {
        const int32_t *c = columns + k;
        const vdouble weights = {u[c[0]], u[c[1]], u[c[2]], u[c[3]],
                                 u[c[4]], u[c[5]], u[c[6]], u[c[7]]};
        sums += sfm_load8(values + k) * weights;
    }
    for (; k < n; ++k) {
        rest += (double)values[k] * u[columns[k]];
    }
    return vsum(sums) + rest;
}

SFM_DISPATCH static void sfm_sparse_scores(const float *values, const int32_t *columns,
                                           const int64_t *offsets, int64_t n_rows,
                                           const double *u, double *scores)
{
    for (int64_t row = 0; row < n_rows; ++row) {
        const int64_t first = offsets[row];
        scores[row] = sfm_sparse_dot(values + first, columns + first, offsets[row + 1] - first, u);
    }
}

/* The gradient is written: n_columns doubles. */
SFM_DISPATCH static void sfm_sparse_risks(const float *values, const int32_t *columns,
                                          const int64_t *offsets, int64_t n_rows,
                                          int64_t n_columns, const int8_t *signs,
                                          const double *weights, const double *u, int convex,
                                          sfm_risks *risks, double *gradient)
{
    sfm_vrisks sums = {vzero(), vzero(), vzero()};
    memset(gradient, 0, (size_t)n_columns * sizeof(double));
    for (int64_t first = 0; first < n_rows; first += 8) {
        const int n = first + 8 <= n_rows ? 8 : (int)(n_rows - first);
        const int64_t *at = offsets + first;
        vdouble eight = vzero();
        for (int r = 0; r < n; ++r) {
            eight[r] = sfm_sparse_dot(values + at[r], columns + at[r], at[r + 1] - at[r], u);
        }
        eight = sfm_risk8(eight, signs + first, weights + first, n, convex, &sums);
        for (int r = 0; r < n; ++r) {
            const double factor = eight[r];
            for (int64_t k = at[r]; k < at[r + 1]; ++k) {
                gradient[columns[k]] += factor * (double)values[k];
            }
        }
    }
    risks->risk = vsum(sums.risk);
    risks->disagreement = vsum(sums.disagreement);
    risks->tandem = vsum(sums.tandem);
}

#endif
