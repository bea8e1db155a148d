/* The model's passes for vectors of WIDTH doubles; included once for each width. NAME(x) names
 * the functions, LANES(x) those of the width alone, TARGET is their attribute.
 *
 * Compilers keep sums in registers only in vectors that the processor has: eight doubles as two
 * or four pieces would go through memory. So the lanes of a group are taken as parts of WIDTH,
 * and a part goes through a whole pass before the next one begins.
 *
 * A lane's operations have the same order in every width. Where a processor multiplies and adds
 * at once, products that are stored are rounded first, in every width too: widths that both fuse
 * give the same bits.
 */

#define PARTS (SFM_LANES / WIDTH)

typedef double NAME(vector) __attribute__((vector_size(8 * WIDTH), may_alias));
typedef int64_t NAME(mask) __attribute__((vector_size(8 * WIDTH), may_alias));
typedef uint64_t NAME(bits) __attribute__((vector_size(8 * WIDTH), may_alias));
#define VECTOR NAME(vector)
#define MASK NAME(mask)
#define BITS NAME(bits)
#define ZERO ((VECTOR){0.0})
#define FILL(x) (ZERO + (x))
#define INNER static inline __attribute__((always_inline)) TARGET
#define OUTER TARGET __attribute__((noinline)) static

/* A part of a group, and its share of the scratch memory. */
typedef struct {
    const uint8_t *const *codes; /* [lane] */
    const int64_t *length;       /* [lane] */
    int64_t shortest;            /* of the whole group */
    int64_t longest;
    VECTOR *alpha;               /* [step][state] */
    VECTOR *inverse;             /* [step] */
    VECTOR *checkpoint;          /* [block][state + 1] */
    VECTOR *tile;                /* [step][state] */
    VECTOR *message;             /* [3][state] */
    VECTOR *start;               /* [state][PARTS]: from here on, the other parts lie between */
    VECTOR *transition;          /* [from][to][PARTS] */
    double *emission;            /* [symbol][state][SFM_LANES] */
} NAME(piece);
#define PIECE NAME(piece)

/* Running product of the c[t]; its logarithm is taken before it can underflow. */
typedef struct {
    VECTOR product;
    VECTOR log;
} NAME(log_product);
#define LOG_PRODUCT NAME(log_product)

/* A part with what every pass needs. */
INNER PIECE NAME(piece_of)(const sfm_group *group, const sfm_hmm_scratch *scratch, int part)
{
    PIECE piece = {0};
    piece.codes = group->codes + part * WIDTH;
    piece.length = group->length + part * WIDTH;
    piece.shortest = group->shortest;
    piece.longest = group->longest;
    piece.message = (VECTOR *)scratch->message;
    return piece;
}

/* A part with what the passes need that keep their steps. */
INNER PIECE NAME(kept_piece_of)(const int S, const sfm_group *group,
                                const sfm_hmm_scratch *scratch, int part)
{
    PIECE piece = NAME(piece_of)(group, scratch, part);
    const int64_t block = sfm_hmm_block_end(group, 0), n_blocks = sfm_hmm_blocks(group->longest);
    piece.alpha = (VECTOR *)scratch->alpha + part * block * S;
    piece.inverse = (VECTOR *)scratch->inverse + part * block;
    piece.checkpoint = (VECTOR *)scratch->checkpoint + part * n_blocks * (S + 1);
    piece.tile = (VECTOR *)scratch->tile;
    piece.start = (VECTOR *)scratch->start + part;
    piece.transition = (VECTOR *)scratch->transition + part;
    piece.emission = scratch->emission + part * WIDTH;
    return piece;
}

/* value where the mask is set, else other. */
INNER VECTOR NAME(select)(MASK mask, VECTOR value, VECTOR other)
{
    return (VECTOR)(((MASK)value & mask) | ((MASK)other & ~mask));
}

