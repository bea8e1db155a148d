/* What a weighted sum of an HMM's expected statistics owes to each symbol of a sequence.
 *
 * With alpha and beta scaled to P(q_t | x_0..x_t) and P(x_t+1.. | q_t) / P(x_t+1.. | x_0..x_t),
 * gamma_t = alpha_t beta_t. A weighted sum of the expected steps into t needs no table of them:
 * it is the product of beta with alpha times the matrix of transitions that their weights multiply.
 * So a sequence takes three products of a vector with a matrix a symbol.
 */
#ifndef SFM_OCCUPANCY_H
#define SFM_OCCUPANCY_H

#include <stdint.h>
#include <string.h>

typedef struct {
    int64_t n_states;
    int64_t n_symbols;
    const double *start;      /* [state] */
    const double *transition; /* [from][to] */
    const double *incoming;   /* [to][from], the transpose */
    const double *emission;   /* [symbol][state] */
} sfm_chain;

/* What a count of each statistic is worth. */
typedef struct {
    const double *start;  /* [state] */
    const double *step;   /* [from][to] */
    const double *symbol; /* [state][symbol] */
} sfm_worth;

/* out = row times matrix, added up in the order of the rows. */
static inline void sfm_row_times(const double *restrict row, const double *restrict matrix,
                                 int64_t n, double *restrict out)
{
    for (int64_t j = 0; j < n; ++j) {
        out[j] = row[0] * matrix[j];
    }
    for (int64_t i = 1; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j) {
            out[j] += row[i] * matrix[i * n + j];
        }
    }
}

/* Adds to out[t] what symbol t has of the sum, half of every step. `memory` has room for
 * n_states (2 n + n_states + 2) + n doubles. */
static inline void sfm_occupancy(const sfm_chain *chain, const sfm_worth *worth,
                                 const uint8_t *codes, int64_t n, double *memory, double *out)
{
    const int64_t S = chain->n_states, V = chain->n_symbols;
    double *alpha = memory, *stepped = alpha + n * S, *inverse = stepped + n * S;
    double *weighted = inverse + n, *beta = weighted + S * S, *next = beta + S;
    if (n == 0) {
        return;
    }
    for (int64_t k = 0; k < S * S; ++k) {
        weighted[k] = chain->transition[k] * worth->step[k];
    }
    for (int64_t t = 0; t < n; ++t) {
        double *own = alpha + t * S, sum = 0.0;
        const double *given = chain->emission + codes[t] * S;
        if (t == 0) {
            memcpy(own, chain->start, (size_t)S * sizeof(double));
        } else {
            sfm_row_times(own - S, chain->transition, S, own);
            sfm_row_times(own - S, weighted, S, stepped + t * S);
        }
        for (int64_t j = 0; j < S; ++j) {
            own[j] *= given[j];
            sum += own[j];
        }
        inverse[t] = 1.0 / sum;
        for (int64_t j = 0; j < S; ++j) {
            own[j] *= inverse[t];
        }
    }
    for (int64_t j = 0; j < S; ++j) {
        beta[j] = 1.0;
    }
    for (int64_t t = n - 1; t >= 0; --t) {
        const double *own = alpha + t * S, *given = chain->emission + codes[t] * S;
        double here = 0.0, steps = 0.0;
        for (int64_t j = 0; j < S; ++j) {
            here += own[j] * beta[j] * worth->symbol[j * V + codes[t]];
        }
        if (t == 0) {
            for (int64_t j = 0; j < S; ++j) {
                here += own[j] * beta[j] * worth->start[j];
            }
            out[0] += here;
            break;
        }
        for (int64_t j = 0; j < S; ++j) {
            beta[j] *= given[j] * inverse[t];
            steps += stepped[t * S + j] * beta[j];
        }
        out[t] += here + 0.5 * steps;
        out[t - 1] += 0.5 * steps;
        sfm_row_times(beta, chain->incoming, S, next);
        memcpy(beta, next, (size_t)S * sizeof(double));
    }
}

#endif
