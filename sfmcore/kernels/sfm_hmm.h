/* Hidden Markov model with categorical output, eight sequences side by side.
 *
 * The eight sequences of a group are of like length. A sequence that has ended goes on with
 * the padding symbol (emission 1 in every state) and is masked out of every sum.
 *
 * Scaling: the filter keeps alpha[t] with sum c[t] and inverse[t] = 1 / c[t]; the division
 * is folded into the next step. alpha[t] * inverse[t] = P(q_t | x_0..x_t).
 *
 * Memory: alpha is kept for SFM_HMM_BLOCK steps. Longer sequences keep a checkpoint at each
 * block's start and compute the block again on the way back.
 */
#ifndef SFM_HMM_H
#define SFM_HMM_H

#include <float.h>

#include "sfm_random.h"
#include "sfm_vector.h"

#define SFM_HMM_BLOCK 1024
/* Steps whose transition statistics are added in one go, while both factors are in cache. */
#define SFM_HMM_TILE 16

typedef struct {
    int n_states;
    int n_symbols;
    const double *start;       /* [state] */
    const double *transition;  /* [from][to] */
    const double *incoming;    /* [to][from], the transpose */
    const double *emission;    /* [symbol][state], with a last row of ones: padding */
} sfm_hmm;

typedef struct {
    const uint8_t *codes[SFM_LANES];
    int64_t length[SFM_LANES]; /* 0 in an unused lane */
    int64_t shortest;
    int64_t longest;
} sfm_group;

typedef struct {
    vdouble *alpha;        /* [SFM_HMM_BLOCK][state] */
    vdouble *inverse;      /* [SFM_HMM_BLOCK] */
    vdouble *checkpoint;   /* [block][state + 1]: alpha and inverse before the block */
    vdouble *tile;         /* [SFM_HMM_TILE][state] */
    vdouble *message;      /* [3][state] */
    vdouble *start;        /* [state], expected statistics from here on */
    vdouble *transition;   /* [from][to] */
    vdouble *emission;     /* [symbol + 1][state] */
    vdouble log_likelihood;
} sfm_hmm_scratch;

static inline int64_t sfm_hmm_blocks(int64_t longest)
{
    return (longest + SFM_HMM_BLOCK - 1) / SFM_HMM_BLOCK;
}

/* First step after the block that starts at begin. */
static inline int64_t sfm_hmm_block_end(const sfm_group *group, int64_t begin)
{
    return begin + SFM_HMM_BLOCK < group->longest ? begin + SFM_HMM_BLOCK : group->longest;
}

static inline void sfm_hmm_scratch_free(sfm_hmm_scratch *scratch)
{
    free(scratch->alpha);
    scratch->alpha = NULL;
}

/* One allocation for sequences up to `longest`; 0 when there is no memory. */
static inline int sfm_hmm_scratch_new(sfm_hmm_scratch *scratch, const sfm_hmm *hmm, int64_t longest)
{
    const size_t S = (size_t)hmm->n_states, V = (size_t)hmm->n_symbols;
    const size_t block = longest < SFM_HMM_BLOCK ? (size_t)longest : SFM_HMM_BLOCK;
    const size_t n_blocks = (size_t)sfm_hmm_blocks(longest);
    const size_t total = block * S + block + n_blocks * (S + 1) + SFM_HMM_TILE * S + 3 * S + S +
                         S * S + (V + 1) * S;
    vdouble *next = (vdouble *)sfm_alloc(total * sizeof(vdouble));
    scratch->alpha = next;
    if (next == NULL) {
        return 0;
    }
    scratch->inverse = next += block * S;
    scratch->checkpoint = next += block;
    scratch->tile = next += n_blocks * (S + 1);
    scratch->message = next += SFM_HMM_TILE * S;
    scratch->start = next += 3 * S;
    scratch->transition = next += S;
    scratch->emission = next += S * S;
    return 1;
}

