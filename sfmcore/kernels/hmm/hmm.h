/* Hidden Markov model with categorical output, eight sequences side by side.
 *
 * The eight sequences of a group are of like length. A sequence that has ended goes on with
 * the padding symbol (emission 1 in every state) and is masked out of every sum.
 *
 * Scaling: the filter keeps alpha[t] with sum c[t] and inverse[t] = 1 / c[t]; the division
 * is folded into the next step. alpha[t] * inverse[t] = P(q_t | x_0..x_t).
 *
 * The passes stand in hmm.width.h.
 *
 * Memory: alpha is kept for SFM_HMM_BLOCK steps. Longer sequences keep a checkpoint at each
 * block's start and compute the block again on the way back.
 */
#ifndef SFM_HMM_H
#define SFM_HMM_H

#include <float.h>

#include "simd/random.h"

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

/* Cells have a double for each lane. While it works, a pass keeps the lanes in parts, as wide as
 * its vectors; the statistics have the eight lanes side by side whatever the width. */
typedef struct {
    double *alpha;         /* [part][step of a block][state] */
    double *inverse;       /* [part][step of a block] */
    double *checkpoint;    /* [part][block][state + 1]: alpha and inverse before the block */
    double *tile;          /* [SFM_HMM_TILE][state], of one part as is message */
    double *message;       /* [3][state] */
    double *start;         /* [state], expected statistics from here on, without gaps */
    double *transition;    /* [from][to] */
    double *emission;      /* [symbol + 1][state] */
    double *by_lane;       /* [lane][symbol + 1][state]: emissions while a part is summed up */
    double *log_posterior; /* [from][to], of one lane: not eight */
    int *states;           /* [draw][lane] */
    double log_likelihood[SFM_LANES];
} sfm_hmm_scratch;

static inline int64_t sfm_hmm_blocks(int64_t longest)
{
    return (longest + SFM_HMM_BLOCK - 1) / SFM_HMM_BLOCK;
}

/* Doubles from one symbol's states to the next one's, where they are next to each other: what vectors
 * of any width may be aligned in. */
static inline int sfm_hmm_stride(int n_states)
{
    return (n_states + SFM_LANES - 1) / SFM_LANES * SFM_LANES;
}

/* Doubles of one lane's emissions, the padding symbol's too. */
static inline size_t sfm_hmm_by_lane(const sfm_hmm *hmm)
{
    return (size_t)(hmm->n_symbols + 1) * (size_t)sfm_hmm_stride(hmm->n_states);
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
static inline int sfm_hmm_scratch_new(sfm_hmm_scratch *scratch, const sfm_hmm *hmm, int64_t longest,
                                      int n_draws)
{
    const size_t S = (size_t)hmm->n_states, V = (size_t)hmm->n_symbols;
    const size_t block = longest < SFM_HMM_BLOCK ? (size_t)longest : SFM_HMM_BLOCK;
    const size_t n_blocks = (size_t)sfm_hmm_blocks(longest);
    const size_t total = block * S + block + n_blocks * (S + 1) + SFM_HMM_TILE * S + 3 * S + S +
                         S * S + (V + 1) * S + sfm_hmm_by_lane(hmm);
    double *next = (double *)sfm_alloc((total * SFM_LANES + S * S) * sizeof(double) +
                                       (size_t)n_draws * SFM_LANES * sizeof(int));
    scratch->alpha = next;
    if (next == NULL) {
        return 0;
    }
    scratch->inverse = next += block * S * SFM_LANES;
    scratch->checkpoint = next += block * SFM_LANES;
    scratch->tile = next += n_blocks * (S + 1) * SFM_LANES;
    scratch->message = next += SFM_HMM_TILE * S * SFM_LANES;
    scratch->start = next += 3 * S * SFM_LANES;
    scratch->transition = next += S * SFM_LANES;
    scratch->emission = next += S * S * SFM_LANES;
    scratch->by_lane = next += (V + 1) * S * SFM_LANES;
    scratch->log_posterior = next += sfm_hmm_by_lane(hmm) * SFM_LANES;
    scratch->states = (int *)(next + S * S);
    return 1;
}

/* Types of hmm.width.h. */
#define hmm_piece SIZED(sfm_hmm_piece)
#define hmm_log SIZED(sfm_hmm_log)

#define SFM_EACH_WIDTH "hmm/hmm.width.h"
#include "simd/each_width.h"

/* Expected statistics of a group, one lane a sequence, and its log-likelihoods. */
static inline void sfm_hmm_expect(const sfm_hmm *hmm, const sfm_group *group,
                                  sfm_hmm_scratch *scratch)
{
    const size_t S = (size_t)hmm->n_states, cells = S * (1 + S + (size_t)hmm->n_symbols + 1);
    memset(scratch->start, 0, cells * SFM_LANES * sizeof(double));
    memset(scratch->log_likelihood, 0, sizeof(scratch->log_likelihood));
    if (group->longest > 0) {
        SFM_CALL(sfm_hmm_expect, hmm, group, scratch);
    }
}

/* Log-likelihoods only: no step is kept. */
#define sfm_hmm_score(...) SFM_CALL(sfm_hmm_score, __VA_ARGS__)

/* One lane's expected statistics as start, transition, emission[state][symbol]. */
SFM_INLINE double sfm_hmm_cell(const double *cells, size_t index, int lane)
{
    return cells[index * SFM_LANES + lane];
}

/* log of the posterior's transition matrix: the expected transitions, row by row, as shares. */
static inline void sfm_hmm_take_log_posterior(const sfm_hmm *hmm, sfm_hmm_scratch *scratch,
                                              int lane)
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
            scratch->log_posterior[i * S + j] = expected > 0.0 ? log(expected / sum) : 0.0;
        }
    }
}

