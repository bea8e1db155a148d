/* Dense SIFT of one plane at one scale.
 *
 * The image is read once, from top to bottom. A ring holds the rows of orientations that the
 * next sample needs, another the sampled rows that the next patches need, so that the work stays
 * in the cache and the memory does not grow with the image's height.
 */
#ifndef SFM_SIFT_H
#define SFM_SIFT_H

#include "sift/bins.h"

#define SFM_SIFT_SIZE (SFM_BINS * SFM_BINS * SFM_ORIENTATIONS)

typedef struct {
    sfm_plane plane;
    int64_t bin;              /* pixels from one bin to the next */
    int64_t radius;
    const float *smoothing;   /* [radius + 1], from the middle outwards */
    int64_t n_kernels;        /* 1, or one for each bin */
    const float *kernels;     /* [n_kernels][2 bin - 1] */
    const float *weights;     /* [4], of the bins on either axis */
    int64_t n_rows;
    int64_t n_columns;
    const int64_t *rows;      /* [n_rows]: centres of the first bins, in order */
    const int64_t *columns;   /* [n_columns] */
    float contrast;
    int root;
    int64_t out_stride;
    uint8_t *out;             /* [row][column], 128 numbers each */
    uint8_t *flat;            /* [row][column] */
} sfm_sift;

typedef struct {
    sfm_samples rows;
    sfm_samples columns;
    int64_t n_slots;          /* sampled rows that patches of one row lie among */
    int64_t row_size;         /* floats of a row of orientations */
    sfm_shares shares;
    float *between;
    float *smooth[3];         /* row y is in y % 3 */
    float *ring;              /* [2 bin - 1][row_size]: row y is in y % (2 bin - 1) */
    float *filtered;          /* a row with zeros on both sides */
    float *slots;             /* [n_slots][sample of a column][orientation] */
    float *memory;
} sfm_sift_scratch;

static void sfm_sift_scratch_free(sfm_sift_scratch *scratch)
{
    free(scratch->rows.memory);
    free(scratch->columns.memory);
    free(scratch->memory);
}

/* Takes n floats, rounded up to whole vectors. */
static inline float *sfm_take(float **memory, int64_t n)
{
    float *taken = *memory;
    *memory += (n + SFM_FLOATS - 1) / SFM_FLOATS * SFM_FLOATS;
    return taken;
}

/* Returns 0, with nothing left to free, without memory. */
static int sfm_sift_scratch_new(sfm_sift_scratch *scratch, const sfm_sift *sift)
{
    const sfm_plane *plane = &sift->plane;
    memset(scratch, 0, sizeof(*scratch));
    if (!sfm_samples_new(&scratch->rows, sift->rows, sift->n_rows, sift->bin, plane->height,
                         sift->n_kernels, 0) ||
        !sfm_samples_new(&scratch->columns, sift->columns, sift->n_columns, sift->bin, plane->width,
                         sift->n_kernels, 1)) {
        sfm_sift_scratch_free(scratch);
        return 0;
    }
    for (int64_t i = 0; i < sift->n_rows; ++i) {
        const int64_t *index = scratch->rows.index + SFM_BINS * i;
        const int64_t span = index[SFM_BINS - 1] - index[0] + 1;
        scratch->n_slots = span > scratch->n_slots ? span : scratch->n_slots;
    }
    const int64_t stride = plane->stride, n_taps = 2 * sift->bin - 1;
    const int64_t side = (sift->radius + SFM_FLOATS) / SFM_FLOATS * SFM_FLOATS + SFM_FLOATS;
    const int64_t row_size = stride * SFM_ORIENTATIONS;
    const int64_t pad = sift->bin * SFM_ORIENTATIONS;
    const int64_t slots = scratch->n_slots * scratch->columns.n * SFM_ORIENTATIONS;
    const int64_t total = 4 * (stride + 2 * side) + 4 * stride + n_taps * row_size + row_size +
                          2 * pad + slots + 16 * SFM_FLOATS;
    scratch->memory = sfm_alloc((size_t)total * sizeof(float));
    if (scratch->memory == NULL) {
        sfm_sift_scratch_free(scratch);
        return 0;
    }
    memset(scratch->memory, 0, (size_t)total * sizeof(float));
    float *next = scratch->memory;
    scratch->row_size = row_size;
    scratch->between = sfm_take(&next, stride + 2 * side) + side;
    for (int i = 0; i < 3; ++i) {
        scratch->smooth[i] = sfm_take(&next, stride + 2 * side) + side;
    }
    scratch->shares.axis = sfm_take(&next, stride);
    scratch->shares.diagonal = sfm_take(&next, stride);
    scratch->shares.axis_place = (int32_t *)sfm_take(&next, stride);
    scratch->shares.diagonal_place = (int32_t *)sfm_take(&next, stride);
    scratch->ring = sfm_take(&next, n_taps * row_size);
    scratch->filtered = sfm_take(&next, row_size + 2 * pad) + pad;
    scratch->slots = sfm_take(&next, slots);
    return 1;
}

