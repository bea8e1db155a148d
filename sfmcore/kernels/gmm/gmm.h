/* Gaussian mixture with diagonal covariances, a block of items at a time.
 *
 * For the posteriors the items are turned into [column][lane], eight side by side. Sums over
 * items run with the lanes over columns instead, so that no sum across lanes is needed.
 *
 * Everything is taken from differences to the means. Expanded squares would lose the digits of
 * items that lie far from 0.
 */
#ifndef SFM_GMM_H
#define SFM_GMM_H

#include "simd/math.h"
#include "simd/random.h"

/* Items of a block, a multiple of the lanes. */
#define SFM_GMM_BLOCK 64
/* Columns that are turned in one go: a block's share of the cache. */
#define SFM_GMM_COLUMNS 64
/* log(1e-300): the least log of a share, so that it stays finite for a share of 0. */
#define SFM_GMM_LOG_FLOOR (-690.77552789821368)

typedef struct {
    int64_t n_components;
    int64_t n_columns;
    int64_t n_vectors;         /* of columns, the last one filled up */
    const double *log_weight;  /* [component] */
    const double *constant;    /* [component]: log density at the mean, and log_weight */
    const double *centre;      /* [column][component] */
    const double *scale;       /* [column][component]: -1 / (2 variance) */
    const double *mean;        /* as by sfm_gmm_cell, 0 beyond the columns */
} sfm_gmm;

typedef struct {
    double *items;      /* [group of lanes][column, at most SFM_GMM_COLUMNS][lane] */
    double *joint;      /* [component][SFM_GMM_BLOCK]: log P(item, component), less the largest */
    double *share;      /* [component][SFM_GMM_BLOCK]: P(component | item) */
    double *tile;       /* [SFM_GMM_BLOCK][2 * SFM_LANES]: some columns of the rows */
    double *cumulated;  /* [component][lane]: sums of shares */
    int64_t *chosen;    /* [draw][lane]: components */
    double sum[SFM_GMM_BLOCK];      /* of exp(joint) */
    double log_sum[SFM_GMM_BLOCK];
    double log_likelihood[SFM_GMM_BLOCK];
} sfm_gmm_scratch;

static inline void sfm_gmm_scratch_free(sfm_gmm_scratch *scratch)
{
    free(scratch->items);
    scratch->items = NULL;
}

/* One allocation; 0 when there is no memory. */
static inline int sfm_gmm_scratch_new(sfm_gmm_scratch *scratch, const sfm_gmm *gmm, int n_draws)
{
    const size_t K = (size_t)gmm->n_components;
    const size_t items = SFM_GMM_BLOCK * SFM_GMM_COLUMNS, tile = SFM_GMM_BLOCK * 2 * SFM_LANES;
    const size_t total = items + tile + (2 * SFM_GMM_BLOCK + SFM_LANES) * K;
    double *next = (double *)sfm_alloc((total + (size_t)n_draws * SFM_LANES) * sizeof(double));
    scratch->items = next;
    if (next == NULL) {
        return 0;
    }
    scratch->tile = next += items;
    scratch->joint = next += tile;
    scratch->share = next += SFM_GMM_BLOCK * K;
    scratch->cumulated = next += SFM_GMM_BLOCK * K;
    scratch->chosen = (int64_t *)(next + SFM_LANES * K);
    return 1;
}

/* Where a sum over items stands: [vector of columns][component][lane]. */
SFM_INLINE int64_t sfm_gmm_cell(int64_t n_components, int64_t component, int64_t column)
{
    const int64_t vector = column / SFM_LANES, lane = column % SFM_LANES;
    return (vector * n_components + component) * SFM_LANES + lane;
}

/* Columns of a block's rows side by side; 0 beyond the last column. */
SFM_INLINE void sfm_gmm_pack(const sfm_gmm *gmm, const double *rows, int n_items, int64_t begin,
                             const int width, double *tile)
{
    const int64_t D = gmm->n_columns, n = begin + width <= D ? width : D - begin;
    int64_t i = 0;
    if (n == width) {
        for (; i < n_items; ++i) {
            memcpy(tile + i * width, rows + i * D + begin, (size_t)width * sizeof(double));
        }
    }
    /* What is read beyond a row is the next one's, as long as there is one. */
    for (; i * D + begin + width <= n_items * D; ++i) {
        for (int d = 0; d < width; ++d) {
            const double x = rows[i * D + begin + d];
            tile[i * width + d] = d < n ? x : 0.0;
        }
    }
    for (; i < n_items; ++i) {
        for (int d = 0; d < width; ++d) {
            tile[i * width + d] = d < n ? rows[i * D + begin + d] : 0.0;
        }
    }
}

