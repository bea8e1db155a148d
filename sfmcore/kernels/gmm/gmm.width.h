/* The loops of gmm.h for one width.
 *
 * Compilers keep sums in registers only in vectors that the processor has: eight doubles as
 * two or four pieces would go through memory. An item's numbers are the same in any place of a
 * vector and of a batch.
 */

/* Turn some columns of a block's rows into items[group][column][lane]. A lane without an item
 * repeats the group's first one. */
SFM_ENTRY void SIZED(sfm_gmm_turn)(const sfm_gmm *gmm, const double *rows, int n_items,
                                   int64_t begin, int64_t n_columns, double *items)
{
    const int64_t D = gmm->n_columns;
    for (int first = 0; first < n_items; first += SFM_LANES) {
        const double *row[SFM_LANES];
        for (int lane = 0; lane < SFM_LANES; ++lane) {
            row[lane] = rows + (first + lane < n_items ? first + lane : first) * D + begin;
        }
        for (int64_t d = 0; d < n_columns; ++d, items += SFM_LANES) {
            for (int lane = 0; lane < SFM_LANES; ++lane) {
                items[lane] = row[lane][d];
            }
        }
    }
}

/* joint[first..first+N] += -(item - mean)^2 / (2 variance) over some columns */
#define SFM_GMM_ADD(N)                                                                     \
    for (int group = 0; group < n_groups; ++group) {                                       \
        double *out = joint + first * SFM_GMM_BLOCK + group * SFM_LANES;                   \
        const double *x = items + group * n_columns * SFM_LANES;                           \
        const double *centre = gmm->centre + begin * K + first;                            \
        const double *scale = gmm->scale + begin * K + first;                              \
        vdouble sum[N][PARTS];                                                             \
        for (int k = 0; k < N; ++k) {                                                      \
            for (int part = 0; part < PARTS; ++part) {                                     \
                sum[k][part] = vload(out + k * SFM_GMM_BLOCK + part * WIDTH);              \
            }                                                                              \
        }                                                                                  \
        for (int64_t d = 0; d < n_columns; ++d, x += SFM_LANES, centre += K, scale += K) { \
            for (int k = 0; k < N; ++k) {                                                  \
                for (int part = 0; part < PARTS; ++part) {                                 \
                    const vdouble difference = vload(x + part * WIDTH) - centre[k];        \
                    sum[k][part] += difference * (difference * scale[k]);                  \
                }                                                                          \
            }                                                                              \
        }                                                                                  \
        for (int k = 0; k < N; ++k) {                                                      \
            for (int part = 0; part < PARTS; ++part) {                                     \
                vstore(out + k * SFM_GMM_BLOCK + part * WIDTH, sum[k][part]);              \
            }                                                                              \
        }                                                                                  \
    }

/* Add the columns from begin on, turned into items[group][column][lane], to the exponents
 * joint[component][SFM_GMM_BLOCK]. */