#define SFM_EACH_WIDTH "sift/sift.width.h"
#include "simd/each_width.h"

/* Rows of orientations up to `last`; `done` of them and `smoothed` rows are there already. */
static void sfm_advance(const sfm_sift *sift, sfm_sift_scratch *scratch, int64_t last,
                        int64_t *smoothed, int64_t *done)
{
    const sfm_plane *plane = &sift->plane;
    const int64_t bottom = plane->height - 1;
    for (; *done <= last; ++*done) {
        const int64_t y = *done;
        const int64_t above = y > 0 ? y - 1 : 0, below = y < bottom ? y + 1 : bottom;
        for (; *smoothed <= below; ++*smoothed) {
            SFM_CALL(sfm_smooth_row, plane, *smoothed, sift->smoothing, sift->radius,
                     scratch->between, scratch->smooth[*smoothed % 3]);
        }
        SFM_CALL(sfm_gradient_row, scratch->smooth[above % 3], scratch->smooth[y % 3],
                 scratch->smooth[below % 3], below - above == 2 ? 0.5f : 1.0f, plane->stride,
                 &scratch->shares);
        sfm_scatter_row(&scratch->shares, plane->width,
                        scratch->ring + y % (2 * sift->bin - 1) * scratch->row_size);
    }
}

/* Fills out and flat. Returns 0 without memory. */
static int sfm_sift_run(const sfm_sift *sift)
{
    sfm_sift_scratch scratch;
    const int64_t n_taps = 2 * sift->bin - 1, bottom = sift->plane.height - 1;
    const float **taps = sfm_alloc((size_t)n_taps * sizeof(float *));
    if (taps == NULL) {
        return 0;
    }
    if (!sfm_sift_scratch_new(&scratch, sift)) {
        free(taps);
        return 0;
    }
    int64_t smoothed = 0, done = 0, sample = 0;
    for (int64_t i = 0; i < sift->n_rows; ++i) {
        for (; sample <= scratch.rows.index[SFM_BINS * i + SFM_BINS - 1]; ++sample) {
            const int64_t top = scratch.rows.centre[sample] - (sift->bin - 1);
            const int64_t first = top > 0 ? top : 0;
            const int64_t last = top + n_taps - 1 < bottom ? top + n_taps - 1 : bottom;
            /* Rows that no sample needs are left out. */
            done = done > first ? done : first;
            smoothed = smoothed > done - 1 ? smoothed : done - 1;
            sfm_advance(sift, &scratch, last, &smoothed, &done);
            for (int64_t y = first; y <= last; ++y) {
                taps[y - first] = scratch.ring + y % n_taps * scratch.row_size;
            }
            SFM_CALL(sfm_add_rows, taps,
                     sift->kernels + scratch.rows.kernel[sample] * n_taps + (first - top),
                     last - first + 1, scratch.row_size, scratch.filtered);
            SFM_CALL(
                sfm_sample_row, scratch.filtered, &scratch.columns, sift->bin, sift->kernels,
                scratch.slots + sample % scratch.n_slots * scratch.columns.n * SFM_ORIENTATIONS);
        }
        SFM_CALL(sfm_finish_row, sift, &scratch, i);
    }
    free(taps);
    sfm_sift_scratch_free(&scratch);
    return 1;
}

#endif
