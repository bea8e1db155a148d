/* The passes of hmm.h for one width.
 *
 * Compilers keep sums in registers only in vectors that the processor has: eight doubles as two
 * or four pieces would go through memory. So the lanes of a group are taken as parts of WIDTH,
 * and a part goes through a whole pass before the next one begins.
 *
 * A lane's operations have the same order in every width. Where a processor multiplies and adds
 * at once, products that are stored are rounded first, in every width too: widths that both fuse
 * give the same bits.
 */

/* A pass over a model of any size. Ten states are a constant: then loops over states unroll, and
 * the states stay in registers. Twenty as a constant cost 4 % with 512 bits and gained 5 % with
 * 256. */
#define SFM_HMM_BY_SIZE(name, ...)               \
    if (hmm->n_states == 10) {                   \
        SIZED(name)(10, __VA_ARGS__);            \
    } else {                                     \
        SIZED(name)(hmm->n_states, __VA_ARGS__); \
    }

/* Two vectors interleaved: their first halves, and their second ones. */
#if BITS == 512
#define SFM_HMM_LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define SFM_HMM_HIGH(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#elif BITS == 256
#define SFM_HMM_LOW(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define SFM_HMM_HIGH(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#else
#define SFM_HMM_LOW(a, b) __builtin_shufflevector(a, b, 0, 2)
#define SFM_HMM_HIGH(a, b) __builtin_shufflevector(a, b, 1, 3)
#endif

/* A part of a group, and its share of the scratch memory. */
typedef struct {
    const uint8_t *const *codes; /* [lane] */
    const int64_t *length;       /* [lane] */
    int64_t shortest;            /* of the whole group */
    int64_t longest;
    vdouble *alpha;              /* [step][state] */
    vdouble *inverse;            /* [step] */
    vdouble *checkpoint;         /* [block][state + 1] */
    vdouble *tile;               /* [step][state] */
    vdouble *message;            /* [3][state] */
    vdouble *start;              /* [state][PARTS]: from here on, the other parts lie between */
    vdouble *transition;         /* [from][to][PARTS] */
    double *emission;            /* [symbol][state][SFM_LANES] */
    double *by_lane;             /* [lane][symbol][state], see sfm_hmm_stride */
} hmm_piece;

/* Running product of the c[t]; its logarithm is taken before it can underflow. */
typedef struct {
    vdouble product;
    vdouble log;
} hmm_log;

/* A part with what every pass needs. */
SFM_INNER hmm_piece SIZED(sfm_hmm_piece_of)(const sfm_group *group, const sfm_hmm_scratch *scratch,
                                            int part)
{
    hmm_piece piece = {0};
    piece.codes = group->codes + part * WIDTH;
    piece.length = group->length + part * WIDTH;
    piece.shortest = group->shortest;
    piece.longest = group->longest;
    piece.message = (vdouble *)scratch->message;
    return piece;
}

/* A part with what the passes need that keep their steps. */
SFM_INNER hmm_piece SIZED(sfm_hmm_kept_piece_of)(const int S, const sfm_group *group,
                                                 const sfm_hmm_scratch *scratch, int part)
{
    hmm_piece piece = SIZED(sfm_hmm_piece_of)(group, scratch, part);
    const int64_t block = sfm_hmm_block_end(group, 0), n_blocks = sfm_hmm_blocks(group->longest);
    piece.alpha = (vdouble *)scratch->alpha + part * block * S;
    piece.inverse = (vdouble *)scratch->inverse + part * block;
    piece.checkpoint = (vdouble *)scratch->checkpoint + part * n_blocks * (S + 1);
    piece.tile = (vdouble *)scratch->tile;
    piece.start = (vdouble *)scratch->start + part;
    piece.transition = (vdouble *)scratch->transition + part;
    piece.emission = scratch->emission + part * WIDTH;
    piece.by_lane = scratch->by_lane;
    return piece;
}

/* Lanes for which t < length - back. */
SFM_INNER vmask SIZED(sfm_hmm_active)(const hmm_piece *piece, int64_t t, int64_t back)
{
    vmask length;
    memcpy(&length, piece->length, sizeof(length));
    return length - back > t;
}

