/* The alignment of one pair, found from the scores of all its cells.
 *
 * These are what the lanes of one target give (alignment.across.h). Where a cell has its score from is
 * seen by looking for a cell before that explains it: at those of the alignment alone.
 */
#ifndef SFM_CELLS_H
#define SFM_CELLS_H

#include "alignment/pair.h"

/* Bytes that what is kept of the cells of several pairs, or of one in lanes, may take. */
#define SFM_MOST_WAYS ((int64_t)1 << 26)

typedef struct {
    const int16_t *scores; /* a row for each symbol, after one of zeros */
    int64_t stretch;
    int64_t n_lanes;
} sfm_cells;

static inline int32_t sfm_cell(const sfm_cells *all, int64_t i, int64_t j)
{
    const int64_t row = (i + 1) * all->stretch + j % all->stretch;
    return j < 0 ? 0 : all->scores[row * all->n_lanes + j / all->stretch] - INT16_MIN;
}

/* Length of the longest gap that gives a cell its score: over positions of the target if it is across,
 * else over symbols; 0 if none does. */
static int64_t sfm_gap_before(const sfm_targets *targets, const sfm_cells *all, int64_t i, int64_t j,
                              int is_across, int32_t best)
{
    const int32_t cell = sfm_cell(all, i, j);
    /* Before a longer one there would be more than the best score. */
    const int64_t most = (best - cell - targets->open) / targets->extend + 1;
    const int64_t room = is_across ? j : i;
    if (best - cell < targets->open) {
        return 0;
    }
    for (int64_t k = most < room ? most : room; k > 0; --k) {
        const int32_t price = targets->open + (int32_t)(k - 1) * targets->extend;
        if (sfm_cell(all, is_across ? i : i - k, is_across ? j - k : j) == cell + price) {
            return k;
        }
    }
    return 0;
}

/* The first position at which a cell has the best score, and there the first symbol. */
static sfm_end sfm_first_end(const sfm_cells *all, int64_t n, int64_t length, int32_t best)
{
    const int16_t sought = (int16_t)(best + INT16_MIN);
    sfm_end end = {length, -1};
    for (int64_t i = 0; i < n; ++i) {
        const int16_t *row = all->scores + (i + 1) * all->stretch * all->n_lanes;
        int found = 0;
        for (int64_t k = 0; k < all->stretch * all->n_lanes; ++k) {
            found |= row[k] == sought;
        }
        for (int64_t j = 0; found && j < end.position; ++j) {
            if (sfm_cell(all, i, j) == best) {
                end.position = j;
                end.symbol = i;
            }
        }
    }
    return end;
}

/* The best alignment of one pair: see sfm_align_pair. SFM_AGAIN if 16 bits don't hold the scores, or
 * there was no memory. */
static int32_t sfm_align_by_cells(const sfm_targets *targets, int64_t target, const uint8_t *query,
                                  int64_t n, uint8_t *out, int64_t *span, int64_t *places)
{
    const int8_t *rows = targets->scores + targets->offsets[target] * targets->n_symbols;
    const int64_t length = sfm_target_length(targets, target);
    const int n_lanes = SFM_CALL(sfm_width_of_vectors, 0) / 16;
    const int64_t stretch = sfm_stretch(length, n_lanes);
    int8_t *packed;
    int16_t *memory;
    int32_t best = SFM_AGAIN;
    if ((n + 2) * stretch * n_lanes > SFM_MOST_WAYS / (int64_t)sizeof(int16_t)) {
        return SFM_AGAIN;
    }
    packed = sfm_alloc((size_t)(stretch * targets->n_symbols) * SFM_ROW);
    memory = sfm_alloc((size_t)((n + 2) * stretch * n_lanes) * sizeof(int16_t));
    if (packed != NULL && memory != NULL) {
        int top;
        sfm_pack_stretches(targets, target, n_lanes, packed);
        top = SFM_CALL(sfm_across_shorts, targets, packed, stretch, query, n, 1, memory);
        best = top < INT16_MAX ? top - INT16_MIN : SFM_AGAIN;
    }
    if (best > 0) {
        const sfm_cells all = {memory + stretch * n_lanes, stretch, n_lanes};
        const sfm_end end = sfm_first_end(&all, n, length, best);
        int64_t j = end.position, i = end.symbol;
        while (i >= 0 && j >= 0) {
            const int32_t cell = sfm_cell(&all, i, j);
            const int32_t sum = sfm_cell(&all, i - 1, j - 1) + rows[j * targets->n_symbols + query[i]];
            if (cell == (sum > 0 ? sum : 0)) {
                if (cell == 0) {
                    break;
                }
                if (places != NULL) {
                    places[j] = i;
                }
                out[j--] = query[i--];
            } else {
                const int64_t passed = sfm_gap_before(targets, &all, i, j, 1, best);
                for (int64_t k = 0; k < passed; ++k) {
                    out[j--] = SFM_GAP;
                }
                i -= passed > 0 ? 0 : sfm_gap_before(targets, &all, i, j, 0, best);
            }
        }
        span[0] = i + 1;
        span[1] = end.symbol + 1;
    }
    free(packed);
    free(memory);
    return best;
}

#endif
