/* Rows of an image: smoothing, and the gradient shared out over eight orientations.
 *
 * The loops are plain ones along x, which the compiler turns into vectors of each width. Rows are
 * filled up to 16 floats, so that no pixel is the rest of a loop and equal pixels have
 * equal results; what stands behind the image's last column never reaches a result.
 */
#ifndef SFM_SIFT_ROWS_H
#define SFM_SIFT_ROWS_H

#include "simd/simd.h"

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

/* A gradient lies between an axis, of even orientation, and a diagonal, of odd orientation. These
 * are their parts of its magnitude, and their places in the row of orientations.
 */
typedef struct {
    float *axis;
    float *diagonal;
    int32_t *axis_place;
    int32_t *diagonal_place;
} sfm_shares;

#define SFM_EACH_WIDTH "sift/rows.width.h"
#include "simd/each_width.h"

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