/* Lanes for which t < length - back. */
SFM_INLINE vint sfm_hmm_active(const sfm_group *group, int64_t t, int64_t back)
{
    vint length;
    memcpy(&length, group->length, sizeof(length));
    return length - back > t;
}

/* Rows of the emission table for the symbols at time t. */
SFM_INLINE void sfm_hmm_rows(const int S, const sfm_hmm *hmm, const sfm_group *group, int64_t t,
                             const double **row)
{
    for (int lane = 0; lane < SFM_LANES; ++lane) {
        const int symbol = t < group->length[lane] ? group->codes[lane][t] : hmm->n_symbols;
        row[lane] = hmm->emission + (size_t)symbol * S;
    }
}

SFM_INLINE vdouble sfm_hmm_gather(const double *const *row, int j)
{
    return (vdouble){row[0][j], row[1][j], row[2][j], row[3][j],
                     row[4][j], row[5][j], row[6][j], row[7][j]};
}

/* out[j..j+N] = sum_i x[i] * M[i][j..j+N] */
#define SFM_HMM_PRODUCT(N)                                   \
    vdouble sum[N];                                          \
    for (int k = 0; k < N; ++k) {                            \
        sum[k] = vzero();                                    \
    }                                                        \
    for (int i = 0; i < S; ++i) {                            \
        const vdouble xi = x[i];                             \
        const double *m = M + (size_t)i * S + j;             \
        for (int k = 0; k < N; ++k) {                        \
            sum[k] += xi * m[k];                             \
        }                                                    \
    }                                                        \
    for (int k = 0; k < N; ++k) {                            \
        out[j + k] = sum[k];                                 \
    }

SFM_INLINE void sfm_hmm_product(const int S, const double *M, const vdouble *x, vdouble *out)
{
    int j = 0;
    for (; j + 5 <= S; j += 5) {
        SFM_HMM_PRODUCT(5)
    }
    for (; j + 2 <= S; j += 2) {
        SFM_HMM_PRODUCT(2)
    }
    if (j < S) {
        SFM_HMM_PRODUCT(1)
    }
}

SFM_INLINE vdouble sfm_hmm_invert(vdouble c)
{
    /* An impossible sequence has c = 0: its messages become 0, and its likelihood log 0. The
     * same for a c so small that 1 / c would be infinite. */
    const vint possible = c >= vfill(DBL_MIN);
    return vselect(possible, 1.0 / vselect(possible, c, vfill(1.0)), vzero());
}

/* One step of the filter; returns c[t]. previous may not overlap next. */
SFM_INLINE vdouble sfm_hmm_step(const int S, const sfm_hmm *hmm, const sfm_group *group, int64_t t,
                                const vdouble *previous, vdouble inverse, vdouble *next)
{
    const double *row[SFM_LANES];
    vdouble c = vzero();
    sfm_hmm_rows(S, hmm, group, t, row);
    if (t == 0) {
        for (int j = 0; j < S; ++j) {
            next[j] = hmm->start[j] * sfm_hmm_gather(row, j);
            c += next[j];
        }
        return c;
    }
    sfm_hmm_product(S, hmm->transition, previous, next);
    for (int j = 0; j < S; ++j) {
        next[j] *= sfm_hmm_gather(row, j) * inverse;
        c += next[j];
    }
    return c;
}

/* Running product of the c[t]; its logarithm is taken before it can underflow. */
typedef struct {
    vdouble product;
    vdouble log;
} sfm_log_product;

SFM_INLINE void sfm_log_product_flush(sfm_log_product *total)
{
    for (int lane = 0; lane < SFM_LANES; ++lane) {
        total->log[lane] += log(total->product[lane]);
        total->product[lane] = 1.0;
    }
}

