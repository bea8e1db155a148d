/* Rows of an image: smoothing, and the gradient shared out over eight orientations.
 *
 * Plain loops along x, which the compiler turns into vectors of whatever width the processor has.
 * Rows are filled up to 16 floats, so that no pixel is the rest of a loop and equal pixels have
 * equal results; what stands behind the image's last column never reaches a result.
 */
#ifndef SFM_SIFT_ROWS_H
#define SFM_SIFT_ROWS_H

#include "sfm_vector.h"

#define SFM_FLOATS 16
#define SFM_ORIENTATIONS 8

static inline int64_t sfm_clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* An image, whose rows are `stride` floats apart, a multiple of 16. */
typedef struct {
    int64_t height;
    int64_t width;
    int64_t stride;
    const float *pixels;
} sfm_plane;

SFM_INLINE void sfm_scale_row(const float *row, float weight, int64_t n, float *restrict out)
{
    for (int64_t x = 0; x < n; ++x) {
        out[x] = row[x] * weight;
    }
}

SFM_INLINE void sfm_add_both(const float *one, const float *other, float weight, int64_t n,
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
SFM_DISPATCH static void sfm_smooth_row(const sfm_plane *plane, int64_t y, const float *k,
                                        int64_t radius, float *between, float *out)
{
    const int64_t width = plane->width, stride = plane->stride, last = plane->height - 1;
    const float *middle = plane->pixels + y * stride;
    if (radius == 0) {
        memcpy(out, middle, (size_t)stride * sizeof(float));
    } else {
        sfm_scale_row(middle, k[0], stride, between);
        for (int64_t d = 1; d <= radius; ++d) {
            const float *above = plane->pixels + sfm_clamp(y - d, 0, last) * stride;
            const float *below = plane->pixels + sfm_clamp(y + d, 0, last) * stride;
            sfm_add_both(above, below, k[d], stride, between);
        }
        for (int64_t d = 1; d <= radius; ++d) {
            between[-d] = between[0];
            between[width - 1 + d] = between[width - 1];
        }
        sfm_scale_row(between, k[0], stride, out);
        for (int64_t d = 1; d <= radius; ++d) {
            sfm_add_both(between - d, between + d, k[d], stride, out);
        }
    }
    out[-1] = width > 1 ? 2 * out[0] - out[1] : out[0];
    out[width] = width > 1 ? 2 * out[width - 1] - out[width - 2] : out[0];
}

/* A gradient lies between an axis, of even orientation, and a diagonal, of odd orientation. These
 * are their parts of its magnitude, and their places in the row of orientations.
 */
typedef struct {
    float *axis;
    float *diagonal;
    int32_t *axis_place;
    int32_t *diagonal_place;
} sfm_shares;

/* The angle in units of 45 degrees above the nearer axis is 4 / pi atan(t) with t in [0, 1], and
 * this is that within 4.4e-7: a minimax fit of odd degree. So is the share of the diagonal.
 */
SFM_INLINE float sfm_eighths(float t)
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
SFM_DISPATCH static void sfm_gradient_row(const float *restrict above, const float *restrict middle,
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
        const float part = magnitude * sfm_eighths(t);
        const int32_t across = right < 0 ? 4 : 0, along = up < 0 ? 6 : 2;
        const int32_t upper = right < 0 ? 3 : 1, lower = right < 0 ? 5 : 7;
        const int32_t cell = (int32_t)x * SFM_ORIENTATIONS;
        axis[x] = magnitude - part;
        diagonal[x] = part;
        axis_place[x] = cell + (wide > high ? across : along);
        diagonal_place[x] = cell + (up < 0 ? lower : upper);
    }
}

/* The row of orientations, [x][orientation]: two of eight are not zero. */
static inline void sfm_scatter_row(const sfm_shares *shares, int64_t width, float *row)
{
    memset(row, 0, (size_t)(width * SFM_ORIENTATIONS) * sizeof(float));
    for (int64_t x = 0; x < width; ++x) {
        row[shares->axis_place[x]] = shares->axis[x];
        row[shares->diagonal_place[x]] = shares->diagonal[x];
    }
}

#endif
