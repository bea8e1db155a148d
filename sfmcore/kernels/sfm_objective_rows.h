/* The data term of J(u) over rows of one type; included once for float and once for double.
 *
 * REAL is the type of the rows, LOAD8 reads eight of them as doubles, and NAME(x) names the
 * functions. Eight rows go together: u and the gradient are read once for the eight. A row's
 * products are added in the same order in any block, so its score has the same bits anywhere.
 *
 * The columns that do not fill a vector are read as the last lanes of a vector that ends with
 * the row. Its other lanes hold columns that were there before, and count for nothing: u has
 * zeros and the gradient has room for them (sfm_width). Rows of fewer than eight columns are
 * copied behind zeros first.
 */

/* sums[r] += the products of n vectors from column d on, for eight rows. */
SFM_INLINE void NAME(dot_tile)(const REAL *const *rows, int64_t d, const int n, const double *u,
                               int64_t ahead, vdouble *sums)
{
    SFM_UNROLL8
    for (int r = 0; r < 8; ++r) {
        for (int k = 0; k < n; ++k) {
            const REAL *part = rows[r] + d;
            if (k * SFM_LANES * sizeof(REAL) % 64 == 0) {
                __builtin_prefetch((const char *)(part + k * SFM_LANES) + ahead, 0, 3);
            }
            sums[r] += LOAD8(part + k * SFM_LANES) * *(const vdouble *)(u + d + k * SFM_LANES);
        }
    }
}

/* Scores of eight rows. What comes `ahead` bytes later is asked for. */
SFM_INLINE vdouble NAME(dot8)(const REAL *const *rows, int64_t n_columns, const double *u,
                              int64_t ahead)
{
    vdouble sums[8], scores;
    int64_t d = 0;
    for (int r = 0; r < 8; ++r) {
        sums[r] = vzero();
    }
    for (; d + SFM_TILE * SFM_LANES <= n_columns; d += SFM_TILE * SFM_LANES) {
        NAME(dot_tile)(rows, d, SFM_TILE, u, ahead, sums);
    }
    for (; d + SFM_LANES <= n_columns; d += SFM_LANES) {
        NAME(dot_tile)(rows, d, 1, u, ahead, sums);
    }
    if (d < n_columns) {
        SFM_UNROLL8
        for (int r = 0; r < 8; ++r) {
            sums[r] += LOAD8(rows[r] + n_columns - SFM_LANES) * *(const vdouble *)(u + d);
        }
    }
    for (int r = 0; r < 8; ++r) {
        scores[r] = vsum(sums[r]);
    }
    return scores;
}

/* gradient += sum_r factors[r] * rows[r]. What comes `ahead` bytes later is asked for: these rows
 * are in the cache, and the memory would have nothing to do.
 */
SFM_INLINE void NAME(add8)(const REAL *const *rows, int64_t n_columns, vdouble factors,
                           int64_t ahead, double *gradient)
{
    int64_t d = 0;
    for (; d + SFM_LANES <= n_columns; d += SFM_LANES) {
        vdouble sum = *(const vdouble *)(gradient + d);
        SFM_UNROLL8
        for (int r = 0; r < 8; ++r) {
            __builtin_prefetch((const char *)(rows[r] + d) + ahead, 0, 2);
            sum += LOAD8(rows[r] + d) * factors[r];
        }
        *(vdouble *)(gradient + d) = sum;
    }
    if (d < n_columns) {
        vdouble sum = *(const vdouble *)(gradient + d);
        SFM_UNROLL8
        for (int r = 0; r < 8; ++r) {
            sum += LOAD8(rows[r] + n_columns - SFM_LANES) * factors[r];
        }
        *(vdouble *)(gradient + d) = sum;
    }
}

/* Rows first..first+7; those beyond the end repeat the last one. Returns how many are real.
 * `narrow` is zero at first and holds the rows of fewer than eight columns.
 */
