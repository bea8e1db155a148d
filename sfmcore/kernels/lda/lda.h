/* Latent Dirichlet allocation, one document at a time: collapsed Gibbs sampling, and zero-order
 * collapsed variational inference with fixed topics.
 *
 * Griffiths and Steyvers, "Finding scientific topics", PNAS 101 (2004). Asuncion, Welling, Smyth
 * and Teh, "On smoothing and inference for topic models", UAI (2009).
 *
 * Topics lie side by side in blocks of sixteen, the last one filled up. Where there is no topic
 * rows are 0 and alpha is 0, so that P(topic) is 0.
 */
#ifndef SFM_LDA_H
#define SFM_LDA_H

#include "simd/random.h"

#define SFM_LDA_LANES 16
/* Blocks of topics that are kept in registers. */
#define SFM_LDA_REGISTERS 4
/* Where the ones stand in sfm_lda_one: a vector that is read k places lower has its ones at k. */
#define SFM_LDA_ONE (SFM_LDA_REGISTERS * SFM_LDA_LANES)

static const int32_t sfm_lda_one[2 * SFM_LDA_ONE] = {[SFM_LDA_ONE] = -1};

typedef struct {
    int64_t n_topics;
    int64_t n_blocks;
    float *rows;         /* [word][topic]: tokens, or P(word | topic) with fixed topics */
    float *totals;       /* [topic]: tokens */
    const float *alpha;  /* [topic] */
    float beta;
    float beta_sum;      /* of all words */
} sfm_lda;

/* Sweeps of one chain, or of one chain after another: whatever `next` gives. It sets what stands
 * below it for another sweep, or returns 0 when there is none; the last sweep is over then. */
typedef struct sfm_lda_stream {
    const sfm_lda *lda;
    int (*next)(struct sfm_lda_stream *);
    const uint16_t *words;
    uint16_t *topics;    /* of the tokens */
    int64_t n;           /* tokens, at least 1 */
    uint64_t key;        /* number i of its stream is token i's */
    float weight;        /* what a token counts in rows and totals */
    float *document;     /* [topic]: tokens; kept up to date */
    float *work;         /* [2][topic] */
} sfm_lda_stream;

/* Number i of a document's stream in [0, 1): the high bits of SplitMix64, which needs no state. */
SFM_INLINE float sfm_lda_uniform(uint64_t key, uint64_t i)
{
    const uint64_t bits = sfm_mix64(key + (i + 1) * 0x9e3779b97f4a7c15ULL);
    return (float)(int32_t)(bits >> 40) * 0x1.0p-24f;
}

/* The key whose number 0 is number n_used of this one. */
SFM_INLINE uint64_t sfm_lda_key_from(uint64_t key, uint64_t n_used)
{
    return key + n_used * 0x9e3779b97f4a7c15ULL;
}

/* A type of chains.width.h. */
#define lda_chain SIZED(sfm_lda_chain)

#define SFM_EACH_WIDTH "lda/lda.width.h"
#include "simd/each_width.h"

/* All that a document needs while it is worked on. */
typedef struct {
    int64_t capacity;    /* distinct words */
    int64_t n_tokens;
    float *document;     /* [topic]: tokens */
    float *expected;     /* [topic]: expected tokens */
    double *log_share;   /* [topic] */
    float *work;         /* [2][topic] */
    float *q;            /* [distinct word][topic] */
    uint16_t *words;     /* [token] */
    uint16_t *topics;    /* [token] */
} sfm_lda_scratch;

static inline void sfm_lda_scratch_free(sfm_lda_scratch *scratch)
{
    free(scratch->document);
    free(scratch->q);
    free(scratch->words);
    scratch->document = scratch->q = NULL;
    scratch->words = NULL;
}

/* 0 when there is no memory. */
static inline int sfm_lda_scratch_new(sfm_lda_scratch *scratch, const sfm_lda *lda,
                                      int64_t n_distinct, int64_t n_tokens)
{
    const size_t width = (size_t)(lda->n_blocks * SFM_LDA_LANES);
    scratch->n_tokens = 0;
    scratch->document = (float *)sfm_alloc(6 * width * sizeof(float));
    scratch->q = (float *)sfm_alloc((size_t)n_distinct * width * sizeof(float));
    scratch->words = (uint16_t *)sfm_alloc((size_t)n_tokens * 2 * sizeof(uint16_t));
    if (scratch->document == NULL || scratch->q == NULL || scratch->words == NULL) {
        sfm_lda_scratch_free(scratch);
        return 0;
    }
    scratch->expected = scratch->document + width;
    scratch->work = scratch->expected + width;
    scratch->log_share = (double *)(scratch->work + 2 * width);
    scratch->topics = scratch->words + n_tokens;
    return 1;
}

/* expected = sum of count * q, afresh: the pass's updates leave their rounding behind. */
static inline void sfm_lda_sum(int64_t width, const float *counts, int64_t n, const float *q,
                               float *expected)
{
    for (int64_t k = 0; k < width; ++k) {
        expected[k] = 0.0f;
    }
    for (int64_t j = 0; j < n; ++j) {
        for (int64_t k = 0; k < width; ++k) {
            expected[k] += counts[j] * q[j * width + k];
        }
    }
}