/* One lane as a row of features: the statistics, then transition * log posterior transition. */
static inline void sfm_hmm_write_row(const sfm_hmm *hmm, sfm_hmm_scratch *scratch, int lane,
                                     float *out)
{
    const int S = hmm->n_states, V = hmm->n_symbols;
    sfm_hmm_take_log_posterior(hmm, scratch, lane);
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
        out[cell] = (float)(sfm_hmm_cell(scratch->transition, cell, lane) *
                            scratch->log_posterior[cell]);
    }
}

/* Features of n_draws paths from P(q | x) in rows[lane] + draw * stride, NULL in an unused lane:
 * counts in the place of statistics, and the exact posterior's logarithms.
 * Comes after sfm_hmm_expect on the same group, whose filter and checkpoints it uses. */
static inline void sfm_hmm_draw(const sfm_hmm *hmm, const sfm_group *group,
                                sfm_hmm_scratch *scratch, const uint64_t *keys, int n_draws,
                                float *const *rows, int64_t stride)
{
    const int S = hmm->n_states, n_statistics = S * (1 + S + hmm->n_symbols);
    for (int lane = 0; lane < SFM_LANES; ++lane) {
        for (int draw = 0; rows[lane] != NULL && draw < n_draws; ++draw) {
            memset(rows[lane] + draw * stride, 0, (size_t)n_statistics * sizeof(float));
        }
    }
    if (group->longest > 0) {
        SFM_CALL(sfm_hmm_draw, hmm, group, scratch, keys, n_draws, rows, stride);
    }
    for (int lane = 0; lane < SFM_LANES; ++lane) {
        if (rows[lane] == NULL) {
            continue;
        }
        sfm_hmm_take_log_posterior(hmm, scratch, lane);
        for (int draw = 0; draw < n_draws; ++draw) {
            float *row = rows[lane] + draw * stride;
            for (int cell = 0; cell < S * S; ++cell) {
                row[n_statistics + cell] = (float)(row[S + cell] * scratch->log_posterior[cell]);
            }
        }
    }
}

/* Add the weighted statistics of all lanes to out: start, transition, emission[state][symbol].
 * Multiplies those of the lanes by the weights. */
#define sfm_hmm_add_group(...) SFM_CALL(sfm_hmm_add_group, __VA_ARGS__)

#endif
