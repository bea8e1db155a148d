/* Nearest centre of rows of bytes, in whole numbers.
 *
 * A byte is taken as v - 128, a centre in units of 1 / 128 less 128, so both fit in 16 bits. Then
 *
 *     score = x . C - |C|^2 / (2 * 128)
 *
 * falls with the distance. Sums of whole numbers do not depend on their order: every vector width,
 * block and thread gives the same score, and so the same choice.
 *
 * Centres stand as [group of 16][pair of columns][lane], a pair in one 32-bit cell, which is what
 * the processors' 16-bit multiply-and-add instructions take.
 */
#ifndef SFM_NEAREST_H
#define SFM_NEAREST_H

#include "simd/simd.h"

#define SFM_NEAREST_GROUP 16
/* Rows of a block: with a panel of centres they stay in the first cache. */
#define SFM_NEAREST_ROWS 48

typedef struct {
    int64_t n_groups;
    int64_t n_pairs;
    int64_t n_columns;       /* the last pair is filled up with 0 */
    const int32_t *pair;     /* [group][pair][lane] */
    const int32_t *offset;   /* [group][lane]: -|C|^2 / 256, rounded up; INT32_MIN for no centre */
    const uint16_t *number;  /* [group][lane] */
} sfm_centres;

/* A block of rows as pairs, v - 128. */
SFM_INLINE void sfm_nearest_widen(const sfm_centres *centres, const uint8_t *rows, int64_t n_rows,
                                  int16_t *wide)
{
    const int64_t D = centres->n_columns, width = 2 * centres->n_pairs;
    for (int64_t i = 0; i < n_rows; ++i) {
        for (int64_t d = 0; d < D; ++d) {
            wide[i * width + d] = (int16_t)(rows[i * D + d] - 128);
        }
        if (D < width) {
            wide[i * width + D] = 0;
        }
    }
}

#define SFM_EACH_WIDTH "nearest/nearest.width.h"
#include "simd/each_width.h"

/* Numbers of the nearest centres of at most SFM_NEAREST_ROWS rows; `wide` is scratch. */
#define sfm_nearest_block(...) \
    SFM_CALL_WITHIN(sfm_has_vnni() ? 512 : 256, sfm_nearest_block, __VA_ARGS__)

/* Add one row of bytes to a row of sums. */
#define sfm_add_bytes(...) SFM_CALL(sfm_add_bytes, __VA_ARGS__)

#endif