/* Rows of the emission table for the symbols at time t. */
SFM_INNER void SIZED(sfm_hmm_rows)(const int S, const sfm_hmm *hmm, const hmm_piece *piece,
                                   int64_t t, const double **row)
{
    for (int lane = 0; lane < WIDTH; ++lane) {
        const int symbol = t < piece->length[lane] ? piece->codes[lane][t] : hmm->n_symbols;
        row[lane] = hmm->emission + (size_t)symbol * S;
    }
}

SFM_INNER vdouble SIZED(sfm_hmm_gather)(const double *const *row, int j)
{
#if BITS == 512
    return (vdouble){row[0][j], row[1][j], row[2][j], row[3][j],
                     row[4][j], row[5][j], row[6][j], row[7][j]};
#elif BITS == 256
    return (vdouble){row[0][j], row[1][j], row[2][j], row[3][j]};
#else
    return (vdouble){row[0][j], row[1][j]};
#endif
}

/* out[j..j+N] = sum_i x[i] * M[i][j..j+N] */
#define SFM_HMM_PRODUCT(N)                           \
    {                                                \
        vdouble sum[N];                              \
        for (int k = 0; k < N; ++k) {                \
            sum[k] = vfill(0.0);                     \
        }                                            \
        for (int i = 0; i < S; ++i) {                \
            const vdouble xi = x[i];                 \
            const double *m = M + (size_t)i * S + j; \
            for (int k = 0; k < N; ++k) {            \
                sum[k] += xi * m[k];                 \
            }                                        \
        }                                            \
        for (int k = 0; k < N; ++k) {                \
            out[j + k] = sum[k];                     \
        }                                            \
    }

/* Ten sums at a time, so that additions overlap; the rest in one go for the same reason. */
SFM_INNER void SIZED(sfm_hmm_product)(const int S, const double *M, const vdouble *x, vdouble *out)
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

SFM_INNER vdouble SIZED(sfm_hmm_invert)(vdouble c)
{
    /* An impossible sequence has c = 0: its messages become 0, and its likelihood log 0. The
     * same for a c so small that 1 / c would be infinite. */
    const vmask possible = c >= vfill(DBL_MIN);
    return vselect(possible, 1.0 / vselect(possible, c, vfill(1.0)), vfill(0.0));
}

/* One step of the filter; returns c[t]. previous may not overlap next. */
SFM_INNER vdouble SIZED(sfm_hmm_step)(const int S, const sfm_hmm *hmm, const hmm_piece *piece,
                                      int64_t t, const vdouble *previous, vdouble inverse,
                                      vdouble *next)
{
    const double *row[WIDTH];
    vdouble c = vfill(0.0);
    SIZED(sfm_hmm_rows)(S, hmm, piece, t, row);
    if (t == 0) {
        for (int j = 0; j < S; ++j) {
            next[j] = hmm->start[j] * SIZED(sfm_hmm_gather)(row, j);
            c += next[j];
        }
        return c;
    }
    SIZED(sfm_hmm_product)(S, hmm->transition, previous, next);
    for (int j = 0; j < S; ++j) {
        next[j] *= SIZED(sfm_hmm_gather)(row, j) * inverse;
        c += next[j];
    }
    return c;
}

SFM_INNER void SIZED(sfm_hmm_log_product_flush)(hmm_log *total)
{
    for (int lane = 0; lane < WIDTH; ++lane) {
        total->log[lane] += log(total->product[lane]);
        total->product[lane] = 1.0;
    }
}