SFM_INLINE void sfm_log_product_add(sfm_log_product *total, vdouble c, int64_t t)
{
    total->product *= c;
    /* When is decided by t alone: an item's sum must not depend on its neighbours' values. */
    if ((t & 7) == 7) {
        const vint small = total->product < vfill(1e-100);
        int any = 0;
        for (int lane = 0; lane < SFM_LANES; ++lane) {
            any |= small[lane] != 0;
        }
        if (any) {
            for (int lane = 0; lane < SFM_LANES; ++lane) {
                if (small[lane]) {
                    total->log[lane] += log(total->product[lane]);
                    total->product[lane] = 1.0;
                }
            }
        }
    }
}

/* Filter the steps [begin, end) into scratch->alpha; begin is a block's start. */
SFM_INLINE void sfm_hmm_filter(const int S, const sfm_hmm *hmm, const sfm_group *group,
                               sfm_hmm_scratch *scratch, int64_t begin, int64_t end,
                               sfm_log_product *total)
{
    const vdouble *previous = scratch->checkpoint + (begin / SFM_HMM_BLOCK) * (S + 1);
    vdouble inverse = previous[S];
    for (int64_t t = begin; t < end; ++t) {
        vdouble *next = scratch->alpha + (t - begin) * S;
        vdouble c = sfm_hmm_step(S, hmm, group, t, previous, inverse, next);
        inverse = sfm_hmm_invert(c);
        scratch->inverse[t - begin] = inverse;
        if (total != NULL) {
            if (t >= group->shortest) {
                c = vselect(sfm_hmm_active(group, t, 0), c, vfill(1.0));
            }
            sfm_log_product_add(total, c, t);
        }
        previous = next;
    }
}

/* Filter from the first step to the last: checkpoints, the last block and the likelihoods. */
SFM_INLINE void sfm_hmm_filter_all(const int S, const sfm_hmm *hmm, const sfm_group *group,
                                   sfm_hmm_scratch *scratch)
{
    sfm_log_product total = {vfill(1.0), vzero()};
    const int64_t n_blocks = sfm_hmm_blocks(group->longest);
    for (int j = 0; j <= S; ++j) {
        scratch->checkpoint[j] = vfill(1.0); /* not read for its value: t = 0 has no past */
    }
    for (int64_t block = 0; block < n_blocks; ++block) {
        const int64_t begin = block * SFM_HMM_BLOCK;
        const int64_t end = sfm_hmm_block_end(group, begin);
        sfm_hmm_filter(S, hmm, group, scratch, begin, end, &total);
        if (block + 1 < n_blocks) {
            vdouble *checkpoint = scratch->checkpoint + (block + 1) * (S + 1);
            memcpy(checkpoint, scratch->alpha + (end - 1 - begin) * S, S * sizeof(vdouble));
            checkpoint[S] = scratch->inverse[end - 1 - begin];
        }
    }
    sfm_log_product_flush(&total);
    scratch->log_likelihood = total.log;
}

/* transition[i][j] += sum_t alpha[t][i] * tile[t][j], two rows of i at a time. */
#define SFM_HMM_OUTER(I, J)                                                      \
    {                                                                            \
        vdouble sum[I][J];                                                       \
        for (int a = 0; a < I; ++a) {                                            \
            for (int b = 0; b < J; ++b) {                                        \
                sum[a][b] = transition[(i + a) * S + j + b];                     \
            }                                                                    \
        }                                                                        \
        for (int t = 0; t < n; ++t) {                                            \
            for (int a = 0; a < I; ++a) {                                        \
                const vdouble left = alpha[t * S + i + a];                       \
                for (int b = 0; b < J; ++b) {                                    \
                    sum[a][b] += left * tile[t * S + j + b];                     \
                }                                                                \
            }                                                                    \
        }                                                                        \
        for (int a = 0; a < I; ++a) {                                            \
            for (int b = 0; b < J; ++b) {                                        \
                transition[(i + a) * S + j + b] = sum[a][b];                     \
            }                                                                    \
        }                                                                        \
    }

