/* Gibbs risk, disagreement and tandem loss of a linear Gibbs classifier, with the gradient.
 *
 * Rows go in blocks that stay in the cache: scores of the block, losses eight at a time, and
 * then the gradient, so that the rows come from memory once.
 */
#ifndef SFM_OBJECTIVE_H
#define SFM_OBJECTIVE_H

#include "objective/gibbs.h"

/* A block has at most this many bytes, but eight rows at least, and at most this many rows. */
#define SFM_OBJECTIVE_BYTES 131072
#define SFM_OBJECTIVE_ROWS 64
/* Before a loop over eight rows: unrolled, their sums and pointers stay in registers. */
#define SFM_UNROLL8 _Pragma("GCC unroll 8")

/* Length of u and of a gradient spread out for the kernels: a multiple of 8. The columns that do
 * not fill a vector are at the very end; the lanes before them count for nothing.
 */
static inline int64_t sfm_spread_width(int64_t n_columns)
{
    return (n_columns + SFM_LANES - 1) / SFM_LANES * SFM_LANES;
}

/* Spread u out, with zeros in the lanes that count for nothing. */
static inline void sfm_spread_to(const double *u, int64_t n_columns, double *spread)
{
    const size_t width = (size_t)sfm_spread_width(n_columns), rest = (size_t)n_columns % SFM_LANES;
    const size_t full = (size_t)n_columns - rest;
    memset(spread, 0, width * sizeof(double));
    memcpy(spread, u, full * sizeof(double));
    memcpy(spread + width - rest, u + full, rest * sizeof(double));
}

/* u spread out; NULL when there is no memory. */
static inline double *sfm_spread(const double *u, int64_t n_columns)
{
    double *spread = (double *)sfm_alloc((size_t)sfm_spread_width(n_columns) * sizeof(double));
    if (spread != NULL) {
        sfm_spread_to(u, n_columns, spread);
    }
    return spread;
}

/* The chunks' sums, chunk by chunk. The first chunk's place takes them on the way. */
static inline sfm_risks sfm_add_chunks(sfm_risks *risks, double *gradients, int64_t n_chunks,
                                       int64_t n_columns, double *gradient)
{
    const size_t width = (size_t)sfm_spread_width(n_columns), rest = (size_t)n_columns % SFM_LANES;
    const size_t full = (size_t)n_columns - rest;
    for (int64_t chunk = 1; chunk < n_chunks; ++chunk) {
        const double *added = gradients + (size_t)chunk * width;
        for (size_t d = 0; d < width; ++d) {
            gradients[d] += added[d];
        }
        risks->risk += risks[chunk].risk;
        risks->disagreement += risks[chunk].disagreement;
        risks->tandem += risks[chunk].tandem;
    }
    memcpy(gradient, gradients, full * sizeof(double));
    memcpy(gradient + full, gradients + width - rest, rest * sizeof(double));
    return *risks;
}

/* |u - u_0|^2 / 2, and the data term's slope made that of J(u) in place. */
static inline double sfm_add_divergence(double *slope, const double *u, const double *prior_mean,
                                        int64_t n, double C, double n_items)
{
    const double rate = 1.0 / n_items;
    double total = 0.0;
    for (int64_t d = 0; d < n; ++d) {
        const double difference = u[d] - prior_mean[d];
        total += difference * difference;
        slope[d] = C * slope[d] + rate * difference;
    }
    return 0.5 * total;
}

/* Both types of rows. Floats are called with 256 bits at most: most of their time goes into the
 * conversion, which is no faster eight at a time, and from memory they come more slowly by longer
 * loads.
 */
#define REAL float
#define LOAD(p) vload_floats(p)
#define TYPED(x) SIZED(sfm_##x##_float)
#define SFM_EACH_WIDTH "objective/rows.width.h"
#include "simd/each_width.h"
#undef REAL
#undef LOAD
#undef TYPED

#define REAL double
#define LOAD(p) vload(p)
#define TYPED(x) SIZED(sfm_##x##_double)
#define SFM_EACH_WIDTH "objective/rows.width.h"
#include "simd/each_width.h"
#undef REAL
#undef LOAD
#undef TYPED

/* Scores of consecutive rows; u is spread out. */
#define sfm_scores_float(...) SFM_CALL_WITHIN(256, sfm_scores_float, __VA_ARGS__)
#define sfm_scores_double(...) SFM_CALL(sfm_scores_double, __VA_ARGS__)

/* Risks of consecutive rows and the gradient, which is spread out like u. */
#define sfm_risks_float(...) SFM_CALL_WITHIN(256, sfm_risks_float, __VA_ARGS__)
#define sfm_risks_double(...) SFM_CALL(sfm_risks_double, __VA_ARGS__)

#endif
