/* The two loops that take the mixture's time, for vectors of WIDTH doubles; included once for
 * each width. NAME(x) names the functions, TARGET is their attribute.
 *
 * Compilers keep sums in registers only in vectors that the processor has: eight doubles as
 * two or four pieces would go through memory. An item's numbers are the same in any place of a
 * vector and of a batch.
 */

#define PARTS (SFM_LANES / WIDTH)

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
TARGET static void NAME(add_columns)(const sfm_gmm *gmm, const double *items, int n_groups,
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
TARGET static void NAME(add_block)(const sfm_gmm *gmm, const double *rows, int n_items,
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

#undef SFM_GMM_SUM_TILE
#undef SFM_GMM_SUM
#undef SFM_GMM_ADD
#undef READ
#undef AT
#undef VECTOR
#undef PARTS