/* Lanes for which t < length - back. */
INNER MASK NAME(active)(const PIECE *piece, int64_t t, int64_t back)
{
    MASK length;
    memcpy(&length, piece->length, sizeof(length));
    return length - back > t;
}

/* Rows of the emission table for the symbols at time t. */
INNER void NAME(rows)(const int S, const sfm_hmm *hmm, const PIECE *piece, int64_t t,
                      const double **row)
{
    for (int lane = 0; lane < WIDTH; ++lane) {
        const int symbol = t < piece->length[lane] ? piece->codes[lane][t] : hmm->n_symbols;
        row[lane] = hmm->emission + (size_t)symbol * S;
    }
}

INNER VECTOR NAME(gather)(const double *const *row, int j)
{
#if WIDTH == 8
    return (VECTOR){row[0][j], row[1][j], row[2][j], row[3][j],
                    row[4][j], row[5][j], row[6][j], row[7][j]};
#elif WIDTH == 4
    return (VECTOR){row[0][j], row[1][j], row[2][j], row[3][j]};
#else
    return (VECTOR){row[0][j], row[1][j]};
#endif
}

/* out[j..j+N] = sum_i x[i] * M[i][j..j+N] */
#define SFM_HMM_PRODUCT(N)                                   \
    {                                                        \
        VECTOR sum[N];                                       \
        for (int k = 0; k < N; ++k) {                        \
            sum[k] = ZERO;                                   \
        }                                                    \
        for (int i = 0; i < S; ++i) {                        \
            const VECTOR xi = x[i];                          \
            const double *m = M + (size_t)i * S + j;         \
            for (int k = 0; k < N; ++k) {                    \
                sum[k] += xi * m[k];                         \
            }                                                \
        }                                                    \
        for (int k = 0; k < N; ++k) {                        \
            out[j + k] = sum[k];                             \
        }                                                    \
    }

/* Ten sums at a time, so that additions overlap; the rest in one go for the same reason. */
INNER void NAME(product)(const int S, const double *M, const VECTOR *x, VECTOR *out)
{
    int j = 0;
    for (; j + 10 <= S; j += 10) {
        SFM_HMM_PRODUCT(10)
    }
    for (; j + 5 <= S; j += 5) {
        SFM_HMM_PRODUCT(5)
    }
    if (S - j == 4) {
        SFM_HMM_PRODUCT(4)
    } else if (S - j == 3) {
        SFM_HMM_PRODUCT(3)
    } else if (S - j == 2) {
        SFM_HMM_PRODUCT(2)
    } else if (S - j == 1) {
        SFM_HMM_PRODUCT(1)
    }
}

INNER VECTOR NAME(invert)(VECTOR c)
{
    /* An impossible sequence has c = 0: its messages become 0, and its likelihood log 0. The
     * same for a c so small that 1 / c would be infinite. */
    const MASK possible = c >= FILL(DBL_MIN);
    return NAME(select)(possible, 1.0 / NAME(select)(possible, c, FILL(1.0)), ZERO);
}

/* One step of the filter; returns c[t]. previous may not overlap next. */
INNER VECTOR NAME(step)(const int S, const sfm_hmm *hmm, const PIECE *piece, int64_t t,
                        const VECTOR *previous, VECTOR inverse, VECTOR *next)
{
    const double *row[WIDTH];
    VECTOR c = ZERO;
    NAME(rows)(S, hmm, piece, t, row);
    if (t == 0) {
        for (int j = 0; j < S; ++j) {
            next[j] = hmm->start[j] * NAME(gather)(row, j);
            c += next[j];
        }
        return c;
    }
    NAME(product)(S, hmm->transition, previous, next);
    for (int j = 0; j < S; ++j) {
        next[j] *= NAME(gather)(row, j) * inverse;
        c += next[j];
    }
    return c;
}

INNER void NAME(log_product_flush)(LOG_PRODUCT *total)
{
    for (int lane = 0; lane < WIDTH; ++lane) {
        total->log[lane] += log(total->product[lane]);
        total->product[lane] = 1.0;
    }
}

