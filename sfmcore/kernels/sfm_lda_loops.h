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

/* One sweep of Gibbs sampling over the tokens of a document, topics in B blocks.
 *
 * P(topic) is (row + beta) * ((document + alpha) / (totals + beta V)), or row * (document +
 * alpha) with fixed topics; the counts are without the token. What the next token needs is made
 * ready for both cases, a topic that gains this token and one that does not, while this token's
 * topic is being found: then a choice of lanes is all that waits for it. */
INNER void NAME(sweep_blocks)(const sfm_lda *lda, const uint16_t *words, uint16_t *topics,
                              int64_t n, uint64_t key, float weight, float *document,
                              const int B, const int fixed)
{
    const int64_t width = lda->n_blocks * SFM_LDA_LANES;
    const VECTOR zero = ZERO, one = zero + 1.0f, gain = zero + (fixed ? 0.0f : weight);
    const VECTOR beta = zero + lda->beta, beta_sum = zero + lda->beta_sum;
    VECTOR cumulated[SFM_LDA_REGISTERS * PIECES];
    VECTOR row[SFM_LDA_REGISTERS][PIECES], counts[SFM_LDA_REGISTERS][PIECES];
    VECTOR totals[SFM_LDA_REGISTERS][PIECES], share[SFM_LDA_REGISTERS][PIECES];
    VECTOR other[SFM_LDA_REGISTERS][PIECES], next_row[SFM_LDA_REGISTERS][PIECES];
    VECTOR alpha[SFM_LDA_REGISTERS][PIECES];
    float *place = lda->rows + words[0] * width;
    EACH {
        const LANE_MASK old = NAME(lane_of)(topics[0], b, p);
        alpha[b][p] = READ(lda->alpha + PLACE(b, p));
        counts[b][p] = NAME(subtract)(old, READ(document + PLACE(b, p)), one);
        row[b][p] = READ(place + PLACE(b, p));
        if (fixed) {
            share[b][p] = row[b][p] * (counts[b][p] + alpha[b][p]);
        } else {
            totals[b][p] = NAME(subtract)(old, READ(lda->totals + PLACE(b, p)), gain);
            totals[b][p] = NAME(positive)(totals[b][p]);
            row[b][p] = NAME(positive)(NAME(subtract)(old, row[b][p], gain));
            share[b][p] = (row[b][p] + beta) *
                          ((counts[b][p] + alpha[b][p]) / (totals[b][p] + beta_sum));
        }
        next_row[b][p] = row[b][p];
        other[b][p] = share[b][p];
    }
    for (int64_t i = 0; i < n; ++i) {
        VECTOR lanes[PIECES];
        const int more = i + 1 < n;
        const int same = more && words[i + 1] == words[i];
        float *next_place = place;
        const VECTOR more_row = same ? gain : zero;
        EACH_PIECE {
            lanes[p] = zero;
        }
        EACH {
            lanes[p] += share[b][p];
            cumulated[b * PIECES + p] = lanes[p];
        }
        if (more) {
            const int64_t old_topic = topics[i + 1];
            next_place = lda->rows + words[i + 1] * width;
            EACH {
                const LANE_MASK old = NAME(lane_of)(old_topic, b, p);
                counts[b][p] = NAME(subtract)(old, counts[b][p], one);
                if (fixed) {
                    const VECTOR next = READ(next_place + PLACE(b, p));
                    share[b][p] = next * (counts[b][p] + alpha[b][p]);
                    other[b][p] = next * ((counts[b][p] + one) + alpha[b][p]);
                } else {
                    const VECTOR next = same ? row[b][p] : READ(next_place + PLACE(b, p));
                    /* Weights that are no whole numbers may leave less than nothing. */
                    next_row[b][p] = NAME(positive)(NAME(subtract)(old, next, gain));
                    totals[b][p] = NAME(positive)(NAME(subtract)(old, totals[b][p], gain));
                    share[b][p] = (next_row[b][p] + beta) *
                                  ((counts[b][p] + alpha[b][p]) / (totals[b][p] + beta_sum));
                    other[b][p] = ((next_row[b][p] + more_row) + beta) *
                                  (((counts[b][p] + one) + alpha[b][p]) /
                                   ((totals[b][p] + gain) + beta_sum));
                }
            }
        }
        const int64_t topic = NAME(pick)(cumulated, B, lda->n_topics,
                                         sfm_lda_uniform(key, (uint64_t)i));
        topics[i] = (uint16_t)topic;
        EACH {
            const LANE_MASK new = NAME(lane_of)(topic, b, p);
            counts[b][p] = NAME(add)(new, counts[b][p], one);
            share[b][p] = NAME(select)(new, other[b][p], share[b][p]);
            if (!fixed) {
                totals[b][p] = NAME(add)(new, totals[b][p], gain);
                if (!same) {
                    AT(place + PLACE(b, p)) = NAME(add)(new, row[b][p], gain);
                }
                row[b][p] = NAME(add)(new, next_row[b][p], more_row);
            }
        }
        place = next_place;
    }
    EACH {
        AT(document + PLACE(b, p)) = counts[b][p];
        if (!fixed) {
            AT(lda->totals + PLACE(b, p)) = totals[b][p];
        }
    }
}

