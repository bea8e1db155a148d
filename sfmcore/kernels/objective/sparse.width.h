/* The data term of J(u) over sparse rows, as in sparse.h, for one width. */

/* The weights of some columns. */
SFM_INNER vdouble SIZED(sfm_sparse_weights)(const int32_t *c, const double *u)
{
#if BITS == 512
    return (vdouble){u[c[0]], u[c[1]], u[c[2]], u[c[3]], u[c[4]], u[c[5]], u[c[6]], u[c[7]]};
#elif BITS == 256
    return (vdouble){u[c[0]], u[c[1]], u[c[2]], u[c[3]]};
#else
    return (vdouble){u[c[0]], u[c[1]]};
#endif
}

/* u . phi of one row, in eight sums. */
SFM_INNER double SIZED(sfm_sparse_dot)(const float *values, const int32_t *columns, int64_t n,
                                       const double *u)
{
    vdouble sums[PARTS] = {{0}};
    double rest = 0.0;
    int64_t k = 0;
    for (; k + SFM_LANES <= n; k += SFM_LANES) {
        for (int part = 0; part < PARTS; ++part) {
            const int64_t at = k + part * WIDTH;
            sums[part] += vload_floats(values + at) * SIZED(sfm_sparse_weights)(columns + at, u);
        }
    }
    for (; k < n; ++k) {
        rest += (double)values[k] * u[columns[k]];
    }
    return vsum8(sums) + rest;
}

SFM_ENTRY void SIZED(sfm_sparse_scores)(const float *values, const int32_t *columns,
                                        const int64_t *offsets, int64_t n_rows, const double *u,
                                        double *scores)
{
    for (int64_t row = 0; row < n_rows; ++row) {
        const int64_t first = offsets[row], n = offsets[row + 1] - first;
        scores[row] = SIZED(sfm_sparse_dot)(values + first, columns + first, n, u);
    }
}

/* The gradient is written: n_columns doubles. */
SFM_ENTRY void SIZED(sfm_sparse_risks)(const float *values, const int32_t *columns,
                                       const int64_t *offsets, int64_t n_rows, int64_t n_columns,
                                       const int8_t *signs, const double *weights, const double *u,
                                       int convex, sfm_risks *risks, double *gradient)
{
    sfm_risk_lanes sums = {{0}, {0}, {0}};
    memset(gradient, 0, (size_t)n_columns * sizeof(double));
    for (int64_t first = 0; first < n_rows; first += 8) {
        const int n = first + 8 <= n_rows ? 8 : (int)(n_rows - first);
        const int64_t *at = offsets + first;
        double eight[SFM_LANES] = {0}; /* scores, then factors of the gradient */
        for (int r = 0; r < n; ++r) {
            const int64_t length = at[r + 1] - at[r];
            eight[r] = SIZED(sfm_sparse_dot)(values + at[r], columns + at[r], length, u);
        }
        SIZED(sfm_risk8)(eight, signs + first, weights + first, n, convex, &sums);
        for (int r = 0; r < n; ++r) {
            const double factor = eight[r];
            for (int64_t k = at[r]; k < at[r + 1]; ++k) {
                gradient[columns[k]] += factor * (double)values[k];
            }
        }
    }
    *risks = sfm_sum_risks(&sums);
}
