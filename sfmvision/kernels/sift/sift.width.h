/* The last step of sift.h for one width: from the bins of patches to their descriptors. */

typedef int32_t SIZED(sfm_eight_ints) __attribute__((vector_size(32)));
typedef uint8_t SIZED(sfm_eight_bytes) __attribute__((vector_size(8), aligned(1), may_alias));

SFM_INNER float SIZED(sfm_sum_floats)(vfloat8 x)
{
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

SFM_INNER vfloat8 SIZED(sfm_least8)(vfloat8 x, vfloat8 y)
{
    const SIZED(sfm_eight_ints) below = x < y;
    return (vfloat8)(((SIZED(sfm_eight_ints))x & below) | ((SIZED(sfm_eight_ints))y & ~below));
}

/* Unit length, no number above 0.2, unit length again, and round(512 x) up to 255. For RootSIFT
 * the roots of the shares of the sum instead of the second length. Returns whether the patch is
 * flat: then it is all zeros.
 */
SFM_INNER int SIZED(sfm_finish_patch)(vfloat8 *bins, float least, int root, uint8_t *out)
{
    /* Two sums of each kind, so that an addition need not wait for the last one. */
    vfloat8 sum[2] = {{0}, {0}}, squares[2] = {{0}, {0}};
    for (int b = 0; b < SFM_BINS * SFM_BINS; ++b) {
        sum[b % 2] += bins[b];
        squares[b % 2] += bins[b] * bins[b];
    }
    const float length = sqrtf(SIZED(sfm_sum_floats)(squares[0] + squares[1]));
    if (!(SIZED(sfm_sum_floats)(sum[0] + sum[1]) >= least) || !(length > 0)) {
        memset(out, 0, SFM_SIFT_SIZE);
        return 1;
    }
    const vfloat8 zero = {0}, most = zero + 0.2f * length;
    sum[0] = sum[1] = squares[0] = squares[1] = zero;
    for (int b = 0; b < SFM_BINS * SFM_BINS; ++b) {
        bins[b] = SIZED(sfm_least8)(bins[b], most);
        sum[b % 2] += bins[b];
        squares[b % 2] += bins[b] * bins[b];
    }
    const float scale = root ? 512 * 512 / SIZED(sfm_sum_floats)(sum[0] + sum[1])
                             : 512 / sqrtf(SIZED(sfm_sum_floats)(squares[0] + squares[1]));
    for (int b = 0; b < SFM_BINS * SFM_BINS; ++b) {
        vfloat8 number = bins[b] * scale;
        for (int o = 0; root && o < SFM_ORIENTATIONS; ++o) {
            number[o] = sqrtf(number[o]);
        }
        number = SIZED(sfm_least8)(number + 0.5f, zero + 255.0f);
        const SIZED(sfm_eight_ints) whole = __builtin_convertvector(number, SIZED(sfm_eight_ints));
        *(SIZED(sfm_eight_bytes) *)(out + b * SFM_ORIENTATIONS) =
            __builtin_convertvector(whole, SIZED(sfm_eight_bytes));
    }
    return 0;
}

/* Patches of row i, whose samples stand in the slots. */
SFM_ENTRY void SIZED(sfm_finish_row)(const sfm_sift *sift, const sfm_sift_scratch *scratch,
                                     int64_t i)
{
    const int64_t slot_size = scratch->columns.n * SFM_ORIENTATIONS;
    const int64_t span = 3 * sift->bin + 1;
    const float least = sift->contrast * (float)(span * span);
    const float *slot[SFM_BINS];
    for (int r = 0; r < SFM_BINS; ++r) {
        const int64_t sample = scratch->rows.index[SFM_BINS * i + r];
        slot[r] = scratch->slots + sample % scratch->n_slots * slot_size;
    }
    for (int64_t j = 0; j < sift->n_columns; ++j) {
        const int64_t *index = scratch->columns.index + SFM_BINS * j;
        const int64_t patch = i * sift->n_columns + j;
        vfloat8 bins[SFM_BINS * SFM_BINS];
        for (int r = 0; r < SFM_BINS; ++r) {
            for (int c = 0; c < SFM_BINS; ++c) {
                const float weight = sift->weights[r] * sift->weights[c];
                bins[r * SFM_BINS + c] =
                    vfloat8_load(slot[r] + index[c] * SFM_ORIENTATIONS) * weight;
            }
        }
        uint8_t *out = sift->out + patch * sift->out_stride;
        sift->flat[patch] = (uint8_t)(sift->root ? SIZED(sfm_finish_patch)(bins, least, 1, out)
                                                 : SIZED(sfm_finish_patch)(bins, least, 0, out));
    }
}