SFM_INLINE void sfm_hmm_outer(const int S, const vdouble *alpha, const vdouble *tile, int n,
                              vdouble *transition)
{
    int i = 0;
    for (; i + 2 <= S; i += 2) {
        int j = 0;
        for (; j + 5 <= S; j += 5) {
            SFM_HMM_OUTER(2, 5)
        }
        for (; j < S; ++j) {
            SFM_HMM_OUTER(2, 1)
        }
    }
    if (i < S) {
        for (int j = 0; j < S; ++j) {
            SFM_HMM_OUTER(1, 1)
        }
    }
}

/* Smooth the steps [begin, end), whose filter is in scratch, and add their statistics.
 * future holds v[t+1][j] = emission * beta * inverse of the step after the last one. */
SFM_INLINE void sfm_hmm_smooth(const int S, const sfm_hmm *hmm, const sfm_group *group,
                               sfm_hmm_scratch *scratch, int64_t begin, int64_t end)
{
    vdouble *future = scratch->message, *beta = scratch->message + S;
    double *emission = (double *)scratch->emission;
    int64_t t = end - 1;
    while (t >= begin) {
        const int n = t - begin + 1 < SFM_HMM_TILE ? (int)(t - begin + 1) : SFM_HMM_TILE;
        for (int k = n - 1; k >= 0; --k, --t) {
            const vdouble *alpha = scratch->alpha + (t - begin) * S;
            const vdouble inverse = scratch->inverse[t - begin];
            vdouble *tile = scratch->tile + k * S;
            const double *row[SFM_LANES];
            vdouble from_future = inverse, to_present = inverse;
            if (t == group->longest - 1) {
                for (int j = 0; j < S; ++j) {
                    future[j] = vzero();
                    beta[j] = vfill(1.0);
                }
            } else {
                sfm_hmm_product(S, hmm->incoming, future, beta);
            }
            if (t >= group->shortest - 1) {
                /* Some lanes have ended, or end here: beta is 1, nothing comes from beyond. */
                const vint inside = sfm_hmm_active(group, t, 1);
                for (int j = 0; j < S; ++j) {
                    beta[j] = vselect(inside, beta[j], vfill(1.0));
                }
                from_future = vselect(inside, from_future, vzero());
                to_present = vselect(sfm_hmm_active(group, t, 0), to_present, vzero());
            }
            sfm_hmm_rows(S, hmm, group, t, row);
            for (int j = 0; j < S; ++j) {
                tile[j] = future[j] * from_future;
                future[j] = sfm_hmm_gather(row, j) * beta[j] * inverse;
                beta[j] *= alpha[j] * to_present; /* now P(q_t = j | x) */
            }
            for (int lane = 0; lane < SFM_LANES; ++lane) {
                double *cell = emission + (row[lane] - hmm->emission) * SFM_LANES + lane;
                const double *gamma = (const double *)beta + lane;
                for (int j = 0; j < S; ++j) {
                    cell[j * SFM_LANES] += gamma[j * SFM_LANES];
                }
            }
        }
        sfm_hmm_outer(S, scratch->alpha + (t + 1 - begin) * S, scratch->tile, n,
                      scratch->transition);
    }
    if (begin == 0) {
        memcpy(scratch->start, beta, S * sizeof(vdouble));
    }
}

SFM_INLINE void sfm_hmm_expect_n(const int S, const sfm_hmm *hmm, const sfm_group *group,
                                 sfm_hmm_scratch *scratch)
{
    const size_t cells = (size_t)S * (1 + S + hmm->n_symbols + 1);
    memset(scratch->start, 0, cells * sizeof(vdouble));
    scratch->log_likelihood = vzero();
    if (group->longest == 0) {
        return;
    }
    sfm_hmm_filter_all(S, hmm, group, scratch);
    for (int64_t block = sfm_hmm_blocks(group->longest) - 1; block >= 0; --block) {
        const int64_t begin = block * SFM_HMM_BLOCK;
        const int64_t end = sfm_hmm_block_end(group, begin);
        if (end < group->longest) {
            sfm_hmm_filter(S, hmm, group, scratch, begin, end, NULL);
        }
        sfm_hmm_smooth(S, hmm, group, scratch, begin, end);
    }
    for (int cell = 0; cell < S * S; ++cell) {
        scratch->transition[cell] *= hmm->transition[cell];
    }
}