INNER void NAME(log_product_add)(LOG_PRODUCT *total, VECTOR c, int64_t t)
{
    total->product *= c;
    /* When is decided by t alone: an item's sum must not depend on its neighbours' values. */
    if ((t & 7) == 7) {
        const MASK small = total->product < FILL(1e-100);
        int any = 0;
        for (int lane = 0; lane < WIDTH; ++lane) {
            any |= small[lane] != 0;
        }
        if (any) {
            for (int lane = 0; lane < WIDTH; ++lane) {
                if (small[lane]) {
                    total->log[lane] += log(total->product[lane]);
                    total->product[lane] = 1.0;
                }
            }
        }
    }
}

/* Filter the steps [begin, end) into piece->alpha; begin is a block's start. */
INNER void NAME(filter)(const int S, const sfm_hmm *hmm, const PIECE *piece, int64_t begin,
                        int64_t end, LOG_PRODUCT *total)
{
    const VECTOR *previous = piece->checkpoint + (begin / SFM_HMM_BLOCK) * (S + 1);
    VECTOR inverse = previous[S];
    for (int64_t t = begin; t < end; ++t) {
        VECTOR *next = piece->alpha + (t - begin) * S;
        VECTOR c = NAME(step)(S, hmm, piece, t, previous, inverse, next);
        inverse = NAME(invert)(c);
        piece->inverse[t - begin] = inverse;
        if (total != NULL) {
            if (t >= piece->shortest) {
                c = NAME(select)(NAME(active)(piece, t, 0), c, FILL(1.0));
            }
            NAME(log_product_add)(total, c, t);
        }
        previous = next;
    }
}

/* Filter from the first step to the last: checkpoints and the last block; the likelihoods. */
INNER VECTOR NAME(filter_all)(const int S, const sfm_hmm *hmm, const sfm_group *group,
                              const PIECE *piece)
{
    LOG_PRODUCT total = {FILL(1.0), ZERO};
    const int64_t n_blocks = sfm_hmm_blocks(group->longest);
    for (int j = 0; j <= S; ++j) {
        piece->checkpoint[j] = FILL(1.0); /* not read for its value: t = 0 has no past */
    }
    for (int64_t block = 0; block < n_blocks; ++block) {
        const int64_t begin = block * SFM_HMM_BLOCK;
        const int64_t end = sfm_hmm_block_end(group, begin);
        NAME(filter)(S, hmm, piece, begin, end, &total);
        if (block + 1 < n_blocks) {
            VECTOR *checkpoint = piece->checkpoint + (block + 1) * (S + 1);
            memcpy(checkpoint, piece->alpha + (end - 1 - begin) * S, S * sizeof(VECTOR));
            checkpoint[S] = piece->inverse[end - 1 - begin];
        }
    }
    NAME(log_product_flush)(&total);
    return total.log;
}

/* transition[i][j] += sum_t alpha[t][i] * tile[t][j] for I rows and J columns. */
#define SFM_HMM_OUTER(I, J)                                                      \
    {                                                                            \
        VECTOR sum[I][J];                                                        \
        for (int a = 0; a < I; ++a) {                                            \
            for (int b = 0; b < J; ++b) {                                        \
                sum[a][b] = transition[((i + a) * S + j + b) * PARTS];           \
            }                                                                    \
        }                                                                        \
        for (int t = 0; t < n; ++t) {                                            \
            for (int a = 0; a < I; ++a) {                                        \
                const VECTOR left = alpha[t * S + i + a];                        \
                for (int b = 0; b < J; ++b) {                                    \
                    sum[a][b] += left * tile[t * S + j + b];                     \
                }                                                                \
            }                                                                    \
        }                                                                        \
        for (int a = 0; a < I; ++a) {                                            \
            for (int b = 0; b < J; ++b) {                                        \
                transition[((i + a) * S + j + b) * PARTS] = sum[a][b];           \
            }                                                                    \
        }                                                                        \
    }

