/* The loops of the mixture for vectors of WIDTH doubles; included once for each width. NAME(x)
 * names the functions, LANES(x) those of the width alone, TARGET is their attribute.
 *
 * Compilers keep sums in registers only in vectors that the processor has: eight doubles as
 * two or four pieces would go through memory. An item's numbers are the same in any place of a
 * vector and of a batch.
 */

#define PARTS (SFM_LANES / WIDTH)
#define OUTER __attribute__((noinline)) TARGET static

typedef double NAME(vector) __attribute__((vector_size(8 * WIDTH), aligned(8), may_alias));
#define VECTOR NAME(vector)
#define AT(p) (*(VECTOR *)(p))
#define READ(p) (*(const VECTOR *)(p))

/* joint[first..first+N] += -(item - mean)^2 / (2 variance) over some columns */
#define SFM_GMM_ADD(N)                                                                    \
    for (int group = 0; group < n_groups; ++group) {                                      \
        double *out = joint + first * SFM_GMM_BLOCK + group * SFM_LANES;                  \
        const double *x = items + group * n_columns * SFM_LANES;                          \
        const double *centre = gmm->centre + begin * K + first;                           \
        const double *scale = gmm->scale + begin * K + first;                             \
        VECTOR sum[N][PARTS];                                                             \
        for (int k = 0; k < N; ++k) {                                                     \
            for (int part = 0; part < PARTS; ++part) {                                    \
                sum[k][part] = READ(out + k * SFM_GMM_BLOCK + part * WIDTH);              \
            }                                                                             \
        }                                                                                 \
        for (int64_t d = 0; d < n_columns; ++d, x += SFM_LANES, centre += K, scale += K) { \
            for (int k = 0; k < N; ++k) {                                                 \
                for (int part = 0; part < PARTS; ++part) {                                \
                    const VECTOR difference = READ(x + part * WIDTH) - centre[k];         \
                    sum[k][part] += difference * (difference * scale[k]);                 \
                }                                                                         \
            }                                                                             \
        }                                                                                 \
        for (int k = 0; k < N; ++k) {                                                     \
            for (int part = 0; part < PARTS; ++part) {                                    \
                AT(out + k * SFM_GMM_BLOCK + part * WIDTH) = sum[k][part];                \
            }                                                                             \
        }                                                                                 \
    }

/* Add the columns from begin on, turned into items[group][column][lane], to the exponents
 * joint[component][SFM_GMM_BLOCK]. */
OUTER void NAME(add_columns)(const sfm_gmm *gmm, const double *items, int n_groups,
                             int64_t begin, int64_t n_columns, double *joint)
{
    const int64_t K = gmm->n_components;
    int64_t first = 0;
    /* Eight sums at a time, so that additions overlap. */
    for (; first + WIDTH <= K; first += WIDTH) {
        SFM_GMM_ADD(WIDTH)
    }
    for (; first + WIDTH / 2 <= K; first += WIDTH / 2) {
        SFM_GMM_ADD(WIDTH / 2)
    }
    for (; first + 2 <= K; first += 2) {
        SFM_GMM_ADD(2)
    }
    if (first < K) {
        SFM_GMM_ADD(1)
    }
}

/* sums[component][column] += share * difference, squares += share * difference^2, for A
 * components and B vectors of columns. */
#define SFM_GMM_SUM(A, B)                                                                 \
    {                                                                                     \
        VECTOR one[A][B], two[A][B], mean[A][B];                                          \
        const double *share = shares + k * SFM_GMM_BLOCK;                                 \
        for (int a = 0; a < A; ++a) {                                                     \
            for (int b = 0; b < B; ++b) {                                                 \
                const int64_t cell = sfm_gmm_cell(K, k + a, d + b * WIDTH);               \
                one[a][b] = READ(sums + cell);                                            \
                two[a][b] = READ(squares + cell);                                         \
                mean[a][b] = READ(gmm->mean + cell);                                      \
            }                                                                             \
        }                                                                                 \
        for (int i = 0; i < n_items; ++i) {                                               \
            for (int b = 0; b < B; ++b) {                                                 \
                const VECTOR x = READ(tile + (i * B + b) * WIDTH);                        \
                for (int a = 0; a < A; ++a) {                                             \
                    const VECTOR difference = x - mean[a][b];                             \
                    const VECTOR part = difference * share[a * SFM_GMM_BLOCK + i];        \
                    one[a][b] += part;                                                    \
                    two[a][b] += part * difference;                                       \
                }                                                                         \
            }                                                                             \
        }                                                                                 \
        for (int a = 0; a < A; ++a) {                                                     \
            for (int b = 0; b < B; ++b) {                                                 \
                const int64_t cell = sfm_gmm_cell(K, k + a, d + b * WIDTH);               \
                AT(sums + cell) = one[a][b];                                              \
                AT(squares + cell) = two[a][b];                                           \
            }                                                                             \
        }                                                                                 \
    }

#define SFM_GMM_SUM_TILE(A, B)                                         \
    {                                                                  \
        int64_t k = 0;                                                 \
        sfm_gmm_pack(gmm, rows, n_items, d, B * WIDTH, tile);          \
        for (; k + A <= K; k += A) {                                   \
            SFM_GMM_SUM(A, B)                                          \
        }                                                              \
        for (; k + 2 <= K; k += 2) {                                   \
            SFM_GMM_SUM(2, B)                                          \
        }                                                              \
        if (k < K) {                                                   \
            SFM_GMM_SUM(1, B)                                          \
        }                                                              \
    }

