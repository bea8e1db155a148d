/* The data term of J(u) over rows of one type, for one width.
 *
 * REAL is the type of the rows, LOAD(p) reads a vector of them as doubles, TYPED(x) names the
 * functions. u and the gradient are aligned. An eight of columns is PARTS vectors.
 *
 * Scores are made row by row: a processor reads ahead in one row far better than in eight at once,
 * which here takes half of the memory's rate. For the gradient, eight rows go together while they
 * are in the cache, so that it is read and written once for the eight. A row's products are added
 * in the same order in any block, so its score has the same bits anywhere.
 *
 * The columns that do not fill an eight are read as the last lanes of an eight that ends with the
 * row. Its other lanes hold columns that were there before, and count for nothing: u has zeros and
 * the gradient has room for them (sfm_spread_width). Rows of fewer than eight columns are copied
 * behind zeros first.
 */

/* Sums of eights that a row's products are spread over, as one would wait for its last addition.
 * They take half of the registers at most.
 */
#define SUMS (BITS == 128 ? 2 : 4)

/* sums[part] += the products of an eight of columns. */
SFM_INNER void TYPED(dot8)(const REAL *row, const double *u, vdouble *sums)
{
    for (int part = 0; part < PARTS; ++part) {
        sums[part] += LOAD(row + part * WIDTH) * vload_aligned(u + part * WIDTH);
    }
}

/* Score of one row. */
SFM_INNER double TYPED(dot)(const REAL *row, int64_t n_columns, const double *u)
{
    vdouble sums[SUMS][PARTS] = {{{0}}};
    vdouble sum[PARTS];
    int64_t d = 0;
    for (; d + SUMS * SFM_LANES <= n_columns; d += SUMS * SFM_LANES) {
        for (int k = 0; k < SUMS; ++k) {
            TYPED(dot8)(row + d + k * SFM_LANES, u + d + k * SFM_LANES, sums[k]);
        }
    }
    for (; d + SFM_LANES <= n_columns; d += SFM_LANES) {
        TYPED(dot8)(row + d, u + d, sums[0]);
    }
    if (d < n_columns) {
        TYPED(dot8)(row + n_columns - SFM_LANES, u + d, sums[1]);
    }
    for (int part = 0; part < PARTS; ++part) {
        sum[part] = sums[0][part] + sums[1][part];
        if (SUMS == 4) {
            sum[part] += sums[SUMS - 2][part] + sums[SUMS - 1][part];
        }
    }
    return vsum8(sum);
}

/* gradient[..WIDTH] += sum_r factors[r] * rows[r][column..], for eight rows. */
SFM_INNER void TYPED(add_columns)(const REAL *const *rows, int64_t column, const double *factors,
                                  double *gradient)
{
    vdouble sum = vload_aligned(gradient);
    SFM_UNROLL8
    for (int r = 0; r < 8; ++r) {
        sum += LOAD(rows[r] + column) * factors[r];
    }
    vstore_aligned(gradient, sum);
}

/* gradient += sum_r factors[r] * rows[r], for eight rows. */
SFM_INNER void TYPED(add8)(const REAL *const *rows, int64_t n_columns, const double *factors,
                           double *gradient)
{
    const int64_t full = n_columns / SFM_LANES * SFM_LANES;
    for (int64_t d = 0; d < full; d += WIDTH) {
        TYPED(add_columns)(rows, d, factors, gradient + d);
    }
    if (full < n_columns) {
        for (int lane = 0; lane < SFM_LANES; lane += WIDTH) {
            TYPED(add_columns)(rows, n_columns - SFM_LANES + lane, factors, gradient + full + lane);
        }
    }
}

/* Rows first..first+7; those beyond the end repeat the last one. Returns how many are real.
 * `narrow` is zero at first and holds the rows of fewer than eight columns.
 */
SFM_INNER int TYPED(take8)(const REAL *rows, int64_t stride, int64_t first, int64_t n_rows,
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
SFM_ENTRY void TYPED(scores)(const REAL *rows, int64_t stride, int64_t n_rows, int64_t n_columns,
                             const double *u, double *scores)
{
    if (n_columns < SFM_LANES) {
        REAL narrow[SFM_LANES] = {0};
        for (int64_t row = 0; row < n_rows; ++row) {
            memcpy(narrow + SFM_LANES - n_columns, rows + row * stride,
                   (size_t)n_columns * sizeof(REAL));
            scores[row] = TYPED(dot)(narrow, SFM_LANES, u);
        }
        return;
    }
    for (int64_t row = 0; row < n_rows; ++row) {
        scores[row] = TYPED(dot)(rows + row * stride, n_columns, u);
    }
}

/* u is spread out, and so is the gradient, which is written. */
SFM_ENTRY void TYPED(risks)(const REAL *rows, int64_t stride, int64_t n_rows, int64_t n_columns,
                            const int8_t *signs, const double *weights, const double *u, int convex,
                            sfm_risks *risks, double *gradient)
{
    memset(gradient, 0, (size_t)sfm_spread_width(n_columns) * sizeof(double));
    const int64_t columns = n_columns < SFM_LANES ? SFM_LANES : n_columns;
    REAL narrow[8][SFM_LANES] = {{0}};
    const REAL *taken[8];
    sfm_risk_lanes sums = {{0}, {0}, {0}};
    double scores[SFM_OBJECTIVE_ROWS] = {0}; /* then factors of the gradient */
    const int64_t bytes = 8 * stride * (int64_t)sizeof(REAL);
    const int64_t fitting = SFM_OBJECTIVE_BYTES / bytes, most = SFM_OBJECTIVE_ROWS / 8;
    const int64_t n_block = 8 * (fitting < 1 ? 1 : fitting < most ? fitting : most);

    for (int64_t begin = 0; begin < n_rows; begin += n_block) {
        const int64_t end = begin + n_block < n_rows ? begin + n_block : n_rows;
        TYPED(scores)(rows + begin * stride, stride, end - begin, n_columns, u, scores);
        for (int64_t first = begin; first < end; first += 8) {
            const int n = first + 8 <= end ? 8 : (int)(end - first);
            SIZED(sfm_risk8)(scores + first - begin, signs + first, weights + first, n, convex,
                             &sums);
        }
        for (int64_t first = begin; first < end; first += 8) {
            TYPED(take8)(rows, stride, first, n_rows, n_columns, narrow, taken);
            TYPED(add8)(taken, columns, scores + first - begin, gradient);
        }
    }
    *risks = sfm_sum_risks(&sums);
}

#undef SUMS
