/* Loops of sfm_products.h for one width of vectors: WIDTH floats, tiles of 4 x TILE_POINTS. */

#define TILE_ROWS 4

typedef float NAME(vector) __attribute__((vector_size(4 * WIDTH)));
typedef float NAME(unaligned) __attribute__((vector_size(4 * WIDTH), aligned(4), may_alias));

/* Halves are added to halves until one number is left: a fixed tree. */
SFM_INLINE float NAME(sum)(NAME(vector) x)
{
    float lanes[WIDTH];
    memcpy(lanes, &x, sizeof lanes);
    for (int half = WIDTH / 2; half > 0; half /= 2) {
        for (int k = 0; k < half; ++k) {
            lanes[k] += lanes[k + half];
        }
    }
    return lanes[0];
}

/* Products of four rows with TILE_POINTS points over some columns. */
SFM_INLINE void NAME(tile)(const float *const *rows, const float *const *points,
                           int64_t n_columns, float (*out)[TILE_POINTS])
{
    NAME(vector) sums[TILE_ROWS][TILE_POINTS] = {{{0}}};
    int64_t d = 0;
    for (; d + WIDTH <= n_columns; d += WIDTH) {
        _Pragma("GCC unroll 4")
        for (int p = 0; p < TILE_POINTS; ++p) {
            const NAME(vector) point = *(const NAME(unaligned) *)(points[p] + d);
            _Pragma("GCC unroll 4")
            for (int r = 0; r < TILE_ROWS; ++r) {
                sums[r][p] += *(const NAME(unaligned) *)(rows[r] + d) * point;
            }
        }
    }
    for (int r = 0; r < TILE_ROWS; ++r) {
        for (int p = 0; p < TILE_POINTS; ++p) {
            float rest = 0.0f;
            for (int64_t k = d; k < n_columns; ++k) {
                rest += rows[r][k] * points[p][k];
            }
            out[r][p] = NAME(sum)(sums[r][p]) + rest;
        }
    }
}

/* Products of four rows from `first` on with a block of points over a block of columns.
 *
 * Rows and points beyond the end repeat the last one, so that every product is made alike.
 */
SFM_INLINE void NAME(block)(const float *rows, int64_t n_rows, int64_t first, const float *points,
                            int64_t n_points, int64_t begin, int64_t end, int64_t n_columns,
                            int64_t column, float *out)
{
    const int64_t width = n_columns - column < SFM_BLOCK_COLUMNS ? n_columns - column
                                                                : SFM_BLOCK_COLUMNS;
    const float *four[TILE_ROWS], *few[TILE_POINTS];
    float tile[TILE_ROWS][TILE_POINTS];
    for (int r = 0; r < TILE_ROWS; ++r) {
        const int64_t row = first + r < n_rows ? first + r : n_rows - 1;
        four[r] = rows + row * n_columns + column;
    }
    for (int64_t point = begin; point < end; point += TILE_POINTS) {
        for (int p = 0; p < TILE_POINTS; ++p) {
            const int64_t own = point + p < n_points ? point + p : n_points - 1;
            few[p] = points + own * n_columns + column;
        }
        NAME(tile)(four, few, width, tile);
        for (int r = 0; r < TILE_ROWS && first + r < n_rows; ++r) {
            for (int p = 0; p < TILE_POINTS && point + p < n_points; ++p) {
                float *cell = out + (first + r) * n_points + point + p;
                *cell = column == 0 ? tile[r][p] : *cell + tile[r][p];
            }
        }
    }
}

TARGET static void NAME(rows)(const float *rows, int64_t n_rows, int64_t first,
                              const float *points, int64_t n_points, int64_t n_columns,
                              float *out)
{
    const int64_t last = first + SFM_CHUNK_ROWS < n_rows ? first + SFM_CHUNK_ROWS : n_rows;
    for (int64_t column = 0; column < n_columns; column += SFM_BLOCK_COLUMNS) {
        for (int64_t begin = 0; begin < n_points; begin += SFM_BLOCK_POINTS) {
            const int64_t end = begin + SFM_BLOCK_POINTS < n_points ? begin + SFM_BLOCK_POINTS
                                                                   : n_points;
            for (int64_t row = first; row < last; row += TILE_ROWS) {
                NAME(block)(rows, n_rows, row, points, n_points, begin, end, n_columns, column,
                            out);
            }
        }
    }
}

#undef TILE_ROWS