/* q and expected of a document: passes until q changes by less than the tolerance a token. */
static inline void sfm_lda_infer(const sfm_lda *lda, const uint16_t *words, const float *counts,
                                 int64_t n, double tolerance, int max_passes,
                                 sfm_lda_scratch *scratch)
{
    const int64_t width = lda->n_blocks * SFM_LDA_LANES;
    float n_tokens = 0.0f;
    for (int64_t j = 0; j < n; ++j) {
        n_tokens += counts[j];
    }
    /* Equal shares at first. */
    for (int64_t k = 0; k < width; ++k) {
        const float share = k < lda->n_topics ? 1.0f / (float)lda->n_topics : 0.0f;
        scratch->expected[k] = n_tokens * share;
        for (int64_t j = 0; j < n; ++j) {
            scratch->q[j * width + k] = share;
        }
    }
    for (int pass = 0; n && pass < max_passes; ++pass) {
        const float change = SFM_CALL(sfm_lda_infer, lda, words, counts, n, scratch->q,
                                          scratch->expected, scratch->work);
        sfm_lda_sum(width, counts, n, scratch->q, scratch->expected);
        if (change <= (float)tolerance * n_tokens) {
            break;
        }
    }
    for (int64_t k = 0; k < lda->n_topics; ++k) {
        const double prior = lda->alpha[k];
        scratch->log_share[k] = log((scratch->expected[k] + prior) /
                                    (n_tokens + prior * (double)lda->n_topics));
    }
}

/* log P(words) with the given shares of the topics. */
static inline double sfm_lda_score(const sfm_lda *lda, const uint16_t *words, const float *counts,
                                   int64_t n, const double *shares)
{
    const int64_t width = lda->n_blocks * SFM_LDA_LANES;
    double total = 0.0;
    for (int64_t j = 0; j < n; ++j) {
        const float *row = lda->rows + words[j] * width;
        double sum[4] = {0.0, 0.0, 0.0, 0.0};
        int64_t k = 0;
        for (; k + 4 <= lda->n_topics; k += 4) {
            for (int part = 0; part < 4; ++part) {
                sum[part] += shares[k + part] * row[k + part];
            }
        }
        for (; k < lda->n_topics; ++k) {
            sum[0] += shares[k] * row[k];
        }
        total += counts[j] * log((sum[0] + sum[2]) + (sum[1] + sum[3]));
    }
    return total;
}

/* Counts of the topics, and those times the logarithms of their shares. */
static inline void sfm_lda_write_topics(const sfm_lda *lda, const float *counts,
                                        const double *log_share, float *out)
{
    for (int64_t k = 0; k < lda->n_topics; ++k) {
        out[k] = counts[k];
        out[lda->n_topics + k] = (float)(counts[k] * log_share[k]);
    }
}

/* A row of expected features from what sfm_lda_infer left. */
static inline void sfm_lda_write_row(const sfm_lda *lda, int64_t n_words, const uint16_t *words,
                                     const float *counts, int64_t n,
                                     const sfm_lda_scratch *scratch, float *out)
{
    const int64_t width = lda->n_blocks * SFM_LDA_LANES;
    memset(out, 0, (size_t)(lda->n_topics * n_words) * sizeof(float));
    for (int64_t j = 0; j < n; ++j) {
        for (int64_t k = 0; k < lda->n_topics; ++k) {
            out[k * n_words + words[j]] = counts[j] * scratch->q[j * width + k];
        }
    }
    sfm_lda_write_topics(lda, scratch->expected, scratch->log_share, out + lda->n_topics * n_words);
}

/* Tokens with topics drawn from q, each on its own. Uses the first n_tokens numbers. */
static inline void sfm_lda_start(const sfm_lda *lda, const uint16_t *words, const float *counts,
                                 int64_t n, uint64_t key, sfm_lda_scratch *scratch)
{
    const int64_t width = lda->n_blocks * SFM_LDA_LANES;
    int64_t token = 0;
    memset(scratch->document, 0, (size_t)width * sizeof(float));
    for (int64_t j = 0; j < n; ++j) {
        const float *q = scratch->q + j * width;
        float *sums = scratch->work, sum = 0.0f;
        for (int64_t k = 0; k < lda->n_topics; ++k) {
            sums[k] = sum += q[k];
        }
        for (int64_t copy = 0; copy < (int64_t)counts[j]; ++copy, ++token) {
            const float target = sfm_lda_uniform(key, (uint64_t)token) * sum;
            int64_t topic = 0;
            for (int64_t k = 0; k + 1 < lda->n_topics; ++k) {
                topic += sums[k] <= target;
            }
            scratch->words[token] = words[j];
            scratch->topics[token] = (uint16_t)topic;
            scratch->document[topic] += 1.0f;
        }
    }
    scratch->n_tokens = token;
}

/* A row of the features of the present state. */
static inline void sfm_lda_write_draw(const sfm_lda *lda, int64_t n_words,
                                      const sfm_lda_scratch *scratch, float *out)
{
    memset(out, 0, (size_t)(lda->n_topics * n_words) * sizeof(float));
    for (int64_t i = 0; i < scratch->n_tokens; ++i) {
        out[scratch->topics[i] * n_words + scratch->words[i]] += 1.0f;
    }
    sfm_lda_write_topics(lda, scratch->document, scratch->log_share, out + lda->n_topics * n_words);
}

#endif
