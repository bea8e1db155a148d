/* The loops that take the topic model's time, for vectors of WIDTH floats; included once for
 * each width. NAME(x) names the functions, TARGET is their attribute.
 *
 * Topic k is lane k % 16 of block k / 16 whatever the width, and every sum has the same order, so
 * that all widths give the same bits (this needs -ffp-contract=off).
 */

#define PIECES (SFM_LDA_LANES / WIDTH)

typedef float NAME(vector) __attribute__((vector_size(4 * WIDTH), aligned(4), may_alias));
typedef int32_t NAME(mask) __attribute__((vector_size(4 * WIDTH), aligned(4), may_alias));
#define VECTOR NAME(vector)
#define MASK NAME(mask)
#define AT(p) (*(VECTOR *)(p))
#define READ(p) (*(const VECTOR *)(p))
#define ZERO ((VECTOR){0.0f})
#define PLACE(b, p) ((b) * SFM_LDA_LANES + (p) * WIDTH)
#define INNER static inline __attribute__((always_inline)) TARGET
/* All pieces of B blocks, unrolled so that they stay in registers. */
#define EACH                                                  \
    _Pragma("GCC unroll 4") for (int b = 0; b < B; ++b)       \
    _Pragma("GCC unroll 4") for (int p = 0; p < PIECES; ++p)
#define EACH_PIECE _Pragma("GCC unroll 4") for (int p = 0; p < PIECES; ++p)

/* Within each group of four lanes, lane j takes what stands N lanes lower, or 0. */
#if WIDTH == 16
#define SHIFT_1(x) __builtin_shufflevector(x, ZERO, 16, 0, 1, 2, 16, 4, 5, 6, \
                                           16, 8, 9, 10, 16, 12, 13, 14)
#define SHIFT_2(x) __builtin_shufflevector(x, ZERO, 16, 16, 0, 1, 16, 16, 4, 5, \
                                           16, 16, 8, 9, 16, 16, 12, 13)
#elif WIDTH == 8
#define SHIFT_1(x) __builtin_shufflevector(x, ZERO, 8, 0, 1, 2, 8, 4, 5, 6)
#define SHIFT_2(x) __builtin_shufflevector(x, ZERO, 8, 8, 0, 1, 8, 8, 4, 5)
#else
#define SHIFT_1(x) __builtin_shufflevector(x, ZERO, 4, 0, 1, 2)
#define SHIFT_2(x) __builtin_shufflevector(x, ZERO, 4, 4, 0, 1)
#endif

/* Lanes of one topic, and what is done there alone. */
#if WIDTH == 16 && defined(SFM_LDA_X86)
#define LANE_MASK __mmask16

INNER LANE_MASK NAME(lane_of)(int64_t topic, int b, int p)
{
    (void)p;
    return (__mmask16)((1ULL << topic) >> (b * SFM_LDA_LANES));
}

INNER VECTOR NAME(select)(LANE_MASK mask, VECTOR value, VECTOR other)
{
    return (VECTOR)_mm512_mask_blend_ps(mask, (__m512)other, (__m512)value);
}

INNER VECTOR NAME(add)(LANE_MASK mask, VECTOR x, VECTOR y)
{
    return (VECTOR)_mm512_mask_add_ps((__m512)x, mask, (__m512)x, (__m512)y);
}

INNER VECTOR NAME(subtract)(LANE_MASK mask, VECTOR x, VECTOR y)
{
    return (VECTOR)_mm512_mask_sub_ps((__m512)x, mask, (__m512)x, (__m512)y);
}

INNER VECTOR NAME(positive)(VECTOR x)
{
    return (VECTOR)_mm512_max_ps((__m512)x, _mm512_setzero_ps());
}
#else
#define LANE_MASK MASK

INNER LANE_MASK NAME(lane_of)(int64_t topic, int b, int p)
{
    return *(const MASK *)(sfm_lda_one + SFM_LDA_ONE + PLACE(b, p) - topic);
}

INNER VECTOR NAME(select)(LANE_MASK mask, VECTOR value, VECTOR other)
{
    return (VECTOR)(((MASK)value & mask) | ((MASK)other & ~mask));
}

INNER VECTOR NAME(add)(LANE_MASK mask, VECTOR x, VECTOR y)
{
    return x + (VECTOR)((MASK)y & mask);
}

INNER VECTOR NAME(subtract)(LANE_MASK mask, VECTOR x, VECTOR y)
{
    return x - (VECTOR)((MASK)y & mask);
}

INNER VECTOR NAME(positive)(VECTOR x)
{
    return (VECTOR)((MASK)(x > ZERO) & (MASK)x);
}
#endif

/* Sums before each lane and with it, over the sixteen lanes in their order: inside groups of
 * four first, then group by group. Returns the sum of all. */
INNER float NAME(prefix)(const VECTOR *lanes, VECTOR *before, VECTOR *with)
{
#if WIDTH == 16
    VECTOR x = lanes[0];
    x += SHIFT_1(x);
    x += SHIFT_2(x);
    const VECTOR one = __builtin_shufflevector(x, ZERO, 16, 16, 16, 16, 3, 3, 3, 3,
                                               7, 7, 7, 7, 11, 11, 11, 11);
    const VECTOR two = __builtin_shufflevector(x, ZERO, 16, 16, 16, 16, 16, 16, 16, 16,
                                               3, 3, 3, 3, 7, 7, 7, 7);
    const VECTOR three = __builtin_shufflevector(x, ZERO, 16, 16, 16, 16, 16, 16, 16, 16,
                                                 16, 16, 16, 16, 3, 3, 3, 3);
    const VECTOR groups = (three + two) + one;
    before[0] = SHIFT_1(x) + groups;
    with[0] = x + groups;
    return with[0][15];
#else
    float sum = 0.0f;
    EACH_PIECE {
        VECTOR x = lanes[p];
        x += SHIFT_1(x);
        x += SHIFT_2(x);
#if WIDTH == 8
        const float next = sum + x[3];
        const VECTOR groups = {sum, sum, sum, sum, next, next, next, next};
        sum = next + x[7];
#else
        const VECTOR groups = {sum, sum, sum, sum};
        sum += x[3];
#endif
        before[p] = SHIFT_1(x) + groups;
        with[p] = x + groups;
    }
    return sum;
#endif
}

