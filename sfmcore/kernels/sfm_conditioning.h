/* Conditioning of one row of raw features: rate, standardise, clip, append 1, normalise. */
#ifndef SFM_CONDITIONING_H
#define SFM_CONDITIONING_H

#include "sfm_vector.h"

SFM_DISPATCH static void sfm_condition_row(const float *raw, int64_t n_columns, double rate,
                                           const double *mean, const double *inverse_scale,
                                           double clip, float *out)
{
    vdouble sum = vzero();
    double rest = 1.0, inverse_norm; /* the appended constant */
    int64_t d = 0;
    for (; d + 8 <= n_columns; d += 8) {
        vdouble z = __builtin_convertvector(*(const vfloat_u *)(raw + d), vdouble) * rate;
        z = (z - *(const vdouble_u *)(mean + d)) * *(const vdouble_u *)(inverse_scale + d);
        z = vselect(z > vfill(clip), vfill(clip), z);
        z = vselect(z < vfill(-clip), vfill(-clip), z);
        sum += z * z;
        *(vfloat_u *)(out + d) = __builtin_convertvector(z, vfloat_u);
    }
    for (; d < n_columns; ++d) {
        double z = ((double)raw[d] * rate - mean[d]) * inverse_scale[d];
        z = z > clip ? clip : z < -clip ? -clip : z;
        rest += z * z;
        out[d] = (float)z;
    }
    inverse_norm = 1.0 / sqrt(vsum(sum) + rest);
    for (d = 0; d < n_columns; ++d) {
        out[d] = (float)(out[d] * inverse_norm);
    }
    out[n_columns] = (float)inverse_norm;
}

#endif
