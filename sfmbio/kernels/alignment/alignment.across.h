/* The score of one pair for one width of vectors and one size of numbers.
 *
 * The lanes are stretches of the target of like length, so that a vector has one position of each
 * (Farrar 2007). What a gap in the query brings from the stretch before is put in afterwards, as long
 * as it makes a difference: seldom, and then at few positions.
 *
 * ACROSS is the name of the loop; for the others see alignment.scores.h. `packed` are the stretches,
 * of so many positions, as sfm_pack_stretches has them; `memory` has room for three rows of each
 * position of a stretch, or for those of gaps, two, and those of every symbol where `every` is set:
 * these have the scores of all cells.
 *
 * M. Farrar, "Striped Smith-Waterman speeds database searches six times over other SIMD
 * implementations", Bioinformatics 23 (2007) 156-161.
 */

/* The best score, from LOWEST on; the largest number may stand for any larger one too. */
SFM_ENTRY int SIZED(ACROSS)(const sfm_targets *targets, const int8_t *packed, int64_t length,
                            const uint8_t *query, int64_t n, int every, NUMBER *restrict memory)
{
    const VECTOR open = VECTOR_(fill)((NUMBER)targets->open);
    const VECTOR extend = VECTOR_(fill)((NUMBER)targets->extend);
    const VECTOR zero = VECTOR_(turn)(VECTOR_(fill)(LOWEST));
    const int64_t column = targets->n_symbols * SFM_ROW;
    const int size = BITS / 8 / (int)sizeof(NUMBER);
    NUMBER best[BITS / 8 / sizeof(NUMBER)] __attribute__((aligned(BITS / 8)));
    NUMBER *gaps = memory, *cells = gaps + length * size, *before = cells + length * size;
    int highest = LOWEST;
    VECTOR top = zero;
    for (int64_t k = 0; k < length * 2; ++k) {
        VECTOR_(store_aligned)(memory + k * size, zero);
    }
    for (int64_t i = 0; i < n; ++i) {
        const int8_t *row = packed + query[i] * SFM_ROW;
        VECTOR corner = VECTOR_(next_lane)(VECTOR_(load_aligned)(cells + (length - 1) * size), zero);
        VECTOR along = zero;
        NUMBER *const now = every ? cells + length * size : before;
        before = cells;
        cells = now;
        for (int64_t j = 0; j < length; ++j) {
            const VECTOR down = VECTOR_(load_aligned)(gaps + j * size);
            const VECTOR pair = VECTOR_(add)(corner, VECTOR_(load_bytes)(row + j * column));
            const VECTOR begun = VECTOR_(max)(pair, down);
            const VECTOR cell = VECTOR_(max)(begun, along);
            const VECTOR opened = VECTOR_(sub)(begun, open);
            top = VECTOR_(max)(top, pair);
            corner = VECTOR_(load_aligned)(before + j * size);
            VECTOR_(store_aligned)(cells + j * size, cell);
            VECTOR_(store_aligned)(gaps + j * size, VECTOR_(max)(VECTOR_(sub)(down, extend), opened));
            along = VECTOR_(max)(VECTOR_(sub)(along, extend), opened);
        }
        /* At most once through all for each lane. */
        for (int lane = 1, go_on = 1; go_on && lane < size; ++lane) {
            along = VECTOR_(next_lane)(along, zero);
            for (int64_t j = 0; j < length; ++j) {
                const VECTOR cell = VECTOR_(load_aligned)(cells + j * size);
                const VECTOR least = VECTOR_(sub)(cell, open);
                go_on = VECTOR_(differ)(VECTOR_(max)(least, along), least);
                if (!go_on) {
                    break;
                }
                VECTOR_(store_aligned)(cells + j * size, VECTOR_(max)(cell, along));
                along = VECTOR_(sub)(along, extend);
            }
        }
    }
    VECTOR_(store_aligned)(best, VECTOR_(turn)(top));
    for (int lane = 0; lane < size; ++lane) {
        highest = best[lane] > highest ? best[lane] : highest;
    }
    return highest;
}

#undef NUMBER
#undef VECTOR
#undef VECTOR_
#undef SCORES
#undef ACROSS
#undef LOWEST