/* The same for all columns: five in one go, and then the rest. */
#define SFM_HMM_OUTER_ROWS(I)                   \
    {                                           \
        int j = 0;                              \
        for (; j + 5 <= S; j += 5) {            \
            SFM_HMM_OUTER(I, 5)                 \
        }                                       \
        if (S - j == 4) {                       \
            SFM_HMM_OUTER(I, 4)                 \
        } else if (S - j == 3) {                \
            SFM_HMM_OUTER(I, 3)                 \
        } else if (S - j == 2) {                \
            SFM_HMM_OUTER(I, 2)                 \
        } else if (S - j == 1) {                \
            SFM_HMM_OUTER(I, 1)                 \
        }                                       \
    }

INNER void NAME(outer)(const int S, const VECTOR *alpha, const VECTOR *tile, int n,
                       VECTOR *transition)
{
    int i = 0;
    for (; i + 2 <= S; i += 2) {
        SFM_HMM_OUTER_ROWS(2)
    }
    if (i < S) {
        SFM_HMM_OUTER_ROWS(1)
    }
}

/* Smooth the steps [begin, end), whose filter is in the piece, and add their statistics.
 * future holds v[t+1][j] = emission * beta * inverse of the step after the last one. */
INNER void NAME(smooth)(const int S, const sfm_hmm *hmm, const PIECE *piece, int64_t begin,
                        int64_t end)
{
    VECTOR *future = piece->message, *beta = piece->message + S;
    int64_t t = end - 1;
    while (t >= begin) {
        /* Tiles end at multiples of their size and not at the longest sequence's end, so that an
         * item's sums do not depend on what stands beside it. */
        const int n = (int)(t % SFM_HMM_TILE) + 1;
        for (int k = n - 1; k >= 0; --k, --t) {
            const VECTOR *alpha = piece->alpha + (t - begin) * S;
            const VECTOR inverse = piece->inverse[t - begin];
            VECTOR *tile = piece->tile + k * S;
            const double *row[WIDTH];
            VECTOR from_future = inverse, to_present = inverse;
            if (t == piece->longest - 1) {
                for (int j = 0; j < S; ++j) {
                    future[j] = ZERO;
                    beta[j] = FILL(1.0);
                }
            } else {
                NAME(product)(S, hmm->incoming, future, beta);
            }
            if (t >= piece->shortest - 1) {
                /* Some lanes have ended, or end here: beta is 1, nothing comes from beyond. */
                const MASK inside = NAME(active)(piece, t, 1);
                for (int j = 0; j < S; ++j) {
                    beta[j] = NAME(select)(inside, beta[j], FILL(1.0));
                }
                from_future = NAME(select)(inside, from_future, ZERO);
                to_present = NAME(select)(NAME(active)(piece, t, 0), to_present, ZERO);
            }
            NAME(rows)(S, hmm, piece, t, row);
            for (int j = 0; j < S; ++j) {
                tile[j] = future[j] * from_future;
                future[j] = NAME(gather)(row, j) * beta[j] * inverse;
                beta[j] *= alpha[j] * to_present; /* now P(q_t = j | x) */
            }
            for (int lane = 0; lane < WIDTH; ++lane) {
                double *cell = piece->emission + (row[lane] - hmm->emission) * SFM_LANES + lane;
                const double *gamma = (const double *)beta + lane;
                for (int j = 0; j < S; ++j) {
                    cell[j * SFM_LANES] += gamma[j * WIDTH];
                }
            }
        }
        NAME(outer)(S, piece->alpha + (t + 1 - begin) * S, piece->tile, n, piece->transition);
    }
    if (begin == 0) {
        for (int j = 0; j < S; ++j) {
            piece->start[j * PARTS] = beta[j];
        }
    }
}

