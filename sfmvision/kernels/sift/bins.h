/* Spatial bins of patches: where they are sampled, and the two passes that fill them.
 *
 * A sample is a bin's centre on one axis and the kernel that is laid there. Patches that overlap
 * share samples, so a row or a column is filtered only where some patch has a bin.
 */
#ifndef SFM_SIFT_BINS_H
#define SFM_SIFT_BINS_H

#include "sift/rows.h"

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

#define SFM_EACH_WIDTH "sift/bins.width.h"
#include "simd/each_width.h"

#endif
