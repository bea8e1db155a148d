/* The loops that take the topic model's time, for one width.
 *
 * Topic k is lane k % 16 of block k / 16 whatever the width, and every sum has the same order, so
 * that all widths give the same bits (this needs -ffp-contract=off). A block is PIECES vectors.
 */

#define PIECES (SFM_LDA_LANES / FLOATS)
#define ZERO ((vfloat){0.0f})
#define PLACE(b, p) ((b) * SFM_LDA_LANES + (p) * FLOATS)
/* All pieces of B blocks, unrolled so that they stay in registers. */
#define EACH                                            \
    _Pragma("GCC unroll 4") for (int b = 0; b < B; ++b) \
    _Pragma("GCC unroll 4") for (int p = 0; p < PIECES; ++p)
#define EACH_PIECE _Pragma("GCC unroll 4") for (int p = 0; p < PIECES; ++p)

/* Within each group of four lanes, lane j takes what stands N lanes lower, or 0. */
#if BITS == 512
#define SHIFT_1(x) \
    __builtin_shufflevector(x, ZERO, 16, 0, 1, 2, 16, 4, 5, 6, 16, 8, 9, 10, 16, 12, 13, 14)
#define SHIFT_2(x) \
    __builtin_shufflevector(x, ZERO, 16, 16, 0, 1, 16, 16, 4, 5, 16, 16, 8, 9, 16, 16, 12, 13)
#elif BITS == 256
#define SHIFT_1(x) __builtin_shufflevector(x, ZERO, 8, 0, 1, 2, 8, 4, 5, 6)
#define SHIFT_2(x) __builtin_shufflevector(x, ZERO, 8, 8, 0, 1, 8, 8, 4, 5)
#else
#define SHIFT_1(x) __builtin_shufflevector(x, ZERO, 4, 0, 1, 2)
#define SHIFT_2(x) __builtin_shufflevector(x, ZERO, 4, 4, 0, 1)
#endif

/* Lanes of one topic, and what is done there alone. */
#if BITS == 512
#define lane_mask __mmask16

SFM_INNER lane_mask SIZED(sfm_lda_lane_of)(int64_t topic, int b, int p)
{
    (void)p;
    return (__mmask16)((1ULL << topic) >> (b * SFM_LDA_LANES));
}

SFM_INNER vfloat SIZED(sfm_lda_select)(lane_mask mask, vfloat value, vfloat other)
{
    return (vfloat)_mm512_mask_blend_ps(mask, (__m512)other, (__m512)value);
}

SFM_INNER vfloat SIZED(sfm_lda_add)(lane_mask mask, vfloat x, vfloat y)
{
    return (vfloat)_mm512_mask_add_ps((__m512)x, mask, (__m512)x, (__m512)y);
}

SFM_INNER vfloat SIZED(sfm_lda_subtract)(lane_mask mask, vfloat x, vfloat y)
{
    return (vfloat)_mm512_mask_sub_ps((__m512)x, mask, (__m512)x, (__m512)y);
}

SFM_INNER vfloat SIZED(sfm_lda_positive)(vfloat x)
{
    return (vfloat)_mm512_max_ps((__m512)x, _mm512_setzero_ps());
}
#else
#define lane_mask vint

SFM_INNER lane_mask SIZED(sfm_lda_lane_of)(int64_t topic, int b, int p)
{
    return (vint)vfloat_load(
        (const float *)(sfm_lda_one + SFM_LDA_ONE + PLACE(b, p) - topic));
}

SFM_INNER vfloat SIZED(sfm_lda_select)(lane_mask mask, vfloat value, vfloat other)
{
    return (vfloat)(((vint)value & mask) | ((vint)other & ~mask));
}

SFM_INNER vfloat SIZED(sfm_lda_add)(lane_mask mask, vfloat x, vfloat y)
{
    return x + (vfloat)((vint)y & mask);
}

SFM_INNER vfloat SIZED(sfm_lda_subtract)(lane_mask mask, vfloat x, vfloat y)
{
    return x - (vfloat)((vint)y & mask);
}

SFM_INNER vfloat SIZED(sfm_lda_positive)(vfloat x)
{
    return (vfloat)((vint)(x > ZERO) & (vint)x);
}
#endif

/* Sums before each lane and with it, over the sixteen lanes in their order: inside groups of
 * four first, then group by group. Returns the sum of all. */
SFM_INNER float SIZED(sfm_lda_prefix)(const vfloat *lanes, vfloat *before, vfloat *with)
{
#if BITS == 512
    vfloat x = lanes[0];
    x += SHIFT_1(x);
    x += SHIFT_2(x);
    const vfloat one =
        __builtin_shufflevector(x, ZERO, 16, 16, 16, 16, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11);
    const vfloat two =
        __builtin_shufflevector(x, ZERO, 16, 16, 16, 16, 16, 16, 16, 16, 3, 3, 3, 3, 7, 7, 7, 7);
    const vfloat three = __builtin_shufflevector(x, ZERO, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
                                                 16, 16, 3, 3, 3, 3);
    const vfloat groups = (three + two) + one;
    before[0] = SHIFT_1(x) + groups;
    with[0] = x + groups;
    return with[0][15];
#else
    float sum = 0.0f;
    EACH_PIECE {
        vfloat x = lanes[p];
        x += SHIFT_1(x);
        x += SHIFT_2(x);
#if BITS == 256
        const float next = sum + x[3];
        const vfloat groups = {sum, sum, sum, sum, next, next, next, next};
        sum = next + x[7];
#else
        const vfloat groups = {sum, sum, sum, sum};
        sum += x[3];
#endif
        before[p] = SHIFT_1(x) + groups;
        with[p] = x + groups;
    }
    return sum;
#endif
}