/* The same for more topics than registers hold, with the same order of all sums. */
INNER void NAME(sweep_memory)(const sfm_lda *lda, const uint16_t *words, uint16_t *topics,
                              int64_t n, uint64_t key, float weight, float *document,
                              float *share, float *cumulated, const int fixed)
{
    const int64_t width = lda->n_blocks * SFM_LDA_LANES;
    const VECTOR zero = ZERO, beta = zero + (fixed ? 0.0f : lda->beta);
    float *totals = lda->totals;
    /* share[topic] is the factor of P(topic) that does not depend on the word. */
    for (int64_t k = 0; k < width; ++k) {
        share[k] = document[k] + lda->alpha[k];
        share[k] = fixed ? share[k] : share[k] / (totals[k] + lda->beta_sum);
    }
    for (int64_t i = 0; i < n; ++i) {
        float *row = lda->rows + words[i] * width;
        int64_t topic = topics[i];
        VECTOR lanes[PIECES];
        for (int turn = 0; turn < 2; ++turn) {
            const float sign = turn ? 1.0f : -1.0f;
            document[topic] += sign;
            share[topic] = document[topic] + lda->alpha[topic];
            if (!fixed) {
                row[topic] += sign * weight;
                totals[topic] += sign * weight;
                row[topic] = row[topic] > 0.0f ? row[topic] : 0.0f;
                totals[topic] = totals[topic] > 0.0f ? totals[topic] : 0.0f;
                share[topic] = share[topic] / (totals[topic] + lda->beta_sum);
            }
            if (turn) {
                break;
            }
            EACH_PIECE {
                lanes[p] = zero;
            }
            for (int64_t b = 0; b < lda->n_blocks; ++b) {
                EACH_PIECE {
                    lanes[p] += (READ(row + PLACE(b, p)) + beta) * READ(share + PLACE(b, p));
                    AT(cumulated + PLACE(b, p)) = lanes[p];
                }
            }
            topic = NAME(pick)((const VECTOR *)cumulated, lda->n_blocks, lda->n_topics,
                               sfm_lda_uniform(key, (uint64_t)i));
        }
        topics[i] = (uint16_t)topic;
    }
}

#define SFM_LDA_SWEEP(fixed)                                                                \
    if (lda->n_blocks == 1) {                                                               \
        NAME(sweep_blocks)(lda, words, topics, n, key, weight, document, 1, fixed);         \
    } else if (lda->n_blocks == 2) {                                                        \
        NAME(sweep_blocks)(lda, words, topics, n, key, weight, document, 2, fixed);         \
    } else if (lda->n_blocks == 3) {                                                        \
        NAME(sweep_blocks)(lda, words, topics, n, key, weight, document, 3, fixed);         \
    } else if (lda->n_blocks == 4) {                                                        \
        NAME(sweep_blocks)(lda, words, topics, n, key, weight, document, 4, fixed);         \
    } else {                                                                                \
        NAME(sweep_memory)(lda, words, topics, n, key, weight, document, work, work + width, \
                           fixed);                                                          \
    }

/* A sweep that keeps rows and totals up to date. document: counts of its topics, kept too.
 * work: room for 2 * n_blocks * SFM_LDA_LANES floats. The document is not empty. */
TARGET __attribute__((noinline)) static void NAME(sweep)(
    const sfm_lda *lda, const uint16_t *words, uint16_t *topics, int64_t n, uint64_t key,
    float weight, float *document, float *work)
{
    const int64_t width = lda->n_blocks * SFM_LDA_LANES;
    SFM_LDA_SWEEP(0)
}

/* A sweep with fixed topics. */
TARGET __attribute__((noinline)) static void NAME(sweep_fixed)(
    const sfm_lda *lda, const uint16_t *words, uint16_t *topics, int64_t n, uint64_t key,
    float weight, float *document, float *work)
{
    const int64_t width = lda->n_blocks * SFM_LDA_LANES;
    SFM_LDA_SWEEP(1)
}

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

#undef SFM_LDA_SWEEP
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
