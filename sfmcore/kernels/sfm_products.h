/* Inner products of all rows of one matrix with all rows of another.
 *
 * Unlike those of a BLAS, a product's bits depend on its own two rows only, not on where they
 * stand or how many there are: columns are added in sixteen lanes, block of columns by block,
 * and the blocks' sums in order. Blocks keep what is worked on in the caches.
 */
#ifndef SFM_PRODUCTS_H
#define SFM_PRODUCTS_H

#include "sfm_vector.h"

#define SFM_TILE_ROWS 4
#define SFM_TILE_POINTS 4
/* Rows of a chunk, and of a block the points (128 kB) and the columns. */
#define SFM_CHUNK_ROWS 64
#define SFM_BLOCK_POINTS 32
#define SFM_BLOCK_COLUMNS 1024

typedef float vfloat16 __attribute__((vector_size(64)));
typedef float vfloat16_u __attribute__((vector_size(64), aligned(4), may_alias));

SFM_INLINE float sfm_vfloat16_sum(vfloat16 x)
{
    float half[8];
    for (int k = 0; k < 8; ++k) {
        half[k] = x[k] + x[k + 8];
    }
    return ((half[0] + half[4]) + (half[2] + half[6])) +
           ((half[1] + half[5]) + (half[3] + half[7]));
}

/* Products of SFM_TILE_ROWS rows with SFM_TILE_POINTS points over some columns. */
SFM_INLINE void sfm_products_tile(const float *const *rows, const float *const *points,
                                  int64_t n_columns, float (*out)[SFM_TILE_POINTS])
{
    vfloat16 sums[SFM_TILE_ROWS][SFM_TILE_POINTS] = {{{0}}};
    int64_t d = 0;
    for (; d + 16 <= n_columns; d += 16) {
        _Pragma("GCC unroll 4")
        for (int p = 0; p < SFM_TILE_POINTS; ++p) {
            const vfloat16 point = *(const vfloat16_u *)(points[p] + d);
            _Pragma("GCC unroll 4")
            for (int r = 0; r < SFM_TILE_ROWS; ++r) {
                sums[r][p] += *(const vfloat16_u *)(rows[r] + d) * point;
            }
        }
    }
    for (int r = 0; r < SFM_TILE_ROWS; ++r) {
        for (int p = 0; p < SFM_TILE_POINTS; ++p) {
            float rest = 0.0f;
            for (int64_t k = d; k < n_columns; ++k) {
                rest += rows[r][k] * points[p][k];
            }
            out[r][p] = sfm_vfloat16_sum(sums[r][p]) + rest;
        }
    }
}

/* Products of four rows from `first` on with a block of points over a block of columns.
 *
 * Rows and points beyond the end repeat the last one, so that every product is made alike.
 */
SFM_INLINE void sfm_products_block(const float *rows, int64_t n_rows, int64_t first,
                                   const float *points, int64_t n_points, int64_t begin,
                                   int64_t end, int64_t n_columns, int64_t column, float *out)
{
    const int64_t width = n_columns - column < SFM_BLOCK_COLUMNS ? n_columns - column
                                                                : SFM_BLOCK_COLUMNS;
    const float *four[SFM_TILE_ROWS], *few[SFM_TILE_POINTS];
    float tile[SFM_TILE_ROWS][SFM_TILE_POINTS];
    for (int r = 0; r < SFM_TILE_ROWS; ++r) {
        const int64_t row = first + r < n_rows ? first + r : n_rows - 1;
        four[r] = rows + row * n_columns + column;
    }
    for (int64_t point = begin; point < end; point += SFM_TILE_POINTS) {
        for (int p = 0; p < SFM_TILE_POINTS; ++p) {
            const int64_t own = point + p < n_points ? point + p : n_points - 1;
            few[p] = points + own * n_columns + column;
        }
        sfm_products_tile(four, few, width, tile);
        for (int r = 0; r < SFM_TILE_ROWS && first + r < n_rows; ++r) {
            for (int p = 0; p < SFM_TILE_POINTS && point + p < n_points; ++p) {
                float *cell = out + (first + r) * n_points + point + p;
                *cell = column == 0 ? tile[r][p] : *cell + tile[r][p];
            }
        }
    }
}

/* Products of the rows first..first+63, as far as there are, with all points. */
SFM_DISPATCH static void sfm_products_rows(const float *rows, int64_t n_rows, int64_t first,
                                           const float *points, int64_t n_points,
                                           int64_t n_columns, float *out)
{
    const int64_t last = first + SFM_CHUNK_ROWS < n_rows ? first + SFM_CHUNK_ROWS : n_rows;
    for (int64_t column = 0; column < n_columns; column += SFM_BLOCK_COLUMNS) {
        for (int64_t begin = 0; begin < n_points; begin += SFM_BLOCK_POINTS) {
            const int64_t end = begin + SFM_BLOCK_POINTS < n_points ? begin + SFM_BLOCK_POINTS
                                                                   : n_points;
            for (int64_t row = first; row < last; row += SFM_TILE_ROWS) {
                sfm_products_block(rows, n_rows, row, points, n_points, begin, end, n_columns,
                                   column, out);
            }
        }
    }
}

#endif