INNER void NAME(expect_n)(const int S, const sfm_hmm *hmm, const sfm_group *group,
                          sfm_hmm_scratch *scratch)
{
    for (int part = 0; part < PARTS; ++part) {
        const PIECE piece = NAME(kept_piece_of)(S, group, scratch, part);
        const VECTOR scores = NAME(filter_all)(S, hmm, group, &piece);
        memcpy(scratch->log_likelihood + part * WIDTH, &scores, sizeof(scores));
        for (int64_t block = sfm_hmm_blocks(group->longest) - 1; block >= 0; --block) {
            const int64_t begin = block * SFM_HMM_BLOCK;
            const int64_t end = sfm_hmm_block_end(group, begin);
            if (end < group->longest) {
                NAME(filter)(S, hmm, &piece, begin, end, NULL);
            }
            NAME(smooth)(S, hmm, &piece, begin, end);
        }
        for (int cell = 0; cell < S * S; ++cell) {
            piece.transition[cell * PARTS] *= hmm->transition[cell];
        }
    }
}

/* As sfm_hmm_expect, whose statistics are 0 yet; the group is not empty. */
OUTER void NAME(expect)(const sfm_hmm *hmm, const sfm_group *group, sfm_hmm_scratch *scratch)
{
    /* The usual size as a constant: its loops unroll and its states stay in registers. */
    if (hmm->n_states == 10) {
        NAME(expect_n)(10, hmm, group, scratch);
    } else {
        NAME(expect_n)(hmm->n_states, hmm, group, scratch);
    }
}

INNER void NAME(score_n)(const int S, const sfm_hmm *hmm, const sfm_group *group,
                         sfm_hmm_scratch *scratch)
{
    for (int part = 0; part < PARTS; ++part) {
        const PIECE piece = NAME(piece_of)(group, scratch, part);
        VECTOR *previous = piece.message, *next = piece.message + S;
        VECTOR inverse = FILL(1.0);
        LOG_PRODUCT total = {FILL(1.0), ZERO};
        for (int64_t t = 0; t < group->longest; ++t) {
            VECTOR c = NAME(step)(S, hmm, &piece, t, previous, inverse, next);
            VECTOR *swap = previous;
            inverse = NAME(invert)(c);
            if (t >= group->shortest) {
                c = NAME(select)(NAME(active)(&piece, t, 0), c, FILL(1.0));
            }
            NAME(log_product_add)(&total, c, t);
            previous = next;
            next = swap;
        }
        NAME(log_product_flush)(&total);
        memcpy(scratch->log_likelihood + part * WIDTH, &total.log, sizeof(total.log));
    }
}

/* As sfm_hmm_score. */
OUTER void NAME(score)(const sfm_hmm *hmm, const sfm_group *group, sfm_hmm_scratch *scratch)
{
    if (hmm->n_states == 10) {
        NAME(score_n)(10, hmm, group, scratch);
    } else {
        NAME(score_n)(hmm->n_states, hmm, group, scratch);
    }
}

