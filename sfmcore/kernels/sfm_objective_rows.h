/* The data term of J(u) over rows of one type; included once for float and once for double.
 *
 * REAL is the type of the rows, LOAD8 reads eight of them as doubles, and NAME(x) names the
 * functions.
 *
 * Scores are made row by row: a processor reads ahead in one row far better than in eight at once,
 * which here takes half of the memory's rate. For the gradient, eight rows go together while they
 * are in the cache, so that it is read and written once for the eight. A row's products are added
 * in the same order in any block, so its score has the same bits anywhere.
 *
 * The columns that do not fill a vector are read as the last lanes of a vector that ends with
 * the row. Its other lanes hold columns that were there before, and count for nothing: u has
 * zeros and the gradient has room for them (sfm_width). Rows of fewer than eight columns are
 * copied behind zeros first.
 */

/* Score of one row. Four sums, since one would wait for its last addition. */
SFM_INLINE double NAME(dot)(const REAL *row, int64_t n_columns, const double *u)
{
    vdouble sums[SFM_TILE];
    int64_t d = 0;
    for (int k = 0; k < SFM_TILE; ++k) {
        sums[k] = vzero();
    }
    for (; d + SFM_TILE * SFM_LANES <= n_columns; d += SFM_TILE * SFM_LANES) {
        for (int k = 0; k < SFM_TILE; ++k) {
            const int64_t at = d + k * SFM_LANES;
            sums[k] += LOAD8(row + at) * *(const vdouble *)(u + at);
        }
    }
    for (; d + SFM_LANES <= n_columns; d += SFM_LANES) {
        sums[0] += LOAD8(row + d) * *(const vdouble *)(u + d);
    }
    if (d < n_columns) {
        sums[1] += LOAD8(row + n_columns - SFM_LANES) * *(const vdouble *)(u + d);
    }
    return vsum((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

/* gradient += sum_r factors[r] * rows[r], for eight rows. */
SFM_INLINE void NAME(add8)(const REAL *const *rows, int64_t n_columns, vdouble factors,
                           double *gradient)
{
    int64_t d = 0;
    for (; d + SFM_LANES <= n_columns; d += SFM_LANES) {
        vdouble sum = *(const vdouble *)(gradient + d);
        SFM_UNROLL8
        for (int r = 0; r < 8; ++r) {
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

/* Scores of consecutive rows. u is spread out. */
SFM_INLINE void NAME(dots)(const REAL *rows, int64_t stride, int64_t n_rows, int64_t n_columns,
                           const double *u, double *scores)
{
    REAL narrow[SFM_LANES] = {0};
    for (int64_t row = 0; row < n_rows; ++row) {
        const REAL *taken = rows + row * stride;
        if (n_columns < SFM_LANES) {
            memcpy(narrow + SFM_LANES - n_columns, taken, (size_t)n_columns * sizeof(REAL));
            scores[row] = NAME(dot)(narrow, SFM_LANES, u);
        } else {
            scores[row] = NAME(dot)(taken, n_columns, u);
        }
    }
}

SFM_DISPATCH static void NAME(scores)(const REAL *rows, int64_t stride, int64_t n_rows,
                                      int64_t n_columns, const double *u, double *scores)
{
    NAME(dots)(rows, stride, n_rows, n_columns, u, scores);
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
    memset(eights, 0, sizeof(eights));
    const int64_t bytes = 8 * stride * (int64_t)sizeof(REAL);
    const int64_t fitting = SFM_BLOCK_BYTES / bytes, most = SFM_BLOCK_ROWS / 8;
    const int64_t n_eights = fitting < 1 ? 1 : fitting < most ? fitting : most;

    for (int64_t begin = 0; begin < n_rows; begin += 8 * n_eights) {
        const int64_t end = begin + 8 * n_eights < n_rows ? begin + 8 * n_eights : n_rows;
        NAME(dots)(rows + begin * stride, stride, end - begin, n_columns, u, (double *)eights);
        vdouble *eight = eights;
        for (int64_t first = begin; first < end; first += 8, ++eight) {
            const int n = first + 8 <= end ? 8 : (int)(end - first);
            *eight = sfm_risk8(*eight, signs + first, weights + first, n, convex, &sums);
        }
        eight = eights;
        for (int64_t first = begin; first < end; first += 8) {
            NAME(take8)(rows, stride, first, n_rows, n_columns, narrow, taken);
            NAME(add8)(taken, columns, *eight++, gradient);
        }
    }
    risks->risk = vsum(sums.risk);
    risks->disagreement = vsum(sums.disagreement);
    risks->tandem = vsum(sums.tandem);
}