SFM_INNER void SIZED(sfm_hmm_log_product_add)(hmm_log *total, vdouble c, int64_t t)
{
    total->product *= c;
    /* When is decided by t alone: an item's sum must not depend on its neighbours' values. */
    if ((t & 7) == 7) {
        const vmask small = total->product < vfill(1e-100);
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
SFM_INNER void SIZED(sfm_hmm_filter)(const int S, const sfm_hmm *hmm, const hmm_piece *piece,
                                     int64_t begin, int64_t end, hmm_log *total)
{
    const vdouble *previous = piece->checkpoint + (begin / SFM_HMM_BLOCK) * (S + 1);
    vdouble inverse = previous[S];
    for (int64_t t = begin; t < end; ++t) {
        vdouble *next = piece->alpha + (t - begin) * S;
        vdouble c = SIZED(sfm_hmm_step)(S, hmm, piece, t, previous, inverse, next);
        inverse = SIZED(sfm_hmm_invert)(c);
        piece->inverse[t - begin] = inverse;
        if (total != NULL) {
            if (t >= piece->shortest) {
                c = vselect(SIZED(sfm_hmm_active)(piece, t, 0), c, vfill(1.0));
            }
            SIZED(sfm_hmm_log_product_add)(total, c, t);
        }
        previous = next;
    }
}

/* Filter from the first step to the last: checkpoints and the last block; the likelihoods. */
SFM_INNER vdouble SIZED(sfm_hmm_filter_all)(const int S, const sfm_hmm *hmm, const sfm_group *group,
                                            const hmm_piece *piece)
{
    hmm_log total = {vfill(1.0), vfill(0.0)};
    const int64_t n_blocks = sfm_hmm_blocks(group->longest);
    for (int j = 0; j <= S; ++j) {
        piece->checkpoint[j] = vfill(1.0); /* not read for its value: t = 0 has no past */
    }
    for (int64_t block = 0; block < n_blocks; ++block) {
        const int64_t begin = block * SFM_HMM_BLOCK;
        const int64_t end = sfm_hmm_block_end(group, begin);
        SIZED(sfm_hmm_filter)(S, hmm, piece, begin, end, &total);
        if (block + 1 < n_blocks) {
            vdouble *checkpoint = piece->checkpoint + (block + 1) * (S + 1);
            memcpy(checkpoint, piece->alpha + (end - 1 - begin) * S, S * sizeof(vdouble));
            checkpoint[S] = piece->inverse[end - 1 - begin];
        }
    }
    SIZED(sfm_hmm_log_product_flush)(&total);
    return total.log;
}

/* transition[i][j] += sum_t alpha[t][i] * tile[t][j] for I rows and J columns. */
#define SFM_HMM_OUTER(I, J)                                            \
    {                                                                  \
        vdouble sum[I][J];                                             \
        for (int a = 0; a < I; ++a) {                                  \
            for (int b = 0; b < J; ++b) {                              \
                sum[a][b] = transition[((i + a) * S + j + b) * PARTS]; \
            }                                                          \
        }                                                              \
        for (int t = 0; t < n; ++t) {                                  \
            for (int a = 0; a < I; ++a) {                              \
                const vdouble left = alpha[t * S + i + a];             \
                for (int b = 0; b < J; ++b) {                          \
                    sum[a][b] += left * tile[t * S + j + b];           \
                }                                                      \
            }                                                          \
        }                                                              \
        for (int a = 0; a < I; ++a) {                                  \
            for (int b = 0; b < J; ++b) {                              \
                transition[((i + a) * S + j + b) * PARTS] = sum[a][b]; \
            }                                                          \
        }                                                              \
    }

/* The same for all rows, as many in one go as there are registers for. */
#if BITS == 512
#define SFM_HMM_ROWS 4
#else
#define SFM_HMM_ROWS 2
#endif
#define SFM_HMM_OUTER_COLUMNS(J)                           \
    {                                                      \
        int i = 0;                                         \
        for (; i + SFM_HMM_ROWS <= S; i += SFM_HMM_ROWS) { \
            SFM_HMM_OUTER(SFM_HMM_ROWS, J)                 \
        }                                                  \
        for (; i < S; ++i) {                               \
            SFM_HMM_OUTER(1, J)                            \
        }                                                  \
    }

/* Five columns of the tile stay in the first cache while all rows go by. */
SFM_INNER void SIZED(sfm_hmm_outer)(const int S, const vdouble *alpha, const vdouble *tile, int n,
                                    vdouble *transition)
{
    int j = 0;
    for (; j + 5 <= S; j += 5) {
        SFM_HMM_OUTER_COLUMNS(5)
    }
    if (S - j == 4) {
        SFM_HMM_OUTER_COLUMNS(4)
    } else if (S - j == 3) {
        SFM_HMM_OUTER_COLUMNS(3)
    } else if (S - j == 2) {
        SFM_HMM_OUTER_COLUMNS(2)
    } else if (S - j == 1) {
        SFM_HMM_OUTER_COLUMNS(1)
    }
}

/* WIDTH vectors with rows and columns exchanged. */
SFM_INNER void SIZED(sfm_hmm_turn)(vdouble *rows)
{
    vdouble next[WIDTH];
    for (int turn = 1; turn < WIDTH; turn *= 2) {
        for (int k = 0; k < WIDTH / 2; ++k) {
            next[2 * k] = SFM_HMM_LOW(rows[k], rows[k + WIDTH / 2]);
            next[2 * k + 1] = SFM_HMM_HIGH(rows[k], rows[k + WIDTH / 2]);
        }
        for (int k = 0; k < WIDTH; ++k) {
            rows[k] = next[k];
        }
    }
}

/* Adds P(q_t = j | x) to what each lane has of its symbol. The states of a symbol are next to each
 * other there, a few cache lines for each lane: with the lanes side by side each state would be a
 * line of its own, and all of them more than the first cache holds. */
SFM_INNER void SIZED(sfm_hmm_add_by_lane)(const int S, const sfm_hmm *hmm, const hmm_piece *piece,
                                          int64_t t, const vdouble *posterior)
{
    const int stride = sfm_hmm_stride(S);
    double *cell[WIDTH];
    for (int lane = 0; lane < WIDTH; ++lane) {
        const int symbol = t < piece->length[lane] ? piece->codes[lane][t] : hmm->n_symbols;
        cell[lane] = piece->by_lane + ((size_t)lane * (hmm->n_symbols + 1) + symbol) * stride;
    }
    for (int j = 0; j < S; j += WIDTH) {
        vdouble states[WIDTH];
        for (int k = 0; k < WIDTH; ++k) {
            states[k] = j + k < S ? posterior[j + k] : vfill(0.0);
        }
        SIZED(sfm_hmm_turn)(states);
        for (int lane = 0; lane < WIDTH; ++lane) {
            vstore_aligned(cell[lane] + j, vload_aligned(cell[lane] + j) + states[lane]);
        }
    }
}

/* The same with the lanes side by side. */
SFM_INNER void SIZED(sfm_hmm_join_lanes)(const int S, const sfm_hmm *hmm, const hmm_piece *piece)
{
    const int stride = sfm_hmm_stride(S);
    const size_t size = (size_t)(hmm->n_symbols + 1) * stride;
    for (int symbol = 0; symbol < hmm->n_symbols; ++symbol) {
        for (int j = 0; j < S; j += WIDTH) {
            vdouble lanes[WIDTH];
            for (int lane = 0; lane < WIDTH; ++lane) {
                lanes[lane] = vload_aligned(piece->by_lane + lane * size + symbol * stride + j);
            }
            SIZED(sfm_hmm_turn)(lanes);
            for (int k = 0; k < WIDTH && j + k < S; ++k) {
                vstore_aligned(piece->emission + (symbol * S + j + k) * SFM_LANES, lanes[k]);
            }
        }
    }
}

/* Smooth the steps [begin, end), whose filter is in the piece, and add their statistics.
 * future holds v[t+1][j] = emission * beta * inverse of the step after the last one. */
SFM_INNER void SIZED(sfm_hmm_smooth)(const int S, const sfm_hmm *hmm, const hmm_piece *piece,
                                     int64_t begin, int64_t end)
{
    vdouble *future = piece->message, *beta = piece->message + S;
    int64_t t = end - 1;
    while (t >= begin) {
        /* Tiles end at multiples of their size and not at the longest sequence's end, so that an
         * item's sums do not depend on what stands beside it. */
        const int n = (int)(t % SFM_HMM_TILE) + 1;
        for (int k = n - 1; k >= 0; --k, --t) {
            const vdouble *alpha = piece->alpha + (t - begin) * S;
            const vdouble inverse = piece->inverse[t - begin];
            vdouble *tile = piece->tile + k * S;
            const double *row[WIDTH];
            vdouble from_future = inverse, to_present = inverse;
            if (t == piece->longest - 1) {
                for (int j = 0; j < S; ++j) {
                    future[j] = vfill(0.0);
                    beta[j] = vfill(1.0);
                }
            } else {
                SIZED(sfm_hmm_product)(S, hmm->incoming, future, beta);
            }
            if (t >= piece->shortest - 1) {
                /* Some lanes have ended, or end here: beta is 1, nothing comes from beyond. */
                const vmask inside = SIZED(sfm_hmm_active)(piece, t, 1);
                for (int j = 0; j < S; ++j) {
                    beta[j] = vselect(inside, beta[j], vfill(1.0));
                }
                from_future = vselect(inside, from_future, vfill(0.0));
                to_present = vselect(SIZED(sfm_hmm_active)(piece, t, 0), to_present, vfill(0.0));
            }
            SIZED(sfm_hmm_rows)(S, hmm, piece, t, row);
            for (int j = 0; j < S; ++j) {
                tile[j] = future[j] * from_future;
                future[j] = SIZED(sfm_hmm_gather)(row, j) * beta[j] * inverse;
                beta[j] *= alpha[j] * to_present; /* now P(q_t = j | x) */
            }
            SIZED(sfm_hmm_add_by_lane)(S, hmm, piece, t, beta);
        }
        SIZED(sfm_hmm_outer)(S, piece->alpha + (t + 1 - begin) * S, piece->tile, n,
                             piece->transition);
    }
    if (begin == 0) {
        for (int j = 0; j < S; ++j) {
            piece->start[j * PARTS] = beta[j];
        }
    }
}

SFM_INNER void SIZED(sfm_hmm_expect_n)(const int S, const sfm_hmm *hmm, const sfm_group *group,
                                       sfm_hmm_scratch *scratch)
{
    for (int part = 0; part < PARTS; ++part) {
        const hmm_piece piece = SIZED(sfm_hmm_kept_piece_of)(S, group, scratch, part);
        const vdouble scores = SIZED(sfm_hmm_filter_all)(S, hmm, group, &piece);
        memcpy(scratch->log_likelihood + part * WIDTH, &scores, sizeof(scores));
        memset(scratch->by_lane, 0, sfm_hmm_by_lane(hmm) * WIDTH * sizeof(double));
        for (int64_t block = sfm_hmm_blocks(group->longest) - 1; block >= 0; --block) {
            const int64_t begin = block * SFM_HMM_BLOCK;
            const int64_t end = sfm_hmm_block_end(group, begin);
            if (end < group->longest) {
                SIZED(sfm_hmm_filter)(S, hmm, &piece, begin, end, NULL);
            }
            SIZED(sfm_hmm_smooth)(S, hmm, &piece, begin, end);
        }
        for (int cell = 0; cell < S * S; ++cell) {
            piece.transition[cell * PARTS] *= hmm->transition[cell];
        }
        SIZED(sfm_hmm_join_lanes)(S, hmm, &piece);
    }
}

/* As sfm_hmm_expect, whose statistics are 0 yet; the group is not empty. */
SFM_ENTRY void SIZED(sfm_hmm_expect)(const sfm_hmm *hmm, const sfm_group *group,
                                     sfm_hmm_scratch *scratch){
    SFM_HMM_BY_SIZE(sfm_hmm_expect_n, hmm, group, scratch)}

SFM_INNER void SIZED(sfm_hmm_score_n)(const int S, const sfm_hmm *hmm, const sfm_group *group,
                                      sfm_hmm_scratch *scratch)
{
    for (int part = 0; part < PARTS; ++part) {
        const hmm_piece piece = SIZED(sfm_hmm_piece_of)(group, scratch, part);
        vdouble *previous = piece.message, *next = piece.message + S;
        vdouble inverse = vfill(1.0);
        hmm_log total = {vfill(1.0), vfill(0.0)};
        for (int64_t t = 0; t < group->longest; ++t) {
            vdouble c = SIZED(sfm_hmm_step)(S, hmm, &piece, t, previous, inverse, next);
            vdouble *swap = previous;
            inverse = SIZED(sfm_hmm_invert)(c);
            if (t >= group->shortest) {
                c = vselect(SIZED(sfm_hmm_active)(&piece, t, 0), c, vfill(1.0));
            }
            SIZED(sfm_hmm_log_product_add)(&total, c, t);
            previous = next;
            next = swap;
        }
        SIZED(sfm_hmm_log_product_flush)(&total);
        memcpy(scratch->log_likelihood + part * WIDTH, &total.log, sizeof(total.log));
    }
}

/* As sfm_hmm_score. */
SFM_ENTRY void SIZED(sfm_hmm_score)(const sfm_hmm *hmm, const sfm_group *group,
                                    sfm_hmm_scratch *scratch){
    SFM_HMM_BY_SIZE(sfm_hmm_score_n, hmm, group, scratch)}

SFM_INNER void SIZED(sfm_hmm_draw_n)(const int S, const sfm_hmm *hmm, const sfm_group *group,
                                     const sfm_hmm_scratch *scratch, const uint64_t *keys,
                                     int n_draws, float *const *rows, int64_t stride)
{
    const int V = hmm->n_symbols;
    const int64_t n_blocks = sfm_hmm_blocks(group->longest);
    const double *ones = hmm->emission + (size_t)V * S;
    for (int part = 0; part < PARTS; ++part) {
        const hmm_piece piece = SIZED(sfm_hmm_kept_piece_of)(S, group, scratch, part);
        float *const *part_rows = rows + part * WIDTH;
        vdouble *cumulated = piece.message;
        vbits random[4];
        vrng_seed(random, keys + part * WIDTH);
        for (int64_t block = n_blocks - 1; block >= 0; --block) {
            const int64_t begin = block * SFM_HMM_BLOCK;
            const int64_t end = sfm_hmm_block_end(group, begin);
            if (n_blocks > 1) {
                SIZED(sfm_hmm_filter)(S, hmm, &piece, begin, end, NULL);
            }
            for (int draw = 0; draw < n_draws; ++draw) {
                int *state = scratch->states + draw * SFM_LANES + part * WIDTH;
                for (int64_t t = end - 1; t >= begin; --t) {
                    const vdouble *alpha = piece.alpha + (t - begin) * S;
                    const double *row[WIDTH];
                    vdouble total = vfill(0.0), target;
                    vmask chosen = (vmask){0};
                    for (int lane = 0; lane < WIDTH; ++lane) {
                        row[lane] = t + 1 < piece.length[lane]
                                        ? hmm->incoming + (size_t)state[lane] * S
                                        : ones;
                    }
                    for (int j = 0; j < S; ++j) {
                        total += alpha[j] * SIZED(sfm_hmm_gather)(row, j);
                        cumulated[j] = total;
                    }
                    target = vrng_uniform(random, SIZED(sfm_hmm_active)(&piece, t, 0)) * total;
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
SFM_ENTRY void SIZED(sfm_hmm_draw)(const sfm_hmm *hmm, const sfm_group *group,
                                   const sfm_hmm_scratch *scratch, const uint64_t *keys,
                                   int n_draws, float *const *rows, int64_t stride){
    SFM_HMM_BY_SIZE(sfm_hmm_draw_n, hmm, group, scratch, keys, n_draws, rows, stride)}

SFM_INNER double SIZED(sfm_hmm_sum)(const double *cell)
{
    vdouble eight[PARTS];
    memcpy(eight, cell, sizeof(eight));
    return vsum8(eight);
}

/* As sfm_hmm_add_group. */
SFM_ENTRY void SIZED(sfm_hmm_add_group)(const sfm_hmm *hmm, sfm_hmm_scratch *scratch,
                                        const double *weights, double *out)
{
    const size_t S = (size_t)hmm->n_states, V = (size_t)hmm->n_symbols;
    vdouble weight[PARTS];
    memcpy(weight, weights, sizeof(weight));
    /* All products first, so that they are rounded: added up at once, some widths would fuse. */
    for (size_t cell = 0; cell < S * (1 + S + V); ++cell) {
        for (int part = 0; part < PARTS; ++part) {
            double *lanes = scratch->start + cell * SFM_LANES + part * WIDTH;
            vstore(lanes, vload(lanes) * weight[part]);
        }
    }
    for (size_t cell = 0; cell < S * (1 + S); ++cell) {
        out[cell] += SIZED(sfm_hmm_sum)(scratch->start + cell * SFM_LANES);
    }
    out += S * (1 + S);
    for (size_t v = 0; v < V; ++v) {
        for (size_t i = 0; i < S; ++i) {
            out[i * V + v] += SIZED(sfm_hmm_sum)(scratch->emission + (v * S + i) * SFM_LANES);
        }
    }
}

#undef SFM_HMM_LOW
#undef SFM_HMM_HIGH
#undef SFM_HMM_BY_SIZE
#undef SFM_HMM_OUTER_COLUMNS
#undef SFM_HMM_ROWS
#undef SFM_HMM_OUTER
#undef SFM_HMM_PRODUCT