SFM_INLINE int NAME(take8)(const REAL *rows, int64_t stride, int64_t first, int64_t n_rows,
                           int64_t n_columns, REAL (*narrow)[SFM_LANES], const REAL **taken)
{
    for (int r = 0; r < 8; ++r) {
        const int64_t row = first + r < n_rows ? first + r : n_rows - 1;
        taken[r] = rows + row * stride;
        if (n_columns < SFM_LANES) {
            memcpy(narrow[r] + SFM_LANES - n_columns, taken[r], (size_t)n_columns * sizeof(REAL));
            taken[r] = narrow[r];
        }
    }
    return first + 8 <= n_rows ? 8 : (int)(n_rows - first);
}

/* u is spread out. */
SFM_DISPATCH static void NAME(scores)(const REAL *rows, int64_t stride, int64_t n_rows,
                                      int64_t n_columns, const double *u, double *scores)
{
    const int64_t columns = n_columns < SFM_LANES ? SFM_LANES : n_columns;
    REAL narrow[8][SFM_LANES] = {{0}};
    const REAL *taken[8];
    /* The next eight rows, unless they would push these out of the cache. */
    const int64_t bytes = 8 * stride * (int64_t)sizeof(REAL);
    const int64_t ahead = bytes <= SFM_FAR ? bytes : SFM_NEAR;
    for (int64_t first = 0; first < n_rows; first += 8) {
        const int n = NAME(take8)(rows, stride, first, n_rows, n_columns, narrow, taken);
        const vdouble eight = NAME(dot8)(taken, columns, u, ahead);
        memcpy(scores + first, &eight, (size_t)n * sizeof(double));
    }
}

/* u is spread out, and so is the gradient, which is written. */
SFM_DISPATCH static void NAME(risks)(const REAL *rows, int64_t stride, int64_t n_rows,
                                     int64_t n_columns, const int8_t *signs,
                                     const double *weights, const double *u, int convex,
                                     sfm_risks *risks, double *gradient)
{
    memset(gradient, 0, (size_t)sfm_width(n_columns) * sizeof(double));
    const int64_t columns = n_columns < SFM_LANES ? SFM_LANES : n_columns;
    REAL narrow[8][SFM_LANES] = {{0}};
    const REAL *taken[8];
    sfm_vrisks sums = {vzero(), vzero(), vzero()};
    vdouble eights[SFM_BLOCK_ROWS / 8]; /* scores, then factors of the gradient */
    const int64_t bytes = 8 * stride * (int64_t)sizeof(REAL);
    const int64_t fitting = SFM_BLOCK_BYTES / bytes, most = SFM_BLOCK_ROWS / 8;
    const int64_t n_eights = fitting < 1 ? 1 : fitting < most ? fitting : most;

    for (int64_t begin = 0; begin < n_rows; begin += 8 * n_eights) {
        const int64_t end = begin + 8 * n_eights < n_rows ? begin + 8 * n_eights : n_rows;
        vdouble *eight = eights;
        for (int64_t first = begin; first < end; first += 8) {
            NAME(take8)(rows, stride, first, n_rows, n_columns, narrow, taken);
            *eight++ = NAME(dot8)(taken, columns, u, SFM_NEAR);
        }
        eight = eights;
        for (int64_t first = begin; first < end; first += 8, ++eight) {
            const int n = first + 8 <= end ? 8 : (int)(end - first);
            *eight = sfm_risk8(*eight, signs + first, weights + first, n, convex, &sums);
        }
        eight = eights;
        for (int64_t first = begin; first < end; first += 8) {
            NAME(take8)(rows, stride, first, n_rows, n_columns, narrow, taken);
            NAME(add8)(taken, columns, *eight++, n_eights * bytes, gradient);
        }
    }
    risks->risk = vsum(sums.risk);
    risks->disagreement = vsum(sums.disagreement);
    risks->tandem = vsum(sums.tandem);
}
