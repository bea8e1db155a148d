/* Sweeps of Gibbs sampling over the tokens of documents, for one width; a part of lda.width.h,
 * whose macros it uses.
 *
 * A token's topic waits for the topic of the token before: the chain of a document is bound by
 * latency. Two documents that have nothing to do with each other therefore take their steps in
 * turns, and the processor works on both at once. Each does what it would do alone.
 */

/* A document in the middle of a sweep, topics in B blocks. Counts are without token i. */
typedef struct {
    float *rows, *totals_out, *document;
    const uint16_t *words;
    uint16_t *topics;
    int64_t i, n;
    uint64_t key;
    float *place; /* the row of token i */
    vfloat gain;  /* what a token counts in its topic */
    vfloat counts[SFM_LDA_REGISTERS][PIECES], totals[SFM_LDA_REGISTERS][PIECES];
    vfloat row[SFM_LDA_REGISTERS][PIECES];
    vfloat share[SFM_LDA_REGISTERS][PIECES]; /* P(topic of token i), not normalized */
} lda_chain;

/* P(topic) is (row + beta) * ((document + alpha) / (totals + beta V)), or row * (document +
 * alpha) with fixed topics; the counts are without the token. */
SFM_INNER void SIZED(sfm_lda_begin)(lda_chain *chain, const sfm_lda_stream *stream, const int B,
                                    const int fixed)
{
    const sfm_lda *lda = stream->lda;
    const vfloat one = ZERO + 1.0f, gain = ZERO + (fixed ? 0.0f : stream->weight);
    const vfloat beta = ZERO + lda->beta, beta_sum = ZERO + lda->beta_sum;
    chain->rows = lda->rows;
    chain->totals_out = lda->totals;
    chain->document = stream->document;
    chain->words = stream->words;
    chain->topics = stream->topics;
    chain->i = 0;
    chain->n = stream->n;
    chain->key = stream->key;
    chain->gain = gain;
    chain->place = lda->rows + stream->words[0] * B * SFM_LDA_LANES;
    EACH {
        const lane_mask old = SIZED(sfm_lda_lane_of)(stream->topics[0], b, p);
        const vfloat alpha = vfloat_load(lda->alpha + PLACE(b, p));
        const vfloat row = vfloat_load(chain->place + PLACE(b, p));
        chain->counts[b][p] =
            SIZED(sfm_lda_subtract)(old, vfloat_load(stream->document + PLACE(b, p)), one);
        if (fixed) {
            chain->share[b][p] = row * (chain->counts[b][p] + alpha);
        } else {
            const vfloat totals = vfloat_load(lda->totals + PLACE(b, p));
            chain->totals[b][p] =
                SIZED(sfm_lda_positive)(SIZED(sfm_lda_subtract)(old, totals, gain));
            chain->row[b][p] = SIZED(sfm_lda_positive)(SIZED(sfm_lda_subtract)(old, row, gain));
            chain->share[b][p] = (chain->row[b][p] + beta) *
                                 ((chain->counts[b][p] + alpha) / (chain->totals[b][p] + beta_sum));
        }
    }
}

/* Draws the topic of token i, and goes on to the next.
 *
 * What the next token needs is made ready for both cases, a topic that gains this token and one
 * that does not, while this token's topic is being found: then a choice of lanes is all that
 * waits for it. */