/* Items whose density is 0 in every component, or which hold NaN: the mixture's weights are
 * their shares, for nothing tells the components apart. Their log-likelihood stays what it is. */
static inline void sfm_gmm_impossible(const sfm_gmm *gmm, double *joint, double *largest,
                                      double *log_likelihood)
{
    for (int i = 0; i < SFM_GMM_BLOCK; ++i) {
        if (!(largest[i] > -INFINITY)) {
            log_likelihood[i] = joint[i];
            largest[i] = 0.0;
            for (int64_t k = 0; k < gmm->n_components; ++k) {
                joint[k * SFM_GMM_BLOCK + i] = gmm->log_weight[k];
            }
        }
    }
}

/* Log of a share, finite for a share of 0. */
static inline double sfm_gmm_log_share(const sfm_gmm_scratch *scratch, int64_t k, int item)
{
    const double log_share = scratch->joint[k * SFM_GMM_BLOCK + item] - scratch->log_sum[item];
    return log_share > SFM_GMM_LOG_FLOOR ? log_share : SFM_GMM_LOG_FLOOR;
}

#define SFM_EACH_WIDTH "gmm/gmm.width.h"
#include "simd/each_width.h"

/* Log-likelihoods and shares of a block of items. */
static inline void sfm_gmm_posterior(const sfm_gmm *gmm, const double *rows, int n_items,
                                     sfm_gmm_scratch *scratch)
{
    const int64_t K = gmm->n_components, D = gmm->n_columns;
    const int n_groups = (n_items + SFM_LANES - 1) / SFM_LANES;
    for (int64_t k = 0; k < K; ++k) {
        for (int i = 0; i < SFM_GMM_BLOCK; ++i) {
            scratch->joint[k * SFM_GMM_BLOCK + i] = gmm->constant[k];
        }
    }
    for (int64_t begin = 0; begin < D; begin += SFM_GMM_COLUMNS) {
        const int64_t n = begin + SFM_GMM_COLUMNS <= D ? SFM_GMM_COLUMNS : D - begin;
        SFM_CALL(sfm_gmm_turn, gmm, rows, n_items, begin, n, scratch->items);
        SFM_CALL(sfm_gmm_add_columns, gmm, scratch->items, n_groups, begin, n,
                 scratch->joint);
    }
    SFM_CALL(sfm_gmm_normalise, gmm, scratch);
}

/* Add a block's statistics to out: weighted shares [component], then sums and squares of the
 * differences from the means, laid out as by sfm_gmm_cell. Comes after sfm_gmm_posterior, whose
 * shares it multiplies by the weights: one for each item of the block, 0 beyond the last. */
static inline void sfm_gmm_add(const sfm_gmm *gmm, const double *rows, int n_items,
                               const double *weights, sfm_gmm_scratch *scratch, double *out)
{
    SFM_CALL(sfm_gmm_add_block, gmm, rows, n_items, weights, scratch->share,
             scratch->tile, out);
}

/* One item's expected features: share, share x, share x^2, share log share. */
#define sfm_gmm_write_expected(...) SFM_CALL(sfm_gmm_write_expected, __VA_ARGS__)

/* One item's features when the hidden variable is component k. */
#define sfm_gmm_write_choice(...) SFM_CALL(sfm_gmm_write_choice, __VA_ARGS__)

/* Features of components drawn from the shares of a block of items: rows of n_draws for each item.
 * Comes after sfm_gmm_posterior. */
static inline void sfm_gmm_draw(const sfm_gmm *gmm, const double *rows, int n_items,
                                const uint64_t *keys, int n_draws, sfm_gmm_scratch *scratch,
                                float *out, int64_t stride)
{
    for (int first = 0; first < n_items; first += SFM_LANES) {
        const int n = n_items - first < SFM_LANES ? n_items - first : SFM_LANES;
        uint64_t lane_keys[SFM_LANES] = {0};
        memcpy(lane_keys, keys + first, (size_t)n * sizeof(uint64_t));
        SFM_CALL(sfm_gmm_draw, gmm, scratch, first, lane_keys, n_draws);
        for (int lane = 0; lane < n; ++lane) {
            const int64_t item = first + lane;
            for (int draw = 0; draw < n_draws; ++draw) {
                sfm_gmm_write_choice(gmm, scratch, (int)item,
                                     scratch->chosen[draw * SFM_LANES + lane],
                                     rows + item * gmm->n_columns,
                                     out + (item * n_draws + draw) * stride);
            }
        }
    }
}

#endif