/* Expected statistics of a group, one lane a sequence, and its log-likelihoods. */
SFM_DISPATCH static void sfm_hmm_expect(const sfm_hmm *hmm, const sfm_group *group,
                                        sfm_hmm_scratch *scratch)
{
    /* The usual size as a constant: its loops unroll and its states stay in registers. */
    if (hmm->n_states == 10) {
        sfm_hmm_expect_n(10, hmm, group, scratch);
    } else {
        sfm_hmm_expect_n(hmm->n_states, hmm, group, scratch);
    }
}

/* Log-likelihoods only: no step is kept. */
SFM_DISPATCH static void sfm_hmm_score(const sfm_hmm *hmm, const sfm_group *group,
                                       sfm_hmm_scratch *scratch)
{
    const int S = hmm->n_states;
    vdouble *previous = scratch->message, *next = scratch->message + S;
    vdouble inverse = vfill(1.0);
    sfm_log_product total = {vfill(1.0), vzero()};
    for (int64_t t = 0; t < group->longest; ++t) {
        vdouble c = sfm_hmm_step(S, hmm, group, t, previous, inverse, next);
        vdouble *swap = previous;
        inverse = sfm_hmm_invert(c);
        if (t >= group->shortest) {
            c = vselect(sfm_hmm_active(group, t, 0), c, vfill(1.0));
        }
        sfm_log_product_add(&total, c, t);
        previous = next;
        next = swap;
    }
    sfm_log_product_flush(&total);
    scratch->log_likelihood = total.log;
}

/* Counts of n_draws paths from P(q | x), added to rows[lane] + draw * stride, laid out as
 * start[state], transition[from][to], emission[state][symbol].
 * Comes after sfm_hmm_expect on the same group, whose filter and checkpoints it uses. */
SFM_DISPATCH static void sfm_hmm_draw(const sfm_hmm *hmm, const sfm_group *group,
                                      sfm_hmm_scratch *scratch, const uint64_t *keys,
                                      int n_draws, float *const *rows, int64_t stride,
                                      int *states /* [n_draws][lane] */)
{
    const int S = hmm->n_states, V = hmm->n_symbols;
    const int64_t n_blocks = sfm_hmm_blocks(group->longest);
    const double *ones = hmm->emission + (size_t)V * S;
    vdouble *cumulated = scratch->message;
    sfm_vrng rng;
    sfm_vrng_seed(&rng, keys);
    if (group->longest == 0) {
        return;
    }
    for (int64_t block = n_blocks - 1; block >= 0; --block) {
        const int64_t begin = block * SFM_HMM_BLOCK;
        const int64_t end = sfm_hmm_block_end(group, begin);
        if (n_blocks > 1) {
            sfm_hmm_filter(S, hmm, group, scratch, begin, end, NULL);
        }
        for (int draw = 0; draw < n_draws; ++draw) {
            int *state = states + draw * SFM_LANES;
            for (int64_t t = end - 1; t >= begin; --t) {
                const vdouble *alpha = scratch->alpha + (t - begin) * S;
                const double *row[SFM_LANES];
                const vint active = sfm_hmm_active(group, t, 0);
                vdouble total = vzero(), target;
                vint chosen = (vint)vzero();
                for (int lane = 0; lane < SFM_LANES; ++lane) {
                    row[lane] = t + 1 < group->length[lane]
                                    ? hmm->incoming + (size_t)state[lane] * S
                                    : ones;
                }
                for (int j = 0; j < S; ++j) {
                    total += alpha[j] * sfm_hmm_gather(row, j);
                    cumulated[j] = total;
                }
                target = sfm_vrng_uniform(&rng, active) * total;
                /* The last state is the rest, so rounding can't lead beyond it. */
                for (int j = 0; j < S - 1; ++j) {
                    chosen -= cumulated[j] <= target;
                }
                for (int lane = 0; lane < SFM_LANES; ++lane) {
                    if (t < group->length[lane]) {
                        float *out = rows[lane] + draw * stride;
                        const int from = (int)chosen[lane];
                        if (t + 1 < group->length[lane]) {
                            out[S + from * S + state[lane]] += 1.0f;
                        }
                        out[S + S * S + from * V + group->codes[lane][t]] += 1.0f;
                        if (t == 0) {
                            out[from] += 1.0f;
                        }
                        state[lane] = from;
                    }
                }
            }
        }
    }
}

