/* Spatial bins of patches: where they are sampled, and the two passes that fill them.
 *
 * A sample is a bin's centre on one axis and the kernel that is laid there. Patches that overlap
 * share samples, so a row or a column is filtered only where some patch has a bin.
 */
#ifndef SFM_SIFT_BINS_H
#define SFM_SIFT_BINS_H

#include "sfm_sift_rows.h"

#define SFM_BINS 4

typedef struct {
    int64_t n;
    int64_t *centre;  /* [n] */
    int64_t *kernel;  /* [n] */
    int64_t *index;   /* [patch][bin]: which sample it is */
    int64_t *memory;
} sfm_samples;

/* `first` has the centres of the first bins of n patches. The samples are ordered by kernel and
 * then by place, or the other way round. Returns 0 without memory.
 */
static int sfm_samples_new(sfm_samples *samples, const int64_t *first, int64_t n, int64_t bin,
                           int64_t length, int64_t n_kernels, int by_kernel)
{
    const int64_t n_keys = n_kernels * length;
    const int64_t most = SFM_BINS * n < n_keys ? SFM_BINS * n : n_keys;
    samples->memory = sfm_alloc((size_t)(2 * most + SFM_BINS * n + n_keys) * sizeof(int64_t));
    if (samples->memory == NULL) {
        return 0;
    }
    samples->centre = samples->memory;
    samples->kernel = samples->centre + most;
    samples->index = samples->kernel + most;
    int64_t *taken = samples->index + SFM_BINS * n;
    memset(taken, 0, (size_t)n_keys * sizeof(int64_t));
    for (int64_t i = 0; i < SFM_BINS * n; ++i) {
        const int64_t b = i % SFM_BINS, centre = first[i / SFM_BINS] + b * bin;
        const int64_t kernel = n_kernels == 1 ? 0 : b;
        samples->index[i] = by_kernel ? kernel * length + centre : centre * n_kernels + kernel;
        taken[samples->index[i]] = 1;
    }
    samples->n = 0;
    for (int64_t key = 0; key < n_keys; ++key) {
        if (taken[key]) {
            samples->centre[samples->n] = by_kernel ? key % length : key / n_kernels;
            samples->kernel[samples->n] = by_kernel ? key / length : key % n_kernels;
            taken[key] = samples->n++;
        }
    }
    for (int64_t i = 0; i < SFM_BINS * n; ++i) {
        samples->index[i] = taken[samples->index[i]];
    }
    return 1;
}

/* out[j] = sum of the rows' j-th numbers under the kernel, for n numbers. Rows go by fours:
 * those that fill up the last four have weight 0.
 */
SFM_DISPATCH static void sfm_add_rows(const float *const *rows, const float *kernel,
                                      int64_t n_rows, int64_t n, float *restrict out)
{
    for (int64_t first = 0; first < n_rows; first += 4) {
        const float *four[4];
        float weight[4];
        for (int i = 0; i < 4; ++i) {
            const int there = first + i < n_rows;
            four[i] = rows[there ? first + i : first];
            weight[i] = there ? kernel[first + i] : 0;
        }
        const float *a = four[0], *b = four[1], *c = four[2], *d = four[3];
        const float p = weight[0], q = weight[1], r = weight[2], s = weight[3];
        if (first == 0) {
            for (int64_t j = 0; j < n; ++j) {
                out[j] = (a[j] * p + b[j] * q) + (c[j] * r + d[j] * s);
            }
        } else {
            for (int64_t j = 0; j < n; ++j) {
                out[j] += (a[j] * p + b[j] * q) + (c[j] * r + d[j] * s);
            }
        }
    }
}

/* Eight orientations of every sample of one filtered row, which has zeros on both sides. The
 * samples are ordered by kernel. Four go together where they share it.
 */
SFM_DISPATCH static void sfm_sample_row(const float *row, const sfm_samples *samples, int64_t bin,
                                        const float *kernels, float *out)
{
    const int64_t size = 2 * bin - 1;
    for (int64_t s = 0; s < samples->n;) {
        const float *kernel = kernels + samples->kernel[s] * size;
        const float *at[4];
        const int four = s + 3 < samples->n && samples->kernel[s + 3] == samples->kernel[s];
        for (int i = 0; i < (four ? 4 : 1); ++i) {
            at[i] = row + (samples->centre[s + i] - (bin - 1)) * SFM_ORIENTATIONS;
        }
        if (four) {
            vfloat_u a = {0}, b = {0}, c = {0}, d = {0};
            for (int64_t t = 0; t < size; ++t) {
                a += *(const vfloat_u *)(at[0] + t * SFM_ORIENTATIONS) * kernel[t];
                b += *(const vfloat_u *)(at[1] + t * SFM_ORIENTATIONS) * kernel[t];
                c += *(const vfloat_u *)(at[2] + t * SFM_ORIENTATIONS) * kernel[t];
                d += *(const vfloat_u *)(at[3] + t * SFM_ORIENTATIONS) * kernel[t];
            }
            *(vfloat_u *)(out + s * SFM_ORIENTATIONS) = a;
            *(vfloat_u *)(out + (s + 1) * SFM_ORIENTATIONS) = b;
            *(vfloat_u *)(out + (s + 2) * SFM_ORIENTATIONS) = c;
            *(vfloat_u *)(out + (s + 3) * SFM_ORIENTATIONS) = d;
            s += 4;
        } else {
            vfloat_u a = {0};
            for (int64_t t = 0; t < size; ++t) {
                a += *(const vfloat_u *)(at[0] + t * SFM_ORIENTATIONS) * kernel[t];
            }
            *(vfloat_u *)(out + s * SFM_ORIENTATIONS) = a;
            s += 1;
        }
    }
}

#endif
