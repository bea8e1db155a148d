/* The search of nearest.h for one width.
 *
 * Tiles of TILE rows by at most PANEL vectors of centres stay in registers.
 */

/* Adds the products of two pairs of 16 bits to each cell. */
#if BITS == 512
#define TILE 6
#define PANEL 4
#if SFM_CHOOSE || defined(__AVX512VNNI__)
#define DOT(sum, x, c) (vint)_mm512_dpwssd_epi32((__m512i)(sum), (__m512i)(x), (__m512i)(c))
#else
#define DOT(sum, x, c) ((sum) + (vint)_mm512_madd_epi16((__m512i)(x), (__m512i)(c)))
#endif
#elif BITS == 256
#define TILE 4
#define PANEL 2
#define DOT(sum, x, c) ((sum) + (vint)_mm256_madd_epi16((__m256i)(x), (__m256i)(c)))
#else
#define TILE 2
#define PANEL 2
/* The halves of a cell by shifts, which are arithmetic in GCC and Clang. */
#define LOW(x) ((vint)((x) << 16) >> 16)
#define DOT(sum, x, c) ((sum) + LOW(x) * LOW(c) + ((x) >> 16) * ((c) >> 16))
#endif

/* As SFM_INNER and SFM_ENTRY, with one instruction more than other kernels need. */
#if BITS == 512
#define NEAREST_INNER SFM_INLINE SFM_TARGET_512_VNNI
#define NEAREST_ENTRY __attribute__((noinline)) SFM_TARGET_512_VNNI static
#else
#define NEAREST_INNER SFM_INNER
#define NEAREST_ENTRY SFM_ENTRY
#endif

/* Best score so far of each row and lane, and the vector of centres that has it. */
typedef struct {
    vint score[SFM_NEAREST_ROWS + TILE];
    vint vector[SFM_NEAREST_ROWS + TILE];
} SIZED(sfm_nearest_best);

/* Scores of TILE rows and `width` vectors from `first` on. */
NEAREST_INNER void SIZED(sfm_nearest_tile)(const sfm_centres *centres, int64_t first,
                                           const int width, const int16_t *wide, vint *score,
                                           vint *vector)
{
    const int64_t P = centres->n_pairs;
    const int per_group = SFM_NEAREST_GROUP / FLOATS;
    const int32_t *c[PANEL];
    vint sum[TILE][PANEL];
#pragma GCC unroll 8
    for (int v = 0; v < width; ++v) {
        const int64_t group = (first + v) / per_group, part = (first + v) % per_group;
        c[v] = centres->pair + group * P * SFM_NEAREST_GROUP + part * FLOATS;
#pragma GCC unroll 8
        for (int i = 0; i < TILE; ++i) {
            sum[i][v] = vint_load_aligned(centres->offset + (first + v) * FLOATS);
        }
    }
    for (int64_t p = 0; p < P; ++p) {
        vint centre[PANEL];
#pragma GCC unroll 8
        for (int v = 0; v < width; ++v) {
            centre[v] = vint_load_aligned(c[v] + p * SFM_NEAREST_GROUP);
        }
#pragma GCC unroll 8
        for (int i = 0; i < TILE; ++i) {
            int32_t both;
            memcpy(&both, wide + 2 * (i * P + p), sizeof both);
            const vint x = (vint){0} + both;
#pragma GCC unroll 8
            for (int v = 0; v < width; ++v) {
                sum[i][v] = DOT(sum[i][v], x, centre[v]);
            }
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < TILE; ++i) {
        vint best = score[i], where = vector[i];
#pragma GCC unroll 8
        for (int v = 0; v < width; ++v) {
            /* Strictly: among equals the first stays. */
            const vint better = sum[i][v] > best;
            best = (sum[i][v] & better) | (best & ~better);
            where = (((vint){0} + (int32_t)(first + v)) & better) | (where & ~better);
        }
        score[i] = best;
        vector[i] = where;
    }
}

/* Number of the best lane of a row; among equals that of the first centre. */
NEAREST_INNER uint16_t SIZED(sfm_nearest_lane)(const sfm_centres *centres, const vint *score,
                                               const vint *vector)
{
    const int32_t *scores = (const int32_t *)score, *vectors = (const int32_t *)vector;
    int32_t best = INT32_MIN, first = INT32_MAX;
    for (int lane = 0; lane < FLOATS; ++lane) {
        best = scores[lane] > best ? scores[lane] : best;
    }
    for (int lane = 0; lane < FLOATS; ++lane) {
        const int32_t place = scores[lane] == best ? vectors[lane] * FLOATS + lane : INT32_MAX;
        first = place < first ? place : first;
    }
    return centres->number[first];
}

NEAREST_ENTRY void SIZED(sfm_nearest_block)(const sfm_centres *centres, const uint8_t *rows,
                                            int64_t n_rows, int16_t *wide, uint16_t *out)
{
    const int64_t n_vectors = centres->n_groups * (SFM_NEAREST_GROUP / FLOATS);
    const int64_t n_panels = (n_vectors + PANEL - 1) / PANEL, P = centres->n_pairs;
    SIZED(sfm_nearest_best) best;
    sfm_nearest_widen(centres, rows, n_rows, wide);
    for (int64_t i = 0; i < SFM_NEAREST_ROWS + TILE; ++i) {
        best.score[i] = (vint){0} + INT32_MIN;
        best.vector[i] = (vint){0};
    }
    for (int64_t panel = 0; panel < n_panels; ++panel) {
        /* Panels of nearly the same width: a narrow one would wait for its own sums. */
        const int64_t first = panel * n_vectors / n_panels;
        const int64_t width = (panel + 1) * n_vectors / n_panels - first;
        for (int64_t i = 0; i < n_rows; i += TILE) {
            const int16_t *x = wide + 2 * i * P;
            vint *score = best.score + i, *vector = best.vector + i;
            switch (width) {
#if PANEL == 4
            case 4:
                SIZED(sfm_nearest_tile)(centres, first, 4, x, score, vector);
                break;
            case 3:
                SIZED(sfm_nearest_tile)(centres, first, 3, x, score, vector);
                break;
#endif
            case 2:
                SIZED(sfm_nearest_tile)(centres, first, 2, x, score, vector);
                break;
            default:
                SIZED(sfm_nearest_tile)(centres, first, 1, x, score, vector);
            }
        }
    }
    for (int64_t i = 0; i < n_rows; ++i) {
        out[i] = SIZED(sfm_nearest_lane)(centres, best.score + i, best.vector + i);
    }
}

/* Add one row of bytes to a row of sums. */
SFM_ENTRY void SIZED(sfm_add_bytes)(const uint8_t *row, int64_t n_columns, int64_t *sum)
{
    for (int64_t d = 0; d < n_columns; ++d) {
        sum[d] += row[d];
    }
}

#undef NEAREST_INNER
#undef NEAREST_ENTRY
#undef TILE
#undef PANEL
#undef LOW
#undef DOT
