/* The loops of elementwise.h for one width. */

/* A vector of arguments from x, the last one again where there are fewer. */
SFM_INNER vdouble SIZED(sfm_arguments)(const double *x, int64_t n)
{
    vdouble some;
    for (int lane = 0; lane < WIDTH; ++lane) {
        some[lane] = x[lane < n ? lane : n - 1];
    }
    return some;
}

SFM_INNER void SIZED(sfm_results)(vdouble some, int64_t n, double *y)
{
    memcpy(y, &some, (size_t)(n < WIDTH ? n : WIDTH) * sizeof(double));
}

SFM_ENTRY void SIZED(sfm_exp_array)(const double *x, int64_t n, double *y)
{
    for (int64_t k = 0; k < n; k += WIDTH) {
        SIZED(sfm_results)(vexp(SIZED(sfm_arguments)(x + k, n - k)), n - k, y + k);
    }
}

SFM_ENTRY void SIZED(sfm_log_array)(const double *x, int64_t n, double *y)
{
    for (int64_t k = 0; k < n; k += WIDTH) {
        SIZED(sfm_results)(vlog(SIZED(sfm_arguments)(x + k, n - k)), n - k, y + k);
    }
}

SFM_ENTRY void SIZED(sfm_normal_array)(const double *a, int64_t n, double *upper, double *density)
{
    for (int64_t k = 0; k < n; k += WIDTH) {
        vdouble above, below, slope;
        vnormal(SIZED(sfm_arguments)(a + k, n - k), &above, &below, &slope);
        SIZED(sfm_results)(above, n - k, upper + k);
        SIZED(sfm_results)(slope, n - k, density + k);
    }
}
