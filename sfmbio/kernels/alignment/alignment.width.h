/* The loops of alignment.h for one width.
 *
 * Rows of SFM_ROW bytes are gone through in parts of a vector.
 */

#if BITS == 512
#define STRIP 6
#elif BITS == 256
/* More need more registers than there are. */
#define STRIP 3
#else
#define STRIP 2
#endif

/* For those that arrange what vectors take. */
SFM_ENTRY int SIZED(sfm_width_of_vectors)(int nothing)
{
    (void)nothing;
    return BITS;
}

#define NUMBER int8_t
#define VECTOR vbytes
#define VECTOR_(x) vbytes_##x
#define SCORES sfm_align_bytes
#define ACROSS sfm_across_bytes
#define LOWEST INT8_MIN
#include "alignment/alignment.scores.h"
#include "alignment/alignment.across.h"

#define NUMBER int16_t
#define VECTOR vshorts
#define VECTOR_(x) vshorts_##x
#define SCORES sfm_align_shorts
#define ACROSS sfm_across_shorts
#define LOWEST INT16_MIN
#include "alignment/alignment.scores.h"
#include "alignment/alignment.across.h"

#if BITS == 512
#define DIAGONALS 12
#else
#define DIAGONALS 6
#endif

/* Best scores, from INT8_MIN on, of one query with 64 packed targets along diagonals, without gaps. A
 * sum is looked at after every second symbol: what is loaded sets the pace, and then nothing else.
 * `memory` has room for a row of each symbol. */
SFM_ENTRY void SIZED(sfm_diagonal_bytes)(const sfm_targets *targets, const uint8_t *query, int64_t n,
                                         const int8_t *packed, int64_t length, int n_lanes,
                                         int8_t *restrict memory, int8_t *best)
{
    const vbytes zero = vbytes_turn(vbytes_fill(INT8_MIN));
    const int64_t column = targets->n_symbols * SFM_ROW;
    const int size = BITS / 8;
    for (int part = 0; part < n_lanes; part += size) {
        vbytes top = zero;
        for (int64_t i = 0; i < n; ++i) {
            vbytes_store_aligned(memory + i * size, zero);
        }
        for (int64_t j = 0; j < length; j += DIAGONALS) {
            const int8_t *rows = packed + j * column + part;
            vbytes corner[DIAGONALS];
            for (int c = 0; c < DIAGONALS; ++c) {
                corner[c] = zero;
            }
            for (int64_t i = 0; i + 1 < n; i += 2) {
                int8_t *kept = memory + i * size;
                for (int k = 0; k < 2; ++k) {
                    const int8_t *row = rows + query[i + k] * SFM_ROW;
                    vbytes left = vbytes_load_aligned(kept + k * size);
                    for (int c = 0; c < DIAGONALS; ++c) {
                        const vbytes cell =
                            vbytes_add(corner[c], vbytes_load_aligned(row + c * column));
                        top = k ? vbytes_max(top, cell) : top;
                        corner[c] = left;
                        left = cell;
                    }
                    vbytes_store_aligned(kept + k * size, left);
                }
            }
        }
        vbytes_store_aligned(best + part, vbytes_turn(top));
    }
}

#undef DIAGONALS

/* Scores and ways (see alignment.h) of one query with the lanes of packed targets from `part` on.
 * `ways` takes a byte of each lane for each symbol at each position; `top` and `ends` the best
 * scores and the first position and symbol that end them. Returns the number of lanes. */
SFM_ENTRY int SIZED(sfm_align_ways)(const sfm_targets *targets, const uint8_t *query, int64_t n,
                                    const int16_t *packed, int64_t length, int part,
                                    int16_t *restrict memory, uint8_t *restrict ways,
                                    int16_t *top, sfm_end *ends)
{
    const vshorts open = vshorts_fill((int16_t)targets->open);
    const vshorts extend = vshorts_fill((int16_t)targets->extend);
    const vshorts zero = vshorts_fill(INT16_MIN);
    const int64_t column = targets->n_symbols * (SFM_ROW / 2);
    const int size = BITS / 16;
    uint16_t places[BITS / 16] __attribute__((aligned(BITS / 8)));
    int16_t now[BITS / 16] __attribute__((aligned(BITS / 8)));
    vshorts best = zero;
    for (int64_t k = 0; k < n * 2; ++k) {
        vshorts_store_aligned(memory + k * size, zero);
    }
    for (int lane = 0; lane < size; ++lane) {
        top[lane] = INT16_MIN;
    }
    for (int64_t j = 0; j < length; ++j) {
        const int16_t *rows = packed + j * column + part;
        vshorts corner = zero, down = zero, place = zero;
        for (int64_t i = 0; i < n; ++i) {
            int16_t *kept = memory + i * 2 * size;
            const vshorts across = vshorts_load_aligned(kept + size);
            const vshorts row = vshorts_load_aligned(rows + query[i] * (SFM_ROW / 2));
            const vshorts pair = vshorts_add(corner, row);
            const vshorts begun = vshorts_max(pair, across);
            const vshorts cell = vshorts_max(begun, down);
            const vshorts higher = vshorts_max(best, cell);
            const vshorts same = vshorts_equal(best, higher);
            const vshorts longer_across = vshorts_sub(across, extend);
            const vshorts longer_down = vshorts_sub(down, extend);
            const vshorts next = vshorts_max(longer_across, vshorts_sub(cell, open));
            corner = vshorts_load_aligned(kept);
            /* A gap that is gone through here is cheaper to lengthen than to begin again. */
            down = vshorts_max(longer_down, vshorts_sub(begun, open));
            place = (place & same) | (vshorts_fill((int16_t)i) & ~same);
            best = higher;
            vshorts_store_aligned(kept, cell);
            vshorts_store_aligned(kept + size, next);
            vshorts_store_low(ways + (j * n + i) * size,
                              (vshorts_equal(pair, zero) & SFM_NO_PAIR) |
                                  (vshorts_equal(begun, pair) & SFM_NOT_ACROSS) |
                                  (vshorts_equal(cell, begun) & SFM_NOT_DOWN) |
                                  (vshorts_equal(next, longer_across) & SFM_LONGER_ACROSS) |
                                  (vshorts_equal(down, longer_down) & SFM_LONGER_DOWN));
        }
        vshorts_store_aligned(now, best);
        vshorts_store_aligned((int16_t *)places, place);
        for (int lane = 0; lane < size; ++lane) {
            if (now[lane] > top[lane]) {
                top[lane] = now[lane];
                ends[lane].position = j;
                ends[lane].symbol = places[lane];
            }
        }
    }
    return size;
}

#undef STRIP