INNER void NAME(draw_n)(const int S, const sfm_hmm *hmm, const sfm_group *group,
                        const sfm_hmm_scratch *scratch, const uint64_t *keys, int n_draws,
                        float *const *rows, int64_t stride, int *states)
{
    const int V = hmm->n_symbols;
    const int64_t n_blocks = sfm_hmm_blocks(group->longest);
    const double *ones = hmm->emission + (size_t)V * S;
    for (int part = 0; part < PARTS; ++part) {
        const PIECE piece = NAME(kept_piece_of)(S, group, scratch, part);
        float *const *part_rows = rows + part * WIDTH;
        VECTOR *cumulated = piece.message;
        LANES(vuint) random[4];
        LANES(vrng_seed)(random, keys + part * WIDTH);
        for (int64_t block = n_blocks - 1; block >= 0; --block) {
            const int64_t begin = block * SFM_HMM_BLOCK;
            const int64_t end = sfm_hmm_block_end(group, begin);
            if (n_blocks > 1) {
                NAME(filter)(S, hmm, &piece, begin, end, NULL);
            }
            for (int draw = 0; draw < n_draws; ++draw) {
                int *state = states + draw * SFM_LANES + part * WIDTH;
                for (int64_t t = end - 1; t >= begin; --t) {
                    const VECTOR *alpha = piece.alpha + (t - begin) * S;
                    const double *row[WIDTH];
                    VECTOR total = ZERO, target;
                    MASK chosen = (MASK)ZERO;
                    for (int lane = 0; lane < WIDTH; ++lane) {
                        row[lane] = t + 1 < piece.length[lane]
                                        ? hmm->incoming + (size_t)state[lane] * S
                                        : ones;
                    }
                    for (int j = 0; j < S; ++j) {
                        total += alpha[j] * NAME(gather)(row, j);
                        cumulated[j] = total;
                    }
                    target =
                        LANES(vrng_uniform)(random, NAME(active)(&piece, t, 0)) * total;
                    /* The last state is the rest, so rounding can't lead beyond it. */
                    for (int j = 0; j < S - 1; ++j) {
                        chosen -= cumulated[j] <= target;
                    }
                    for (int lane = 0; lane < WIDTH; ++lane) {
                        if (t < piece.length[lane]) {
                            float *out = part_rows[lane] + draw * stride;
                            const int from = (int)chosen[lane];
                            if (t + 1 < piece.length[lane]) {
                                out[S + from * S + state[lane]] += 1.0f;
                            }
                            out[S + S * S + from * V + piece.codes[lane][t]] += 1.0f;
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
}

/* As sfm_hmm_draw; the group is not empty. */
OUTER void NAME(draw)(const sfm_hmm *hmm, const sfm_group *group, const sfm_hmm_scratch *scratch,
                      const uint64_t *keys, int n_draws, float *const *rows, int64_t stride,
                      int *states)
{
    if (hmm->n_states == 10) {
        NAME(draw_n)(10, hmm, group, scratch, keys, n_draws, rows, stride, states);
    } else {
        NAME(draw_n)(hmm->n_states, hmm, group, scratch, keys, n_draws, rows, stride, states);
    }
}

INNER double NAME(sum)(const double *cell)
{
    LANES(vdouble) eight[PARTS];
    memcpy(eight, cell, sizeof(eight));
    return LANES(vsum8)(eight);
}

/* As sfm_hmm_add_group. */
OUTER void NAME(add_group)(const sfm_hmm *hmm, sfm_hmm_scratch *scratch, const double *weights,
                           double *out)
{
    const size_t S = (size_t)hmm->n_states, V = (size_t)hmm->n_symbols;
    LANES(vdouble) weight[PARTS];
    memcpy(weight, weights, sizeof(weight));
    /* All products first, so that they are rounded: added up at once, some widths would fuse. */
    for (size_t cell = 0; cell < S * (1 + S + V); ++cell) {
        for (int part = 0; part < PARTS; ++part) {
            double *lanes = scratch->start + cell * SFM_LANES + part * WIDTH;
            *(LANES(vdouble_u) *)lanes *= weight[part];
        }
    }
    for (size_t cell = 0; cell < S * (1 + S); ++cell) {
        out[cell] += NAME(sum)(scratch->start + cell * SFM_LANES);
    }
    out += S * (1 + S);
    for (size_t v = 0; v < V; ++v) {
        for (size_t i = 0; i < S; ++i) {
            out[i * V + v] += NAME(sum)(scratch->emission + (v * S + i) * SFM_LANES);
        }
    }
}

#undef SFM_HMM_OUTER_ROWS
#undef SFM_HMM_OUTER
#undef SFM_HMM_PRODUCT
#undef LOG_PRODUCT
#undef PIECE
#undef OUTER
#undef INNER
#undef FILL
#undef ZERO
#undef BITS
#undef MASK
#undef VECTOR
#undef PARTS