SFM_INNER void SIZED(sfm_lda_step)(lda_chain *chain, const sfm_lda *lda, const int B,
                                   const int fixed)
{
    const vfloat zero = ZERO, one = zero + 1.0f, gain = chain->gain;
    const vfloat beta = zero + lda->beta, beta_sum = zero + lda->beta_sum;
    const int64_t i = chain->i;
    const int more = i + 1 < chain->n;
    const int same = more && chain->words[i + 1] == chain->words[i];
    const vfloat more_row = same ? gain : zero;
    float *next_place = chain->place;
    vfloat lanes[PIECES], cumulated[SFM_LDA_REGISTERS * PIECES];
    vfloat other[SFM_LDA_REGISTERS][PIECES], next_row[SFM_LDA_REGISTERS][PIECES];
    EACH_PIECE {
        lanes[p] = zero;
    }
    EACH {
        lanes[p] += chain->share[b][p];
        cumulated[b * PIECES + p] = lanes[p];
        other[b][p] = chain->share[b][p];
        next_row[b][p] = chain->row[b][p];
    }
    if (more) {
        const int64_t old_topic = chain->topics[i + 1];
        next_place = chain->rows + chain->words[i + 1] * B * SFM_LDA_LANES;
        EACH {
            const lane_mask old = SIZED(sfm_lda_lane_of)(old_topic, b, p);
            const vfloat alpha = vfloat_load(lda->alpha + PLACE(b, p));
            const vfloat counts = SIZED(sfm_lda_subtract)(old, chain->counts[b][p], one);
            chain->counts[b][p] = counts;
            if (fixed) {
                const vfloat next = vfloat_load(next_place + PLACE(b, p));
                chain->share[b][p] = next * (counts + alpha);
                other[b][p] = next * ((counts + one) + alpha);
            } else {
                const vfloat next = same ? chain->row[b][p] : vfloat_load(next_place + PLACE(b, p));
                /* Weights that are no whole numbers may leave less than nothing. */
                const vfloat row =
                    SIZED(sfm_lda_positive)(SIZED(sfm_lda_subtract)(old, next, gain));
                const vfloat totals = SIZED(sfm_lda_positive)(
                    SIZED(sfm_lda_subtract)(old, chain->totals[b][p], gain));
                next_row[b][p] = row;
                chain->totals[b][p] = totals;
                chain->share[b][p] = (row + beta) * ((counts + alpha) / (totals + beta_sum));
                other[b][p] = ((row + more_row) + beta) *
                              (((counts + one) + alpha) / ((totals + gain) + beta_sum));
            }
        }
    }
    const int64_t topic =
        SIZED(sfm_lda_pick)(cumulated, B, lda->n_topics, sfm_lda_uniform(chain->key, (uint64_t)i));
    chain->topics[i] = (uint16_t)topic;
    EACH {
        const lane_mask new = SIZED(sfm_lda_lane_of)(topic, b, p);
        chain->counts[b][p] = SIZED(sfm_lda_add)(new, chain->counts[b][p], one);
        chain->share[b][p] = SIZED(sfm_lda_select)(new, other[b][p], chain->share[b][p]);
        if (!fixed) {
            chain->totals[b][p] = SIZED(sfm_lda_add)(new, chain->totals[b][p], gain);
            if (!same) {
                vfloat_store(chain->place + PLACE(b, p),
                             SIZED(sfm_lda_add)(new, chain->row[b][p], gain));
            }
            chain->row[b][p] = SIZED(sfm_lda_add)(new, next_row[b][p], more_row);
        }
    }
    chain->place = next_place;
    chain->i = i + 1;
}

/* Keeps what a sweep has counted. */
SFM_INNER void SIZED(sfm_lda_finish)(const lda_chain *chain, const int B, const int fixed)
{
    EACH {
        vfloat_store(chain->document + PLACE(b, p), chain->counts[b][p]);
        if (!fixed) {
            vfloat_store(chain->totals_out + PLACE(b, p), chain->totals[b][p]);
        }
    }
}

/* Begins the stream's next sweep. Returns its tokens, 0 when there is no more sweep. */
SFM_INNER int64_t SIZED(sfm_lda_next)(lda_chain *chain, sfm_lda_stream *stream, const int B,
                                      const int fixed)
{
    if (!stream->next(stream)) {
        return 0;
    }
    SIZED(sfm_lda_begin)(chain, stream, B, fixed);
    return chain->n;
}

/* Whether two streams side by side take less time than one after the other: with many vectors,
 * and the two divisions that training makes for each, one alone leaves little idle. Measured for
 * every width: drawing gains with 8 vectors and not with 12, training with 6 and not with 8. */
#define PAYS(B, fixed) ((B) <= SFM_LDA_REGISTERS && (B) * PIECES <= ((fixed) ? 8 : 6))

