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

#include "sfm_vector.h"

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

#if defined(__x86_64__) && defined(__GNUC__) && !defined(SFM_NO_DISPATCH)
#define SFM_NEAREST_X86 1
#include <immintrin.h>

/* target_clones cannot choose between intrinsics, so the levels are written out. */
#define SFM_NAME(x) x##_vnni
#define SFM_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))
#define SFM_WIDTH 16
#define SFM_TILE 6
#define SFM_PANEL 4
#define SFM_DOT(sum, x, c) (vcell)_mm512_dpwssd_epi32((__m512i)(sum), (__m512i)(x), (__m512i)(c))
#include "sfm_nearest_block.h"

#define SFM_NAME(x) x##_avx2
#define SFM_TARGET __attribute__((target("avx2")))
#define SFM_WIDTH 8
#define SFM_TILE 4
#define SFM_PANEL 2
#define SFM_DOT(sum, x, c) ((sum) + (vcell)_mm256_madd_epi16((__m256i)(x), (__m256i)(c)))
#include "sfm_nearest_block.h"
#endif

#define SFM_NAME(x) x##_plain
#define SFM_TARGET
#define SFM_WIDTH 4
#define SFM_TILE 2
#define SFM_PANEL 2
/* The halves of a cell by shifts, which are arithmetic in GCC and Clang. */
#define SFM_LOW(x) ((vcell)((x) << 16) >> 16)
#define SFM_DOT(sum, x, c) ((sum) + SFM_LOW(x) * SFM_LOW(c) + ((x) >> 16) * ((c) >> 16))
#include "sfm_nearest_block.h"

/* The fastest level of this processor: 0 is for all, 1 takes AVX2, 2 AVX-512 with VNNI. */
static inline int sfm_nearest_level(void)
{
#ifdef SFM_NEAREST_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
        return 2;
    }
    if (__builtin_cpu_supports("avx2")) {
        return 1;
    }
#endif
    return 0;
}

/* Numbers of the nearest centres of at most SFM_NEAREST_ROWS rows; `wide` is scratch. */
static inline void sfm_nearest_block(const sfm_centres *centres, const uint8_t *rows,
                                     int64_t n_rows, int16_t *wide, uint16_t *out, int level)
{
#ifdef SFM_NEAREST_X86
    if (level == 2) {
        sfm_nearest_block_vnni(centres, rows, n_rows, wide, out);
        return;
    }
    if (level == 1) {
        sfm_nearest_block_avx2(centres, rows, n_rows, wide, out);
        return;
    }
#endif
    (void)level;
    sfm_nearest_block_plain(centres, rows, n_rows, wide, out);
}

/* Add one row of bytes to a row of sums. */
SFM_DISPATCH static void sfm_add_bytes(const uint8_t *row, int64_t n_columns, int64_t *sum)
{
    for (int64_t d = 0; d < n_columns; ++d) {
        sum[d] += row[d];
    }
}

#endif
