/* Inner products of all rows of one matrix with all rows of another.
 *
 * Unlike those of a BLAS, a product's bits depend on its own two rows only, not on where they
 * stand or how many there are. A vector holds eight columns; a tile of 4 x 2 products keeps both
 * units for multiplication busy on processors with 16 registers.
 */
#ifndef SFM_PRODUCTS_H
#define SFM_PRODUCTS_H

#include "sfm_vector.h"

#define SFM_TILE_ROWS 4
#define SFM_TILE_POINTS 2

typedef float vfloat __attribute__((vector_size(32)));

SFM_INLINE float sfm_vfloat_sum(vfloat x)
{
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

/* Products of SFM_TILE_ROWS rows with SFM_TILE_POINTS points. */
SFM_INLINE void sfm_products_tile(const float *const *rows, const float *const *points,
                                  int64_t n_columns, float (*out)[SFM_TILE_POINTS])
{
    vfloat sums[SFM_TILE_ROWS][SFM_TILE_POINTS] = {{{0}}};
    int64_t d = 0;
    for (; d + 8 <= n_columns; d += 8) {
        _Pragma("GCC unroll 2")
        for (int p = 0; p < SFM_TILE_POINTS; ++p) {
            const vfloat point = *(const vfloat_u *)(points[p] + d);
            _Pragma("GCC unroll 4")
            for (int r = 0; r < SFM_TILE_ROWS; ++r) {
                sums[r][p] += *(const vfloat_u *)(rows[r] + d) * point;
            }
        }
    }
    for (int r = 0; r < SFM_TILE_ROWS; ++r) {
        for (int p = 0; p < SFM_TILE_POINTS; ++p) {
            float rest = 0.0f;
            for (int64_t k = d; k < n_columns; ++k) {
                rest += rows[r][k] * points[p][k];
            }
            out[r][p] = sfm_vfloat_sum(sums[r][p]) + rest;
        }
    }
}

/* Products of the rows first..first+3, as far as there are, with all points.
 *
 * Rows and points beyond the end repeat the last one, so that every product is made alike.
 */
SFM_DISPATCH static void sfm_products_rows(const float *rows, int64_t n_rows, int64_t first,
                                           const float *points, int64_t n_points,
                                           int64_t n_columns, float *out)
{
    const float *four[SFM_TILE_ROWS], *two[SFM_TILE_POINTS];
    float tile[SFM_TILE_ROWS][SFM_TILE_POINTS];
    for (int r = 0; r < SFM_TILE_ROWS; ++r) {
        const int64_t row = first + r < n_rows ? first + r : n_rows - 1;
        four[r] = rows + row * n_columns;
    }
    for (int64_t point = 0; point < n_points; point += SFM_TILE_POINTS) {
        for (int p = 0; p < SFM_TILE_POINTS; ++p) {
            const int64_t own = point + p < n_points ? point + p : n_points - 1;
            two[p] = points + own * n_columns;
        }
        sfm_products_tile(four, two, n_columns, tile);
        for (int r = 0; r < SFM_TILE_ROWS && first + r < n_rows; ++r) {
            for (int p = 0; p < SFM_TILE_POINTS && point + p < n_points; ++p) {
                out[(first + r) * n_points + point + p] = tile[r][p];
            }
        }
    }
}

#endif
