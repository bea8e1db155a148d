/* The loops of alignment.h for one width.
 *
 * Rows of SFM_ROW bytes are gone through in parts of a vector. Positions of the target are taken
 * several at a time, so that what waits from one position to the next, two vectors for each symbol
 * of the query, is read and written once for all of them.
 */

#if BITS == 512
#define STRIP 4
#else
/* Four need more registers than there are. */
#define STRIP 2
#endif

/* Best scores of one query with 64 packed targets, of which n_lanes are there. `memory` has room
 * for two rows of each symbol. */
SFM_ENTRY void SIZED(sfm_align_bytes)(const sfm_targets *targets, const uint8_t *query, int64_t n,
                                      const uint8_t *packed, int64_t length, int n_lanes,
                                      uint8_t *restrict memory, uint8_t *best)
{
    const vbytes open = vbytes_fill((uint8_t)targets->open);
    const vbytes extend = vbytes_fill((uint8_t)targets->extend);
    const vbytes bias = vbytes_fill((uint8_t)targets->bias), zero = vbytes_fill(0);
    const int64_t column = targets->n_symbols * SFM_ROW;
    const int size = BITS / 8;
    for (int part = 0; part < n_lanes; part += size) {
        vbytes top = zero;
        memset(memory, 0, (size_t)n * 2 * size);
        for (int64_t j = 0; j < length; j += STRIP) {
            const uint8_t *rows = packed + j * column + part;
            vbytes corner[STRIP], down[STRIP];
            for (int c = 0; c < STRIP; ++c) {
                corner[c] = down[c] = zero;
            }
            for (int64_t i = 0; i < n; ++i) {
                const uint8_t *row = rows + query[i] * SFM_ROW;
                uint8_t *kept = memory + i * 2 * size;
                vbytes left = vbytes_load_aligned(kept);
                vbytes across = vbytes_load_aligned(kept + size);
                for (int c = 0; c < STRIP; ++c) {
                    vbytes cell = vbytes_add(corner[c], vbytes_load_aligned(row + c * column));
                    cell = vbytes_max(vbytes_sub(cell, bias), across);
                    top = vbytes_max(top, cell);
                    const vbytes opened = vbytes_sub(cell, open);
                    corner[c] = left;
                    left = vbytes_max(cell, down[c]);
                    down[c] = vbytes_max(vbytes_sub(down[c], extend), opened);
                    across = vbytes_max(vbytes_sub(across, extend), opened);
                }
                vbytes_store_aligned(kept, left);
                vbytes_store_aligned(kept + size, across);
            }
        }
        vbytes_store_aligned(best + part, top);
    }
}

/* The same in 16 bits with 32 targets. */
SFM_ENTRY void SIZED(sfm_align_shorts)(const sfm_targets *targets, const uint8_t *query, int64_t n,
                                       const uint16_t *packed, int64_t length, int n_lanes,
                                       uint16_t *restrict memory, uint16_t *best)
{
    const vshorts open = vshorts_fill((uint16_t)targets->open);
    const vshorts extend = vshorts_fill((uint16_t)targets->extend);
    const vshorts bias = vshorts_fill((uint16_t)targets->bias), zero = vshorts_fill(0);
    const int64_t column = targets->n_symbols * (SFM_ROW / 2);
    const int size = BITS / 16;
    for (int part = 0; part < n_lanes; part += size) {
        vshorts top = zero;
        memset(memory, 0, (size_t)n * 2 * size * sizeof(uint16_t));
        for (int64_t j = 0; j < length; j += STRIP) {
            const uint16_t *rows = packed + j * column + part;
            vshorts corner[STRIP], down[STRIP];
            for (int c = 0; c < STRIP; ++c) {
                corner[c] = down[c] = zero;
            }
            for (int64_t i = 0; i < n; ++i) {
                const uint16_t *row = rows + query[i] * (SFM_ROW / 2);
                uint16_t *kept = memory + i * 2 * size;
                vshorts left = vshorts_load_aligned(kept);
                vshorts across = vshorts_load_aligned(kept + size);
                for (int c = 0; c < STRIP; ++c) {
                    vshorts cell = vshorts_add(corner[c], vshorts_load_aligned(row + c * column));
                    cell = vshorts_max(vshorts_sub(cell, bias), across);
                    top = vshorts_max(top, cell);
                    const vshorts opened = vshorts_sub(cell, open);
                    corner[c] = left;
                    left = vshorts_max(cell, down[c]);
                    down[c] = vshorts_max(vshorts_sub(down[c], extend), opened);
                    across = vshorts_max(vshorts_sub(across, extend), opened);
                }
                vshorts_store_aligned(kept, left);
                vshorts_store_aligned(kept + size, across);
            }
        }
        vshorts_store_aligned(best + part, top);
    }
}

/* Scores and ways (see alignment.h) of one query with the lanes of packed targets from `part` on.
 * `ways` takes a byte of each lane for each symbol at each position; `top` and `ends` the best
 * scores and the first position and symbol that end them. Returns the number of lanes. */
SFM_ENTRY int SIZED(sfm_align_ways)(const sfm_targets *targets, const uint8_t *query, int64_t n,
                                    const uint16_t *packed, int64_t length, int part,
                                    uint16_t *restrict memory, uint8_t *restrict ways,
                                    uint16_t *top, sfm_end *ends)
{
    const vshorts open = vshorts_fill((uint16_t)targets->open);
    const vshorts extend = vshorts_fill((uint16_t)targets->extend);
    const vshorts bias = vshorts_fill((uint16_t)targets->bias), zero = vshorts_fill(0);
    const int64_t column = targets->n_symbols * (SFM_ROW / 2);
    const int size = BITS / 16;
    uint16_t places[BITS / 16] __attribute__((aligned(BITS / 8)));
    uint16_t now[BITS / 16] __attribute__((aligned(BITS / 8)));
    vshorts best = zero;
    memset(memory, 0, (size_t)n * 2 * size * sizeof(uint16_t));
    memset(top, 0, size * sizeof(uint16_t));
    for (int64_t j = 0; j < length; ++j) {
        const uint16_t *rows = packed + j * column + part;
        vshorts corner = zero, down = zero, place = zero;
        for (int64_t i = 0; i < n; ++i) {
            uint16_t *kept = memory + i * 2 * size;
            const vshorts across = vshorts_load_aligned(kept + size);
            const vshorts row = vshorts_load_aligned(rows + query[i] * (SFM_ROW / 2));
            const vshorts pair = vshorts_sub(vshorts_add(corner, row), bias);
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
            place = (place & same) | (vshorts_fill((uint16_t)i) & ~same);
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
        vshorts_store_aligned(places, place);
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
