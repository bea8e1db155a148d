/* The loop of conditioning.h for one width. */

SFM_ENTRY void SIZED(sfm_condition_row)(const float *raw, int64_t n_columns, double rate,
                                        const double *mean, const double *inverse_scale,
                                        double clip, float *out)
{
    const vdouble most = vfill(clip), least = vfill(-clip);
    vdouble sums[PARTS] = {{0}};
    double rest = 1.0, inverse_norm; /* the appended constant */
    int64_t d = 0;
    for (; d + SFM_LANES <= n_columns; d += SFM_LANES) {
        for (int part = 0; part < PARTS; ++part) {
            const int64_t at = d + part * WIDTH;
            vdouble z = vload_floats(raw + at) * rate;
            z = (z - vload(mean + at)) * vload(inverse_scale + at);
            z = vselect(z > most, most, z);
            z = vselect(z < least, least, z);
            sums[part] += z * z;
            vstore_floats(out + at, z);
        }
    }
    for (; d < n_columns; ++d) {
        double z = ((double)raw[d] * rate - mean[d]) * inverse_scale[d];
        z = z > clip ? clip : z < -clip ? -clip : z;
        rest += z * z;
        out[d] = (float)z;
    }
    inverse_norm = 1.0 / sqrt(vsum8(sums) + rest);
    for (d = 0; d < n_columns; ++d) {
        out[d] = (float)(out[d] * inverse_norm);
    }
    out[n_columns] = (float)inverse_norm;
}