/* All sweeps of one stream, or of two side by side. */
SFM_INNER void SIZED(sfm_lda_sweep_blocks)(sfm_lda_stream *one, sfm_lda_stream *two, const int B,
                                           const int fixed)
{
    const sfm_lda *lda = one->lda;
    lda_chain first = {.n = 0}, second = first;
    int64_t left = SIZED(sfm_lda_next)(&first, one, B, fixed);
    int64_t left_two =
        !PAYS(B, fixed) || two == NULL ? 0 : SIZED(sfm_lda_next)(&second, two, B, fixed);
    while (left && left_two) {
        const int64_t n = left < left_two ? left : left_two;
        for (int64_t turn = 0; turn < n; ++turn) {
            SIZED(sfm_lda_step)(&first, lda, B, fixed);
            SIZED(sfm_lda_step)(&second, lda, B, fixed);
        }
        left -= n;
        left_two -= n;
        if (!left) {
            SIZED(sfm_lda_finish)(&first, B, fixed);
            left = SIZED(sfm_lda_next)(&first, one, B, fixed);
        }
        if (!left_two) {
            SIZED(sfm_lda_finish)(&second, B, fixed);
            left_two = SIZED(sfm_lda_next)(&second, two, B, fixed);
        }
    }
    if (left_two) {
        first = second;
        one = two;
        left = left_two;
    }
    while (left) {
        for (; left; --left) {
            SIZED(sfm_lda_step)(&first, lda, B, fixed);
        }
        SIZED(sfm_lda_finish)(&first, B, fixed);
        left = SIZED(sfm_lda_next)(&first, one, B, fixed);
    }
}

/* The same for more topics than registers hold, with the same order of all sums. */
SFM_INNER void SIZED(sfm_lda_sweep_memory)(const sfm_lda_stream *stream, const int fixed)
{
    const sfm_lda *lda = stream->lda;
    const int64_t width = lda->n_blocks * SFM_LDA_LANES, n = stream->n;
    const uint16_t *words = stream->words;
    uint16_t *topics = stream->topics;
    const uint64_t key = stream->key;
    const float weight = stream->weight;
    float *document = stream->document, *share = stream->work, *cumulated = share + width;
    const vfloat zero = ZERO, beta = zero + (fixed ? 0.0f : lda->beta);
    float *totals = lda->totals;
    /* share[topic] is the factor of P(topic) that does not depend on the word. */
    for (int64_t k = 0; k < width; ++k) {
        share[k] = document[k] + lda->alpha[k];
        share[k] = fixed ? share[k] : share[k] / (totals[k] + lda->beta_sum);
    }
    for (int64_t i = 0; i < n; ++i) {
        float *row = lda->rows + words[i] * width;
        int64_t topic = topics[i];
        vfloat lanes[PIECES];
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
                    lanes[p] +=
                        (vfloat_load(row + PLACE(b, p)) + beta) * vfloat_load(share + PLACE(b, p));
                    vfloat_store(cumulated + PLACE(b, p), lanes[p]);
                }
            }
            topic = SIZED(sfm_lda_pick)((const vfloat *)cumulated, lda->n_blocks, lda->n_topics,
                                        sfm_lda_uniform(key, (uint64_t)i));
        }
        topics[i] = (uint16_t)topic;
    }
}

#define SFM_LDA_SWEEP(name, fixed)                       \
    const int64_t n_blocks = one->lda->n_blocks;         \
    if (two != NULL && !PAYS(n_blocks, fixed)) {         \
        SIZED(sfm_lda_##name)(one, NULL);                \
        SIZED(sfm_lda_##name)(two, NULL);                \
    } else if (n_blocks == 1) {                          \
        SIZED(sfm_lda_sweep_blocks)(one, two, 1, fixed); \
    } else if (n_blocks == 2) {                          \
        SIZED(sfm_lda_sweep_blocks)(one, two, 2, fixed); \
    } else if (n_blocks == 3) {                          \
        SIZED(sfm_lda_sweep_blocks)(one, two, 3, fixed); \
    } else if (n_blocks == 4) {                          \
        SIZED(sfm_lda_sweep_blocks)(one, two, 4, fixed); \
    } else {                                             \
        while (one->next(one)) {                         \
            SIZED(sfm_lda_sweep_memory)(one, fixed);     \
        }                                                \
    }

/* All sweeps of one or two streams, which keep rows and totals up to date. Two have rows and
 * totals of their own, and all else of the model in common. `two` may be NULL. */
SFM_ENTRY void SIZED(sfm_lda_sweep)(sfm_lda_stream *one, sfm_lda_stream *two)
{
    SFM_LDA_SWEEP(sweep, 0)
}

/* The same with fixed topics. */
SFM_ENTRY void SIZED(sfm_lda_sweep_fixed)(sfm_lda_stream *one, sfm_lda_stream *two)
{
    SFM_LDA_SWEEP(sweep_fixed, 1)
}

#undef SFM_LDA_SWEEP
#undef PAYS