/* Bit l says whether lane l is at most the target's. */
INNER unsigned NAME(at_most)(const VECTOR *lanes, const VECTOR *target)
{
    unsigned bits = 0;
#if WIDTH == 16 && defined(SFM_LDA_X86)
    bits = _mm512_cmp_ps_mask((__m512)lanes[0], (__m512)target[0], _CMP_LE_OQ);
#else
    EACH_PIECE {
#if WIDTH == 8 && defined(SFM_LDA_X86)
        bits |= (unsigned)_mm256_movemask_ps((__m256)(lanes[p] <= target[p])) << (p * WIDTH);
#elif defined(SFM_LDA_X86)
        bits |= (unsigned)_mm_movemask_ps((__m128)(lanes[p] <= target[p])) << (p * WIDTH);
#else
        for (int lane = 0; lane < WIDTH; ++lane) {
            bits |= (unsigned)(lanes[p][lane] <= target[p][lane]) << (p * WIDTH + lane);
        }
#endif
    }
#endif
    return bits;
}

/* The topic that a uniform number draws by inversion. The sums run down the blocks of a lane,
 * and then over the lanes: cumulated[block][lane]. */
INNER int64_t NAME(pick)(const VECTOR *cumulated, int64_t n_blocks, int64_t n_topics,
                         float uniform)
{
    VECTOR before[PIECES], with[PIECES], target[PIECES], rest[PIECES];
    const float sum = NAME(prefix)(cumulated + (n_blocks - 1) * PIECES, before, with);
    EACH_PIECE {
        target[p] = ZERO + uniform * sum;
        rest[p] = target[p] - before[p];
    }
    const int last = n_topics < SFM_LDA_LANES ? (int)n_topics - 1 : SFM_LDA_LANES - 1;
    const unsigned below = NAME(at_most)(with, target) & ((1u << last) - 1);
    const int lane = __builtin_popcount(below);
    int64_t topic = lane;
    _Pragma("GCC unroll 4") for (int64_t b = 0; b + 1 < n_blocks; ++b) {
        topic += (NAME(at_most)(cumulated + b * PIECES, rest) >> lane & 1) * SFM_LDA_LANES;
    }
    /* Rounding may lead to a lane of the last block that holds no topic. */
    return topic < n_topics ? topic : topic - SFM_LDA_LANES;
}

#include "sfm_lda_chains.h"

/* The sum of all lanes. */
INNER float NAME(total)(const VECTOR *lanes)
{
    VECTOR before[PIECES], with[PIECES];
    return NAME(prefix)(lanes, before, with);
}

/* One pass of zero-order collapsed variational inference over the distinct words of a document:
 * q[word][topic], and expected, the sum of count * q, is kept up to date. Returns the sum of
 * count * |change of q|. work: room for n_blocks * SFM_LDA_LANES floats. */
TARGET __attribute__((noinline)) static float NAME(infer)(
    const sfm_lda *lda, const uint16_t *words, const float *counts, int64_t n, float *q,
    float *expected, float *work)
{
    const int64_t width = lda->n_blocks * SFM_LDA_LANES;
    const MASK no_sign = (MASK){0} + 0x7fffffff;
    VECTOR change[PIECES];
    EACH_PIECE {
        change[p] = ZERO;
    }
    for (int64_t j = 0; j < n; ++j) {
        const float *row = lda->rows + words[j] * width;
        float *mine = q + j * width;
        VECTOR lanes[PIECES];
        EACH_PIECE {
            lanes[p] = ZERO;
        }
        for (int64_t b = 0; b < lda->n_blocks; ++b) {
            EACH_PIECE {
                const VECTOR rest = READ(expected + PLACE(b, p)) - READ(mine + PLACE(b, p));
                const VECTOR share = NAME(positive)(rest) + READ(lda->alpha + PLACE(b, p));
                const VECTOR weight = READ(row + PLACE(b, p)) * share;
                AT(work + PLACE(b, p)) = weight;
                lanes[p] += weight;
            }
        }
        const float scale = 1.0f / NAME(total)(lanes);
        for (int64_t b = 0; b < lda->n_blocks; ++b) {
            EACH_PIECE {
                const VECTOR now = READ(work + PLACE(b, p)) * scale;
                const VECTOR step = (now - READ(mine + PLACE(b, p))) * counts[j];
                AT(mine + PLACE(b, p)) = now;
                AT(expected + PLACE(b, p)) += step;
                change[p] += (VECTOR)((MASK)step & no_sign);
            }
        }
    }
    return NAME(total)(change);
}

#undef SHIFT_1
#undef SHIFT_2
#undef EACH
#undef EACH_PIECE
#undef INNER
#undef PLACE
#undef ZERO
#undef READ
#undef AT
#undef LANE_MASK
#undef MASK
#undef VECTOR
#undef PIECES
