/* The loops of products.h for one width. */

/* Two vectors of points by as many rows as leave registers for the points: 12 of AVX-512, 6 of
 * AVX2. */
#define PANEL (2 * FLOATS)
#if BITS == 512
#define TILE 12
#else
#define TILE 6
#endif

/* Some rows side by side, column by column. Those beyond the end repeat the last one. */
SFM_INNER void SIZED(sfm_products_pack)(const float *rows, int64_t n_rows, int64_t first,
                                        int64_t n_columns, int64_t column, int64_t width,
                                        const int together, float *out)
{
    const float *row[PANEL];
    for (int r = 0; r < together; ++r) {
        row[r] = rows + (first + r < n_rows ? first + r : n_rows - 1) * n_columns + column;
    }
    int64_t k = 0;
    /* Eight columns at a time, or finding a row again takes as long as reading it. */
    for (; k + 8 <= width; k += 8) {
        for (int r = 0; r < together; ++r) {
            _Pragma("GCC unroll 8") for (int j = 0; j < 8; ++j)
            {
                out[(k + j) * together + r] = row[r][k + j];
            }
        }
    }
    for (; k < width; ++k) {
        for (int r = 0; r < together; ++r) {
            out[k * together + r] = row[r][k];
        }
    }
}

/* Products of a tile of rows with a panel of points: every sum takes its columns in order. */
SFM_INNER void SIZED(sfm_products_tile)(const float *rows, const float *points, int64_t width,
                                        vfloat sums[TILE][2])
{
    vfloat own[TILE][2] = {{{0}}};
    for (int64_t k = 0; k < width; ++k) {
        const vfloat one = vfloat_load(points + k * PANEL);
        const vfloat two = vfloat_load(points + k * PANEL + FLOATS);
        _Pragma("GCC unroll 12") for (int r = 0; r < TILE; ++r)
        {
            const float value = rows[k * TILE + r];
            own[r][0] += value * one;
            own[r][1] += value * two;
        }
    }
    _Pragma("GCC unroll 12") for (int r = 0; r < TILE; ++r)
    {
        sums[r][0] = own[r][0];
        sums[r][1] = own[r][1];
    }
}

/* Adds a tile's sums over a block of columns to those of the blocks before. */
SFM_INNER void SIZED(sfm_products_keep)(const vfloat sums[TILE][2], int64_t n_rows,
                                        int64_t n_points, int64_t stride, int add, float *out)
{
    for (int r = 0; r < n_rows; ++r) {
        float *row = out + r * stride;
        if (n_points == PANEL) {
            for (int half = 0; half < 2; ++half) {
                float *place = row + half * FLOATS;
                const vfloat own = sums[r][half];
                vfloat_store(place, add ? vfloat_load(place) + own : own);
            }
        } else {
            float few[PANEL];
            memcpy(few, sums[r], sizeof few);
            for (int64_t p = 0; p < n_points; ++p) {
                row[p] = add ? row[p] + few[p] : few[p];
            }
        }
    }
}

SFM_ENTRY void SIZED(sfm_products_rows)(const float *rows, int64_t begin, int64_t end,
                                        const float *points, int64_t n_points, int64_t n_columns,
                                        float *scratch, float *out)
{
    float *panel = scratch, *tiles = scratch + PANEL * SFM_PRODUCTS_COLUMNS;
    for (int64_t first = begin; first < end; first += SFM_PRODUCTS_ROWS) {
        const int64_t last = end - first < SFM_PRODUCTS_ROWS ? end : first + SFM_PRODUCTS_ROWS;
        for (int64_t column = 0; column < n_columns; column += SFM_PRODUCTS_COLUMNS) {
            const int64_t rest = n_columns - column;
            const int64_t width = rest < SFM_PRODUCTS_COLUMNS ? rest : SFM_PRODUCTS_COLUMNS;
            for (int64_t row = first; row < last; row += TILE) {
                SIZED(sfm_products_pack)(rows, last, row, n_columns, column, width, TILE,
                                         tiles + (row - first) * width);
            }
            for (int64_t point = 0; point < n_points; point += PANEL) {
                const int64_t more = n_points - point < PANEL ? n_points - point : PANEL;
                SIZED(sfm_products_pack)(points, n_points, point, n_columns, column, width, PANEL,
                                         panel);
                for (int64_t row = first; row < last; row += TILE) {
                    vfloat sums[TILE][2];
                    SIZED(sfm_products_tile)(tiles + (row - first) * width, panel, width, sums);
                    SIZED(sfm_products_keep)(sums, last - row < TILE ? last - row : TILE, more,
                                             n_points, column > 0, out + row * n_points + point);
                }
            }
        }
    }
}

#undef PANEL
#undef TILE