/* Add a block's statistics to out: weighted shares [component], then sums and squares of the
 * differences from the means, laid out as by sfm_gmm_cell. Multiplies the shares by weights,
 * which are 0 in lanes without an item. */
OUTER void NAME(add_block)(const sfm_gmm *gmm, const double *rows, int n_items,
                           const double *weights, double *shares, double *tile,
                           double *out)
{
    const int64_t K = gmm->n_components, columns = gmm->n_vectors * SFM_LANES;
    double *sums = out + K, *squares = sums + K * columns;
    int64_t d = 0;
    for (int64_t k = 0; k < K; ++k) {
        double total[SFM_LANES];
        VECTOR sum[PARTS];
        for (int part = 0; part < PARTS; ++part) {
            sum[part] = READ(weights) * 0.0;
        }
        for (int i = 0; i < n_items; i += SFM_LANES) {
            for (int part = 0; part < PARTS; ++part) {
                double *share = shares + k * SFM_GMM_BLOCK + i + part * WIDTH;
                AT(share) *= READ(weights + i + part * WIDTH);
                sum[part] += READ(share);
            }
        }
        for (int part = 0; part < PARTS; ++part) {
            AT(total + part * WIDTH) = sum[part];
        }
        out[k] += ((total[0] + total[4]) + (total[2] + total[6])) +
                  ((total[1] + total[5]) + (total[3] + total[7]));
    }
    for (; d + 2 * WIDTH <= columns; d += 2 * WIDTH) {
        SFM_GMM_SUM_TILE(2, 2)
    }
    if (d < columns) {
        SFM_GMM_SUM_TILE(4, 1)
    }
}

/* From the log densities in joint to shares and log-likelihoods. */
OUTER void NAME(normalise)(const sfm_gmm *gmm, sfm_gmm_scratch *scratch)
{
    const int64_t K = gmm->n_components;
    double largest[SFM_GMM_BLOCK], *sum = scratch->sum, *log_likelihood = scratch->log_likelihood;
    int n_impossible = 0;
    for (int i = 0; i < SFM_GMM_BLOCK; ++i) {
        largest[i] = -INFINITY;
        sum[i] = 0.0;
    }
    for (int64_t k = 0; k < K; ++k) {
        const double *joint = scratch->joint + k * SFM_GMM_BLOCK;
        for (int i = 0; i < SFM_GMM_BLOCK; ++i) {
            largest[i] = joint[i] > largest[i] ? joint[i] : largest[i];
        }
    }
    for (int i = 0; i < SFM_GMM_BLOCK; ++i) {
        log_likelihood[i] = largest[i];
        n_impossible += !(largest[i] > -INFINITY);
    }
    if (n_impossible) {
        sfm_gmm_impossible(gmm, scratch->joint, largest, log_likelihood);
    }
    for (int64_t k = 0; k < K; ++k) {
        double *joint = scratch->joint + k * SFM_GMM_BLOCK;
        double *share = scratch->share + k * SFM_GMM_BLOCK;
        for (int i = 0; i < SFM_GMM_BLOCK; i += WIDTH) {
            const VECTOR one = READ(joint + i) - READ(largest + i);
            const VECTOR exponential = LANES(vexp)(one);
            AT(joint + i) = one;
            AT(share + i) = exponential;
            AT(sum + i) += exponential;
        }
    }
    for (int i = 0; i < SFM_GMM_BLOCK; i += WIDTH) {
        AT(scratch->log_sum + i) = LANES(vlog)(READ(sum + i));
    }
    for (int i = 0; i < SFM_GMM_BLOCK; ++i) {
        log_likelihood[i] += scratch->log_sum[i];
        sum[i] = 1.0 / sum[i];
    }
    for (int64_t k = 0; k < K; ++k) {
        double *share = scratch->share + k * SFM_GMM_BLOCK;
        for (int i = 0; i < SFM_GMM_BLOCK; ++i) {
            share[i] *= sum[i];
        }
    }
}

/* As sfm_gmm_draw. */
OUTER void NAME(draw)(const sfm_gmm *gmm, const sfm_gmm_scratch *scratch, int first,
                      const uint64_t *keys, int n_draws, int64_t *chosen)
{
    const int64_t K = gmm->n_components;
    for (int part = 0; part < PARTS; ++part) {
        const LANES(vint) everywhere = ~(LANES(vint)){0};
        double *cumulated = scratch->cumulated + part * WIDTH;
        LANES(vuint) random[4];
        LANES(vdouble) total = {0.0};
        LANES(vrng_seed)(random, keys + part * WIDTH);
        for (int64_t k = 0; k < K; ++k) {
            total += READ(scratch->share + k * SFM_GMM_BLOCK + first + part * WIDTH);
            AT(cumulated + k * SFM_LANES) = total;
        }
        for (int draw = 0; draw < n_draws; ++draw) {
            const LANES(vdouble) target = LANES(vrng_uniform)(random, everywhere) * total;
            LANES(vint) component = {0};
            /* The last one is the rest, so rounding can't lead beyond it. */
            for (int64_t k = 0; k < K - 1; ++k) {
                component -= (LANES(vdouble))READ(cumulated + k * SFM_LANES) <= target;
            }
            memcpy(chosen + draw * SFM_LANES + part * WIDTH, &component, sizeof(component));
        }
    }
}

#undef SFM_GMM_SUM_TILE
#undef SFM_GMM_SUM
#undef SFM_GMM_ADD
#undef READ
#undef AT
#undef VECTOR
#undef OUTER
#undef PARTS
