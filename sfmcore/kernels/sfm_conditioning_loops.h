/* sfm_conditioning.h for vectors of WIDTH doubles; included once for each width. NAME(x) names the
 * functions, TARGET is their attribute. The squares are added in the same order in any width.
 */

#define VECTOR NAME(vdouble)
#define READ(p) ((VECTOR)(*(const NAME(vdouble_u) *)(p)))
#define PARTS (SFM_LANES / WIDTH)

typedef float NAME(vfloat_u) __attribute__((vector_size(4 * WIDTH), aligned(4), may_alias));

__attribute__((noinline)) TARGET static void NAME(condition_row)(
    const float *raw, int64_t n_columns, double rate, const double *mean,
    const double *inverse_scale, double clip, float *out)
{
    const VECTOR most = NAME(vfill)(clip), least = NAME(vfill)(-clip);
    VECTOR sums[PARTS] = {{0}};
    double rest = 1.0, inverse_norm; /* the appended constant */
    int64_t d = 0;
    for (; d + SFM_LANES <= n_columns; d += SFM_LANES) {
        for (int part = 0; part < PARTS; ++part) {
            const int64_t at = d + part * WIDTH;
            VECTOR z = NAME(read_floats)(raw + at) * rate;
            z = (z - READ(mean + at)) * READ(inverse_scale + at);
            z = NAME(vselect)(z > most, most, z);
            z = NAME(vselect)(z < least, least, z);
            sums[part] += z * z;
            *(NAME(vfloat_u) *)(out + at) = __builtin_convertvector(z, NAME(vfloat_u));
        }
    }
    for (; d < n_columns; ++d) {
        double z = ((double)raw[d] * rate - mean[d]) * inverse_scale[d];
        z = z > clip ? clip : z < -clip ? -clip : z;
        rest += z * z;
        out[d] = (float)z;
    }
    inverse_norm = 1.0 / sqrt(NAME(vsum8)(sums) + rest);
    for (d = 0; d < n_columns; ++d) {
        out[d] = (float)(out[d] * inverse_norm);
    }
    out[n_columns] = (float)inverse_norm;
}

#undef PARTS
#undef READ
#undef VECTOR