/* One lane's expected statistics as start, transition, emission[state][symbol]. */
SFM_INLINE double sfm_hmm_cell(const vdouble *cells, size_t index, int lane)
{
    return ((const double *)cells)[index * SFM_LANES + lane];
}

/* log of the posterior's transition matrix: the expected transitions, row by row, as shares. */
static inline void sfm_hmm_log_posterior(const sfm_hmm *hmm, const sfm_hmm_scratch *scratch,
                                         int lane, double *out)
{
    const int S = hmm->n_states;
    for (int i = 0; i < S; ++i) {
        double sum = 0.0;
        for (int j = 0; j < S; ++j) {
            sum += sfm_hmm_cell(scratch->transition, i * S + j, lane);
        }
        for (int j = 0; j < S; ++j) {
            const double expected = sfm_hmm_cell(scratch->transition, i * S + j, lane);
            /* A transition never made counts 0 times; any finite logarithm would do. */
            out[i * S + j] = expected > 0.0 ? log(expected / sum) : 0.0;
        }
    }
}

/* One lane as a row of features: the statistics, then transition * log posterior transition. */
static inline void sfm_hmm_write_row(const sfm_hmm *hmm, const sfm_hmm_scratch *scratch, int lane,
                                     const double *log_posterior, float *out)
{
    const int S = hmm->n_states, V = hmm->n_symbols;
    for (int i = 0; i < S; ++i) {
        out[i] = (float)sfm_hmm_cell(scratch->start, i, lane);
    }
    out += S;
    for (int cell = 0; cell < S * S; ++cell) {
        out[cell] = (float)sfm_hmm_cell(scratch->transition, cell, lane);
    }
    out += S * S;
    for (int v = 0; v < V; ++v) {
        for (int i = 0; i < S; ++i) {
            out[i * V + v] = (float)sfm_hmm_cell(scratch->emission, v * S + i, lane);
        }
    }
    out += S * V;
    for (int cell = 0; cell < S * S; ++cell) {
        out[cell] = (float)(sfm_hmm_cell(scratch->transition, cell, lane) * log_posterior[cell]);
    }
}

/* Add the weighted statistics of all lanes to out: start, transition, emission[state][symbol]. */
SFM_DISPATCH static void sfm_hmm_add_group(const sfm_hmm *hmm, const sfm_hmm_scratch *scratch,
                                           const double *weights, double *out)
{
    const int S = hmm->n_states, V = hmm->n_symbols;
    vdouble weight;
    memcpy(&weight, weights, sizeof(weight));
    for (int i = 0; i < S; ++i) {
        out[i] += vsum(weight * scratch->start[i]);
    }
    out += S;
    for (int cell = 0; cell < S * S; ++cell) {
        out[cell] += vsum(weight * scratch->transition[cell]);
    }
    out += S * S;
    for (int v = 0; v < V; ++v) {
        for (int i = 0; i < S; ++i) {
            out[i * V + v] += vsum(weight * scratch->emission[v * S + i]);
        }
    }
}

#endif