/* Bit l says whether lane l is at most the target's. */
SFM_INNER unsigned SIZED(sfm_lda_at_most)(const vfloat *lanes, const vfloat *target)
{
    unsigned bits = 0;
#if BITS == 512
    bits = _mm512_cmp_ps_mask((__m512)lanes[0], (__m512)target[0], _CMP_LE_OQ);
#else
    EACH_PIECE {
#if BITS == 256
        bits |= (unsigned)_mm256_movemask_ps((__m256)(lanes[p] <= target[p])) << (p * FLOATS);
#elif defined(__SSE2__)
        bits |= (unsigned)_mm_movemask_ps((__m128)(lanes[p] <= target[p])) << (p * FLOATS);
#else
        for (int lane = 0; lane < FLOATS; ++lane) {
            bits |= (unsigned)(lanes[p][lane] <= target[p][lane]) << (p * FLOATS + lane);
        }
#endif
    }
#endif
    return bits;
}

/* The topic that a uniform number draws by inversion. The sums run down the blocks of a lane,
 * and then over the lanes: cumulated[block][lane]. */
SFM_INNER int64_t SIZED(sfm_lda_pick)(const vfloat *cumulated, int64_t n_blocks, int64_t n_topics,
                                      float uniform)
{
    vfloat before[PIECES], with[PIECES], target[PIECES], rest[PIECES];
    const float sum = SIZED(sfm_lda_prefix)(cumulated + (n_blocks - 1) * PIECES, before, with);
    EACH_PIECE {
        target[p] = ZERO + uniform * sum;
        rest[p] = target[p] - before[p];
    }
    const int last = n_topics < SFM_LDA_LANES ? (int)n_topics - 1 : SFM_LDA_LANES - 1;
    const unsigned below = SIZED(sfm_lda_at_most)(with, target) & ((1u << last) - 1);
    const int lane = __builtin_popcount(below);
    int64_t topic = lane;
    _Pragma("GCC unroll 4") for (int64_t b = 0; b + 1 < n_blocks; ++b)
    {
        topic += (SIZED(sfm_lda_at_most)(cumulated + b * PIECES, rest) >> lane & 1) * SFM_LDA_LANES;
    }
    /* Rounding may lead to a lane of the last block that holds no topic. */
    return topic < n_topics ? topic : topic - SFM_LDA_LANES;
}

#include "lda/chains.width.h"

/* The sum of all lanes. */
SFM_INNER float SIZED(sfm_lda_total)(const vfloat *lanes)
{
    vfloat before[PIECES], with[PIECES];
    return SIZED(sfm_lda_prefix)(lanes, before, with);
}

/* One pass of zero-order collapsed variational inference over the distinct words of a document:
 * q[word][topic], and expected, the sum of count * q, is kept up to date. Returns the sum of
 * count * |change of q|. work: room for n_blocks * SFM_LDA_LANES floats. */
SFM_ENTRY float SIZED(sfm_lda_infer)(const sfm_lda *lda, const uint16_t *words, const float *counts,
                                     int64_t n, float *q, float *expected, float *work)
{
    const int64_t width = lda->n_blocks * SFM_LDA_LANES;
    const vint no_sign = (vint){0} + 0x7fffffff;
    vfloat change[PIECES];
    EACH_PIECE {
        change[p] = ZERO;
    }
    for (int64_t j = 0; j < n; ++j) {
        const float *row = lda->rows + words[j] * width;
        float *mine = q + j * width;
        vfloat lanes[PIECES];
        EACH_PIECE {
            lanes[p] = ZERO;
        }
        for (int64_t b = 0; b < lda->n_blocks; ++b) {
            EACH_PIECE {
                const vfloat rest =
                    vfloat_load(expected + PLACE(b, p)) - vfloat_load(mine + PLACE(b, p));
                const vfloat share =
                    SIZED(sfm_lda_positive)(rest) + vfloat_load(lda->alpha + PLACE(b, p));
                const vfloat weight = vfloat_load(row + PLACE(b, p)) * share;
                vfloat_store(work + PLACE(b, p), weight);
                lanes[p] += weight;
            }
        }
        const float scale = 1.0f / SIZED(sfm_lda_total)(lanes);
        for (int64_t b = 0; b < lda->n_blocks; ++b) {
            EACH_PIECE {
                const vfloat now = vfloat_load(work + PLACE(b, p)) * scale;
                const vfloat step = (now - vfloat_load(mine + PLACE(b, p))) * counts[j];
                vfloat_store(mine + PLACE(b, p), now);
                vfloat_store(expected + PLACE(b, p), vfloat_load(expected + PLACE(b, p)) + step);
                change[p] += (vfloat)((vint)step & no_sign);
            }
        }
    }
    return SIZED(sfm_lda_total)(change);
}

#undef SHIFT_1
#undef SHIFT_2
#undef EACH
#undef EACH_PIECE
#undef PIECES
#undef ZERO
#undef PLACE
#undef lane_mask
