/* The two passes of bins.h for one width. */

/* out[j] = sum of the rows' j-th numbers under the kernel, for n numbers. Rows go by fours:
 * those that fill up the last four have weight 0.
 */
SFM_ENTRY void SIZED(sfm_add_rows)(const float *const *rows, const float *kernel, int64_t n_rows,
                                   int64_t n, float *restrict out)
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
SFM_ENTRY void SIZED(sfm_sample_row)(const float *row, const sfm_samples *samples, int64_t bin,
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
            vfloat8 a = {0}, b = {0}, c = {0}, d = {0};
            for (int64_t t = 0; t < size; ++t) {
                a += vfloat8_load(at[0] + t * SFM_ORIENTATIONS) * kernel[t];
                b += vfloat8_load(at[1] + t * SFM_ORIENTATIONS) * kernel[t];
                c += vfloat8_load(at[2] + t * SFM_ORIENTATIONS) * kernel[t];
                d += vfloat8_load(at[3] + t * SFM_ORIENTATIONS) * kernel[t];
            }
            vfloat8_store(out + s * SFM_ORIENTATIONS, a);
            vfloat8_store(out + (s + 1) * SFM_ORIENTATIONS, b);
            vfloat8_store(out + (s + 2) * SFM_ORIENTATIONS, c);
            vfloat8_store(out + (s + 3) * SFM_ORIENTATIONS, d);
            s += 4;
        } else {
            vfloat8 a = {0};
            for (int64_t t = 0; t < size; ++t) {
                a += vfloat8_load(at[0] + t * SFM_ORIENTATIONS) * kernel[t];
            }
            vfloat8_store(out + s * SFM_ORIENTATIONS, a);
            s += 1;
        }
    }
}
