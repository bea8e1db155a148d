/* The data term of J(u) over rows of one type; included once for float and once for double.
 *
 * REAL is the type of the rows, LOAD8 reads eight of them as doubles, and NAME(x) names the
 * functions. Four rows go together: u and the gradient are read once for the four. A row's
 * products are added in the same order in any block, so its score has the same bits anywhere.
 */

/* scores[r] = rows[r] . u for four rows */
SFM_INLINE void NAME(dot4)(const REAL *const *rows, int64_t n_columns, const double *u,
                           double *scores)
{
    vdouble even[4], odd[4];
    int64_t d = 0;
    for (int r = 0; r < 4; ++r) {
        even[r] = odd[r] = vzero();
    }
    for (; d + 16 <= n_columns; d += 16) {
        const vdouble u0 = *(const vdouble_u *)(u + d), u1 = *(const vdouble_u *)(u + d + 8);
        for (int r = 0; r < 4; ++r) {
            even[r] += LOAD8(rows[r] + d) * u0;
            odd[r] += LOAD8(rows[r] + d + 8) * u1;
        }
    }
    for (int r = 0; r < 4; ++r) {
        double rest = 0.0;
        for (int64_t k = d; k < n_columns; ++k) {
            rest += (double)rows[r][k] * u[k];
        }
        scores[r] = vsum(even[r] + odd[r]) + rest;
    }
}

/* gradient += sum_r factors[r] * rows[r] */
SFM_INLINE void NAME(add4)(const REAL *const *rows, int64_t n_columns, const double *factors,
                           double *gradient)
{
    int64_t d = 0;
    for (; d + 8 <= n_columns; d += 8) {
        vdouble sum = *(const vdouble_u *)(gradient + d);
        for (int r = 0; r < 4; ++r) {
            sum += LOAD8(rows[r] + d) * factors[r];
        }
        *(vdouble_u *)(gradient + d) = sum;
    }
    for (; d < n_columns; ++d) {
        for (int r = 0; r < 4; ++r) {
            gradient[d] += factors[r] * (double)rows[r][d];
        }
    }
}

/* Rows first..first+3; those beyond the end repeat the last one. Returns how many are real. */
SFM_INLINE int NAME(take4)(const REAL *rows, int64_t stride, int64_t first, int64_t n_rows,
                           const REAL **taken)
{
    for (int r = 0; r < 4; ++r) {
        const int64_t row = first + r < n_rows ? first + r : n_rows - 1;
        taken[r] = rows + row * stride;
    }
    return first + 4 <= n_rows ? 4 : (int)(n_rows - first);
}

SFM_DISPATCH static void NAME(scores)(const REAL *rows, int64_t stride, int64_t n_rows,
                                      int64_t n_columns, const double *u, double *scores)
{
    for (int64_t first = 0; first < n_rows; first += 4) {
        const REAL *taken[4];
        double four[4];
        const int n = NAME(take4)(rows, stride, first, n_rows, taken);
        NAME(dot4)(taken, n_columns, u, four);
        for (int r = 0; r < n; ++r) {
            scores[first + r] = four[r];
        }
    }
}

SFM_DISPATCH static void NAME(risks)(const REAL *rows, int64_t stride, int64_t n_rows,
                                     int64_t n_columns, const int8_t *signs,
                                     const double *weights, const double *u, int convex,
                                     sfm_risks *risks, double *gradient)
{
    for (int64_t first = 0; first < n_rows; first += 4) {
        const REAL *taken[4];
        double four[4], factors[4] = {0.0, 0.0, 0.0, 0.0};
        const int n = NAME(take4)(rows, stride, first, n_rows, taken);
        NAME(dot4)(taken, n_columns, u, four);
        for (int r = 0; r < n; ++r) {
            factors[r] = sfm_risk(four[r], signs[first + r], weights[first + r], convex, risks);
        }
        NAME(add4)(taken, n_columns, factors, gradient);
    }
}
