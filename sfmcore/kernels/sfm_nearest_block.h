/* One vector width of the search in sfm_nearest.h, which sets the macros and includes this.
 *
 * SFM_WIDTH lanes of 32 bits; tiles of SFM_TILE rows by at most SFM_PANEL vectors of centres stay
 * in registers.
 */
#define vcell SFM_NAME(vcell)
typedef int32_t vcell __attribute__((vector_size(4 * SFM_WIDTH), may_alias));

/* Best score so far of each row and lane, and the vector of centres that has it. */
typedef struct {
    vcell score[SFM_NEAREST_ROWS + SFM_TILE];
    vcell vector[SFM_NEAREST_ROWS + SFM_TILE];
} SFM_NAME(sfm_best);

/* Scores of SFM_TILE rows and `width` vectors from `first` on. */
SFM_TARGET SFM_INLINE void SFM_NAME(sfm_nearest_tile)(const sfm_centres *centres, int64_t first,
                                                      const int width, const int16_t *wide,
                                                      vcell *score, vcell *vector)
{
    const int64_t P = centres->n_pairs;
    const int per_group = SFM_NEAREST_GROUP / SFM_WIDTH;
    const int32_t *c[SFM_PANEL];
    vcell sum[SFM_TILE][SFM_PANEL];
#pragma GCC unroll 8
    for (int v = 0; v < width; ++v) {
        const int64_t group = (first + v) / per_group, part = (first + v) % per_group;
        c[v] = centres->pair + group * P * SFM_NEAREST_GROUP + part * SFM_WIDTH;
#pragma GCC unroll 8
        for (int i = 0; i < SFM_TILE; ++i) {
            sum[i][v] = *(const vcell *)(centres->offset + (first + v) * SFM_WIDTH);
        }
    }
    for (int64_t p = 0; p < P; ++p) {
        vcell centre[SFM_PANEL];
#pragma GCC unroll 8
        for (int v = 0; v < width; ++v) {
            centre[v] = *(const vcell *)(c[v] + p * SFM_NEAREST_GROUP);
        }
#pragma GCC unroll 8
        for (int i = 0; i < SFM_TILE; ++i) {
            int32_t both;
            memcpy(&both, wide + 2 * (i * P + p), sizeof both);
            const vcell x = (vcell){0} + both;
#pragma GCC unroll 8
            for (int v = 0; v < width; ++v) {
                sum[i][v] = SFM_DOT(sum[i][v], x, centre[v]);
            }
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < SFM_TILE; ++i) {
        vcell best = score[i], where = vector[i];
#pragma GCC unroll 8
        for (int v = 0; v < width; ++v) {
            /* Strictly: among equals the first stays. */
            const vcell better = sum[i][v] > best;
            best = (sum[i][v] & better) | (best & ~better);
            where = (((vcell){0} + (int32_t)(first + v)) & better) | (where & ~better);
        }
        score[i] = best;
        vector[i] = where;
    }
}

/* Number of the best lane of a row; among equals that of the first centre. */
SFM_TARGET SFM_INLINE uint16_t SFM_NAME(sfm_nearest_lane)(const sfm_centres *centres,
                                                          const vcell *score, const vcell *vector)
{
    const int32_t *scores = (const int32_t *)score, *vectors = (const int32_t *)vector;
    int32_t best = INT32_MIN, first = INT32_MAX;
    for (int lane = 0; lane < SFM_WIDTH; ++lane) {
        best = scores[lane] > best ? scores[lane] : best;
    }
    for (int lane = 0; lane < SFM_WIDTH; ++lane) {
        const int32_t place = scores[lane] == best ? vectors[lane] * SFM_WIDTH + lane : INT32_MAX;
        first = place < first ? place : first;
    }
    return centres->number[first];
}

SFM_TARGET __attribute__((noinline)) static void SFM_NAME(sfm_nearest_block)(
    const sfm_centres *centres, const uint8_t *rows, int64_t n_rows, int16_t *wide, uint16_t *out)
{
    const int64_t n_vectors = centres->n_groups * (SFM_NEAREST_GROUP / SFM_WIDTH);
    const int64_t n_panels = (n_vectors + SFM_PANEL - 1) / SFM_PANEL, P = centres->n_pairs;
    SFM_NAME(sfm_best) best;
    sfm_nearest_widen(centres, rows, n_rows, wide);
    for (int64_t i = 0; i < SFM_NEAREST_ROWS + SFM_TILE; ++i) {
        best.score[i] = (vcell){0} + INT32_MIN;
        best.vector[i] = (vcell){0};
    }
    for (int64_t panel = 0; panel < n_panels; ++panel) {
        /* Panels of nearly the same width: a narrow one would wait for its own sums. */
        const int64_t first = panel * n_vectors / n_panels;
        const int64_t width = (panel + 1) * n_vectors / n_panels - first;
        for (int64_t i = 0; i < n_rows; i += SFM_TILE) {
            const int16_t *x = wide + 2 * i * P;
            vcell *score = best.score + i, *vector = best.vector + i;
            switch (width) {
#if SFM_PANEL == 4
            case 4:
                SFM_NAME(sfm_nearest_tile)(centres, first, 4, x, score, vector);
                break;
            case 3:
                SFM_NAME(sfm_nearest_tile)(centres, first, 3, x, score, vector);
                break;
#endif
            case 2:
                SFM_NAME(sfm_nearest_tile)(centres, first, 2, x, score, vector);
                break;
            default:
                SFM_NAME(sfm_nearest_tile)(centres, first, 1, x, score, vector);
            }
        }
    }
    for (int64_t i = 0; i < n_rows; ++i) {
        out[i] = SFM_NAME(sfm_nearest_lane)(centres, best.score + i, best.vector + i);
    }
}

#undef vcell
#undef SFM_NAME
#undef SFM_TARGET
#undef SFM_WIDTH
#undef SFM_TILE
#undef SFM_PANEL
#undef SFM_DOT
