/* The loops of rows.h for one width. */

SFM_INNER void SIZED(sfm_scale_row)(const float *row, float weight, int64_t n, float *restrict out)
{
    for (int64_t x = 0; x < n; ++x) {
        out[x] = row[x] * weight;
    }
}

SFM_INNER void SIZED(sfm_add_both)(const float *one, const float *other, float weight, int64_t n,
                                   float *restrict out)
{
    for (int64_t x = 0; x < n; ++x) {
        out[x] += (one[x] + other[x]) * weight;
    }
}

/* Row y of the image under the symmetric kernel k[0..radius], with the border's pixels repeated
 * outwards. `between` and `out` have room for radius + 16 floats on either side of the stride.
 *
 * out[-1] and out[width] go on in a straight line, so that the central difference at the border
 * is the one-sided one.
 */
SFM_ENTRY void SIZED(sfm_smooth_row)(const sfm_plane *plane, int64_t y, const float *k,
                                     int64_t radius, float *between, float *out)
{
    const int64_t width = plane->width, stride = plane->stride, last = plane->height - 1;
    const float *middle = plane->pixels + y * stride;
    if (radius == 0) {
        memcpy(out, middle, (size_t)stride * sizeof(float));
    } else {
        SIZED(sfm_scale_row)(middle, k[0], stride, between);
        for (int64_t d = 1; d <= radius; ++d) {
            const float *above = plane->pixels + sfm_clamp(y - d, 0, last) * stride;
            const float *below = plane->pixels + sfm_clamp(y + d, 0, last) * stride;
            SIZED(sfm_add_both)(above, below, k[d], stride, between);
        }
        for (int64_t d = 1; d <= radius; ++d) {
            between[-d] = between[0];
            between[width - 1 + d] = between[width - 1];
        }
        SIZED(sfm_scale_row)(between, k[0], stride, out);
        for (int64_t d = 1; d <= radius; ++d) {
            SIZED(sfm_add_both)(between - d, between + d, k[d], stride, out);
        }
    }
    out[-1] = width > 1 ? 2 * out[0] - out[1] : out[0];
    out[width] = width > 1 ? 2 * out[width - 1] - out[width - 2] : out[0];
}

/* The angle in units of 45 degrees above the nearer axis is 4 / pi atan(t) with t in [0, 1], and
 * this is that within 4.4e-7: a minimax fit of odd degree. So is the share of the diagonal.
 */
SFM_INNER float SIZED(sfm_eighths)(float t)
{
    const float q = t * t;
    float sum = 0.008673043921589851f;
    sum = sum * q - 0.04278622195124626f;
    sum = sum * q + 0.10138000547885895f;
    sum = sum * q - 0.1684921383857727f;
    sum = sum * q + 0.2522009313106537f;
    sum = sum * q - 0.4242098927497864f;
    sum = sum * q + 1.2732346057891846f;
    sum *= t;
    return sum < 1 ? sum : 1;
}

/* Orientation o is o * 45 degrees counter-clockwise from the right, as seen: so are Lowe's. */
SFM_ENTRY void SIZED(sfm_gradient_row)(const float *restrict above, const float *restrict middle,
                                       const float *restrict below, float vertical, int64_t n,
                                       const sfm_shares *shares)
{
    float *restrict axis = shares->axis;
    float *restrict diagonal = shares->diagonal;
    int32_t *restrict axis_place = shares->axis_place;
    int32_t *restrict diagonal_place = shares->diagonal_place;
    for (int64_t x = 0; x < n; ++x) {
        const float right = 0.5f * (middle[x + 1] - middle[x - 1]);
        const float up = vertical * (above[x] - below[x]);
        const float wide = fabsf(right), high = fabsf(up);
        const float large = wide > high ? wide : high;
        const float small = wide > high ? high : wide;
        /* Without a gradient: 0, not NaN. */
        const float t = small / (large + 1e-30f);
        const float magnitude = large * sqrtf(1 + t * t);
        const float part = magnitude * SIZED(sfm_eighths)(t);
        const int32_t across = right < 0 ? 4 : 0, along = up < 0 ? 6 : 2;
        const int32_t upper = right < 0 ? 3 : 1, lower = right < 0 ? 5 : 7;
        const int32_t cell = (int32_t)x * SFM_ORIENTATIONS;
        axis[x] = magnitude - part;
        diagonal[x] = part;
        axis_place[x] = cell + (wide > high ? across : along);
        diagonal_place[x] = cell + (up < 0 ? lower : upper);
    }
}
