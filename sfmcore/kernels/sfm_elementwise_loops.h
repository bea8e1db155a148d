/* sfm_elementwise.h for vectors of WIDTH doubles; included once for each width. NAME(x) names the
 * functions, TARGET is their attribute.
 */

#define VECTOR NAME(vdouble)

/* A vector of arguments from x, the last one again where there are fewer. */
SFM_INLINE TARGET VECTOR NAME(arguments)(const double *x, int64_t n)
{
    VECTOR some;
    for (int lane = 0; lane < WIDTH; ++lane) {
        some[lane] = x[lane < n ? lane : n - 1];
    }
    return some;
}

SFM_INLINE TARGET void NAME(results)(VECTOR some, int64_t n, double *y)
{
    memcpy(y, &some, (size_t)(n < WIDTH ? n : WIDTH) * sizeof(double));
}

__attribute__((noinline)) TARGET static void NAME(exp_array)(const double *x, int64_t n, double *y)
{
    for (int64_t k = 0; k < n; k += WIDTH) {
        NAME(results)(NAME(vexp)(NAME(arguments)(x + k, n - k)), n - k, y + k);
    }
}

__attribute__((noinline)) TARGET static void NAME(log_array)(const double *x, int64_t n, double *y)
{
    for (int64_t k = 0; k < n; k += WIDTH) {
        NAME(results)(NAME(vlog)(NAME(arguments)(x + k, n - k)), n - k, y + k);
    }
}

__attribute__((noinline)) TARGET static void NAME(normal_array)(const double *a, int64_t n,
                                                                double *upper, double *density)
{
    for (int64_t k = 0; k < n; k += WIDTH) {
        VECTOR above, below, slope;
        NAME(vnormal)(NAME(arguments)(a + k, n - k), &above, &below, &slope);
        NAME(results)(above, n - k, upper + k);
        NAME(results)(slope, n - k, density + k);
    }
}

#undef VECTOR