SFM_ENTRY void SIZED(sfm_gmm_add_columns)(const sfm_gmm *gmm, const double *items, int n_groups,
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
#define SFM_GMM_SUM(A, B)                                                           \
    {                                                                               \
        vdouble one[A][B], two[A][B], mean[A][B];                                   \
        const double *share = shares + k * SFM_GMM_BLOCK;                           \
        for (int a = 0; a < A; ++a) {                                               \
            for (int b = 0; b < B; ++b) {                                           \
                const int64_t cell = sfm_gmm_cell(K, k + a, d + b * WIDTH);         \
                one[a][b] = vload(sums + cell);                                     \
                two[a][b] = vload(squares + cell);                                  \
                mean[a][b] = vload(gmm->mean + cell);                               \
            }                                                                       \
        }                                                                           \
        for (int i = 0; i < n_items; ++i) {                                         \
            for (int b = 0; b < B; ++b) {                                           \
                const vdouble x = vload(tile + (i * B + b) * WIDTH);                \
                for (int a = 0; a < A; ++a) {                                       \
                    const vdouble difference = x - mean[a][b];                      \
                    const vdouble part = difference * share[a * SFM_GMM_BLOCK + i]; \
                    one[a][b] += part;                                              \
                    two[a][b] += part * difference;                                 \
                }                                                                   \
            }                                                                       \
        }                                                                           \
        for (int a = 0; a < A; ++a) {                                               \
            for (int b = 0; b < B; ++b) {                                           \
                const int64_t cell = sfm_gmm_cell(K, k + a, d + b * WIDTH);         \
                vstore(sums + cell, one[a][b]);                                     \
                vstore(squares + cell, two[a][b]);                                  \
            }                                                                       \
        }                                                                           \
    }

#define SFM_GMM_SUM_TILE(A, B)                                \
    {                                                         \
        int64_t k = 0;                                        \
        sfm_gmm_pack(gmm, rows, n_items, d, B * WIDTH, tile); \
        for (; k + A <= K; k += A) {                          \
            SFM_GMM_SUM(A, B)                                 \
        }                                                     \
        for (; k + 2 <= K; k += 2) {                          \
            SFM_GMM_SUM(2, B)                                 \
        }                                                     \
        if (k < K) {                                          \
            SFM_GMM_SUM(1, B)                                 \
        }                                                     \
    }

/* Add a block's statistics to out: weighted shares [component], then sums and squares of the
 * differences from the means, laid out as by sfm_gmm_cell. Multiplies the shares by weights,
 * which are 0 in lanes without an item. */
SFM_ENTRY void SIZED(sfm_gmm_add_block)(const sfm_gmm *gmm, const double *rows, int n_items,
                                        const double *weights, double *shares, double *tile,
                                        double *out)
{
    const int64_t K = gmm->n_components, columns = gmm->n_vectors * SFM_LANES;
    double *sums = out + K, *squares = sums + K * columns;
    int64_t d = 0;
    for (int64_t k = 0; k < K; ++k) {
        vdouble sum[PARTS];
        for (int part = 0; part < PARTS; ++part) {
            sum[part] = vload(weights) * 0.0;
        }
        for (int i = 0; i < n_items; i += SFM_LANES) {
            for (int part = 0; part < PARTS; ++part) {
                double *share = shares + k * SFM_GMM_BLOCK + i + part * WIDTH;
                const vdouble product = vload(share) * vload(weights + i + part * WIDTH);
                vstore(share, product);
                sum[part] += product;
            }
        }
        out[k] += vsum8(sum);
    }
    for (; d + 2 * WIDTH <= columns; d += 2 * WIDTH) {
        SFM_GMM_SUM_TILE(2, 2)
    }
    if (d < columns) {
        SFM_GMM_SUM_TILE(4, 1)
    }
}

/* From the log densities in joint to shares and log-likelihoods. */
SFM_ENTRY void SIZED(sfm_gmm_normalise)(const sfm_gmm *gmm, sfm_gmm_scratch *scratch)
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
            const vdouble one = vload(joint + i) - vload(largest + i);
            const vdouble exponential = vexp(one);
            vstore(joint + i, one);
            vstore(share + i, exponential);
            vstore(sum + i, vload(sum + i) + exponential);
        }
    }
    for (int i = 0; i < SFM_GMM_BLOCK; i += WIDTH) {
        vstore(scratch->log_sum + i, vlog(vload(sum + i)));
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

/* Components drawn from the shares of the eight items from first on, chosen[draw][lane]. */
SFM_ENTRY void SIZED(sfm_gmm_draw)(const sfm_gmm *gmm, const sfm_gmm_scratch *scratch, int first,
                                   const uint64_t *keys, int n_draws)
{
    const int64_t K = gmm->n_components;
    for (int part = 0; part < PARTS; ++part) {
        const vmask everywhere = ~(vmask){0};
        double *cumulated = scratch->cumulated + part * WIDTH;
        vbits random[4];
        vdouble total = {0.0};
        vrng_seed(random, keys + part * WIDTH);
        for (int64_t k = 0; k < K; ++k) {
            total += vload(scratch->share + k * SFM_GMM_BLOCK + first + part * WIDTH);
            vstore(cumulated + k * SFM_LANES, total);
        }
        for (int draw = 0; draw < n_draws; ++draw) {
            const vdouble target = vrng_uniform(random, everywhere) * total;
            vmask component = {0};
            /* The last one is the rest, so rounding can't lead beyond it. */
            for (int64_t k = 0; k < K - 1; ++k) {
                component -= vload(cumulated + k * SFM_LANES) <= target;
            }
            memcpy(scratch->chosen + draw * SFM_LANES + part * WIDTH, &component,
                   sizeof(component));
        }
    }
}

/* As sfm_gmm_write_expected. */
SFM_ENTRY void SIZED(sfm_gmm_write_expected)(const sfm_gmm *gmm, const sfm_gmm_scratch *scratch,
                                             int item, const double *x, float *out)
{
    const int64_t K = gmm->n_components, D = gmm->n_columns;
    float *first = out + K, *second = first + K * D, *log_terms = second + K * D;
    for (int64_t k = 0; k < K; ++k, first += D, second += D) {
        const double share = scratch->share[k * SFM_GMM_BLOCK + item];
        out[k] = (float)share;
        log_terms[k] = (float)(share * sfm_gmm_log_share(scratch, k, item));
        for (int64_t d = 0; d < D; ++d) {
            const double part = share * x[d];
            first[d] = (float)part;
            second[d] = (float)(part * x[d]);
        }
    }
}

/* As sfm_gmm_write_choice. */
SFM_ENTRY void SIZED(sfm_gmm_write_choice)(const sfm_gmm *gmm, const sfm_gmm_scratch *scratch,
                                           int item, int64_t k, const double *x, float *out)
{
    const int64_t K = gmm->n_components, D = gmm->n_columns;
    float *first = out + K + k * D, *second = first + K * D;
    memset(out, 0, (size_t)(2 * K * (1 + D)) * sizeof(float));
    out[k] = 1.0f;
    for (int64_t d = 0; d < D; ++d) {
        first[d] = (float)x[d];
        second[d] = (float)(x[d] * x[d]);
    }
    out[K + 2 * K * D + k] = (float)sfm_gmm_log_share(scratch, k, item);
}

#undef SFM_GMM_SUM_TILE
#undef SFM_GMM_SUM
#undef SFM_GMM_ADD
