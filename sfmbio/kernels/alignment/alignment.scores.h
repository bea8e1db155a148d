/* The loop of scores for one width of vectors and one size of numbers.
 *
 * NUMBER is the type of a lane, VECTOR that of a vector, VECTOR_(x) the name of its function x, and
 * SCORES the name of the loop. LOWEST, the least number, stands for a score of 0: there sums stop by
 * themselves, as those of a local alignment do.
 *
 * Positions of the target are taken STRIP at a time, so that what waits from one position to the next,
 * two vectors for each symbol of the query, is read and written once for all of them.
 */

/* Best scores, from LOWEST on, of one query with the packed targets of a row, of which n_lanes are
 * there. `memory` has room for two rows of each symbol. */
SFM_ENTRY void SIZED(SCORES)(const sfm_targets *targets, const uint8_t *query, int64_t n,
                             const NUMBER *packed, int64_t length, int n_lanes,
                             NUMBER *restrict memory, NUMBER *best)
{
    const VECTOR open = VECTOR_(fill)((NUMBER)targets->open);
    const VECTOR extend = VECTOR_(fill)((NUMBER)targets->extend);
    const VECTOR zero = VECTOR_(turn)(VECTOR_(fill)(LOWEST));
    const int size = BITS / 8 / (int)sizeof(NUMBER), row_size = SFM_ROW / (int)sizeof(NUMBER);
    const int64_t column = targets->n_symbols * row_size;
    for (int part = 0; part < n_lanes; part += size) {
        VECTOR top = zero;
        for (int64_t k = 0; k < n * 2; ++k) {
            VECTOR_(store_aligned)(memory + k * size, zero);
        }
        for (int64_t j = 0; j < length; j += STRIP) {
            const NUMBER *rows = packed + j * column + part;
            VECTOR corner[STRIP], down[STRIP];
            for (int c = 0; c < STRIP; ++c) {
                corner[c] = down[c] = zero;
            }
            for (int64_t i = 0; i < n; ++i) {
                const NUMBER *row = rows + query[i] * row_size;
                NUMBER *kept = memory + i * 2 * size;
                VECTOR left = VECTOR_(load_aligned)(kept);
                VECTOR across = VECTOR_(load_aligned)(kept + size);
                for (int c = 0; c < STRIP; ++c) {
                    const VECTOR pair =
                        VECTOR_(add)(corner[c], VECTOR_(load_aligned)(row + c * column));
                    const VECTOR cell = VECTOR_(max)(pair, across);
                    const VECTOR opened = VECTOR_(sub)(cell, open);
                    top = VECTOR_(max)(top, cell);
                    corner[c] = left;
                    left = VECTOR_(max)(cell, down[c]);
                    down[c] = VECTOR_(max)(VECTOR_(sub)(down[c], extend), opened);
                    across = VECTOR_(max)(VECTOR_(sub)(across, extend), opened);
                }
                VECTOR_(store_aligned)(kept, left);
                VECTOR_(store_aligned)(kept + size, across);
            }
        }
        VECTOR_(store_aligned)(best + part, VECTOR_(turn)(top));
    }
}
