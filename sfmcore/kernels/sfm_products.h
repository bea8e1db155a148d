/* Inner products of all rows of one matrix with all rows of another.
 *
 * Unlike those of a BLAS, a product's bits depend on its own two rows only, not on where they
 * stand or how many there are: columns are added lane by lane, block of columns by block, and
 * the blocks' sums in order. Blocks keep what is worked on in the caches.
 */
#ifndef SFM_PRODUCTS_H
#define SFM_PRODUCTS_H

#include "sfm_vector.h"

/* Rows of a chunk, and of a block the points (128 kB) and the columns. */
#define SFM_CHUNK_ROWS 64
#define SFM_BLOCK_POINTS 32
#define SFM_BLOCK_COLUMNS 1024

/* Sixteen tiles of 4 x 4 sums fill half the registers of AVX-512, eight of 4 x 2 those of AVX2.
 * Vectors wider than the processor's are no use here: GCC keeps their sums in memory. */
#if SFM_CHOOSE || defined(__AVX512F__)
#define WIDTH 16
#define TILE_POINTS 4
#define NAME(x) sfm_products_##x##_16
#define TARGET __attribute__((target("avx512f,fma"), noinline))
#include "sfm_products_loops.h"
#undef WIDTH
#undef TILE_POINTS
#undef NAME
#undef TARGET
#endif

#if SFM_CHOOSE || (defined(__AVX__) && !defined(__AVX512F__))
#define WIDTH 8
#define TILE_POINTS 2
#define NAME(x) sfm_products_##x##_8
#if SFM_CHOOSE
#define TARGET __attribute__((target("avx2,fma"), noinline))
#else
#define TARGET __attribute__((noinline))
#endif
#include "sfm_products_loops.h"
#undef WIDTH
#undef TILE_POINTS
#undef NAME
#undef TARGET
#endif

#if SFM_CHOOSE || !defined(__AVX__)
#define WIDTH 4
#define TILE_POINTS 2
#define NAME(x) sfm_products_##x##_4
#define TARGET __attribute__((noinline))
#include "sfm_products_loops.h"
#undef WIDTH
#undef TILE_POINTS
#undef NAME
#undef TARGET
#endif

/* Products of the rows first..first+63, as far as there are, with all points. */
static inline void sfm_products_rows(const float *rows, int64_t n_rows, int64_t first,
                                     const float *points, int64_t n_points, int64_t n_columns,
                                     float *out)
{
#if SFM_CHOOSE
    if (__builtin_cpu_supports("avx512f")) {
        sfm_products_rows_16(rows, n_rows, first, points, n_points, n_columns, out);
    } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        sfm_products_rows_8(rows, n_rows, first, points, n_points, n_columns, out);
    } else {
        sfm_products_rows_4(rows, n_rows, first, points, n_points, n_columns, out);
    }
#elif defined(__AVX512F__)
    sfm_products_rows_16(rows, n_rows, first, points, n_points, n_columns, out);
#elif defined(__AVX__)
    sfm_products_rows_8(rows, n_rows, first, points, n_points, n_columns, out);
#else
    sfm_products_rows_4(rows, n_rows, first, points, n_points, n_columns, out);
#endif
}

#endif
