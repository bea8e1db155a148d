/* Latent Dirichlet allocation over many documents: what the streams of sweeps are made of. Drawing
 * and training give two streams at a time to one thread, see chains.width.h.
 */
#ifndef SFM_LDA_STREAMS_H
#define SFM_LDA_STREAMS_H

#include "lda/lda.h"

/* Documents as distinct words with their counts. */
typedef struct {
    const uint16_t *words;
    const float *counts;
    const int64_t *offsets;
    int64_t n_items;
    int64_t n_words;      /* of the model */
    double tolerance;
    int max_passes;
} sfm_lda_batch;

/* States of a chain for every document, and the rows they are written to. */
typedef struct {
    const uint64_t *keys;
    int n_draws;
    int n_burn_in;
    int n_between;
    float *out;
    int64_t stride;
} sfm_lda_draws;

/* Documents that are still to be drawn: first to end - 1. */
typedef struct {
    const sfm_lda_batch *batch;
    const sfm_lda_draws *draws;
    int64_t first;
    int64_t end;
} sfm_lda_queue;

/* A stream of sweeps with fixed topics: of one document after another from a queue. */
typedef struct {
    sfm_lda_stream stream;  /* the first member: `next` is given its address */
    sfm_lda_queue *queue;
    sfm_lda_scratch scratch;
    int64_t item;
    uint64_t n_used;        /* numbers of the document's stream */
    int draw;               /* draws that are written */
    int n_sweeps;           /* left before the next draw */
} sfm_lda_drawing;

/* Most distinct words of the documents first to end - 1, at least 1. */
static inline int64_t sfm_lda_most(const sfm_lda_batch *batch, int64_t first, int64_t end)
{
    int64_t most = 1;
    for (int64_t i = first; i < end; ++i) {
        const int64_t n = batch->offsets[i + 1] - batch->offsets[i];
        most = n > most ? n : most;
    }
    return most;
}

/* Most tokens, at least 1. */
static inline int64_t sfm_lda_most_tokens(const sfm_lda_batch *batch, int64_t first, int64_t end)
{
    int64_t most = 1;
    for (int64_t i = first; i < end; ++i) {
        int64_t n = 0;
        for (int64_t j = batch->offsets[i]; j < batch->offsets[i + 1]; ++j) {
            n += (int64_t)batch->counts[j];
        }
        most = n > most ? n : most;
    }
    return most;
}

/* Takes the queue's next document, and draws its first topics from its q. */
static inline void sfm_lda_take(sfm_lda_drawing *own)
{
    const sfm_lda_batch *batch = own->queue->batch;
    const sfm_lda_draws *draws = own->queue->draws;
    sfm_lda_scratch *scratch = &own->scratch;
    own->item = own->queue->first++;
    const int64_t start = batch->offsets[own->item], n = batch->offsets[own->item + 1] - start;
    const uint16_t *words = batch->words + start;
    const float *counts = batch->counts + start;
    sfm_lda_infer(own->stream.lda, words, counts, n, batch->tolerance, batch->max_passes, scratch);
    sfm_lda_start(own->stream.lda, words, counts, n, draws->keys[own->item], scratch);
    own->n_used = (uint64_t)scratch->n_tokens;
    own->draw = 0;
    own->n_sweeps = draws->n_burn_in;
    own->stream.n = scratch->n_tokens;
}

/* The next sweep of the document, after its draw if one is due, or of the next document. */
static int sfm_lda_next_drawing(sfm_lda_stream *stream)
{
    sfm_lda_drawing *own = (sfm_lda_drawing *)stream;
    const sfm_lda_draws *draws = own->queue->draws;
    for (;;) {
        if (own->draw == draws->n_draws) {
            if (own->queue->first == own->queue->end) {
                return 0;
            }
            sfm_lda_take(own);
        } else if (own->n_sweeps && stream->n) {
            --own->n_sweeps;
            stream->key = sfm_lda_key_from(draws->keys[own->item], own->n_used);
            own->n_used += (uint64_t)stream->n;
            return 1;
        } else {
            const int64_t row = own->item * draws->n_draws + own->draw++;
            sfm_lda_write_draw(stream->lda, own->queue->batch->n_words, &own->scratch,
                               draws->out + row * draws->stride);
            own->n_sweeps = draws->n_between;
        }
    }
}

/* 0 when there is no memory. */
static inline int sfm_lda_drawing_new(sfm_lda_drawing *own, const sfm_lda *lda,
                                      sfm_lda_queue *queue)
{
    sfm_lda_scratch *scratch = &own->scratch;
    if (!sfm_lda_scratch_new(scratch, lda, sfm_lda_most(queue->batch, queue->first, queue->end),
                             sfm_lda_most_tokens(queue->batch, queue->first, queue->end))) {
        return 0;
    }
    own->stream = (sfm_lda_stream){.lda = lda,
                                   .next = sfm_lda_next_drawing,
                                   .words = scratch->words,
                                   .topics = scratch->topics,
                                   .document = scratch->document,
                                   .work = scratch->work};
    own->queue = queue;
    own->draw = queue->draws->n_draws;
    return 1;
}

/* All draws of the documents first to end - 1. Returns 0 when there is no memory. */
static inline int sfm_lda_draw(const sfm_lda *lda, const sfm_lda_batch *batch,
                               const sfm_lda_draws *draws, int64_t first, int64_t end)
{
    sfm_lda_queue queue = {batch, draws, first, end};
    sfm_lda_drawing one, two;
    if (!sfm_lda_drawing_new(&one, lda, &queue)) {
        return 0;
    }
    if (!sfm_lda_drawing_new(&two, lda, &queue)) {
        sfm_lda_scratch_free(&one.scratch);
        return 0;
    }
    SFM_CALL(sfm_lda_sweep_fixed, &one.stream, &two.stream);
    sfm_lda_scratch_free(&one.scratch);
    sfm_lda_scratch_free(&two.scratch);
    return 1;
}

/* All tokens of training. */
typedef struct {
    const uint16_t *tokens;
    uint16_t *topics;
    const int64_t *offsets;
    const uint64_t *keys;
    const float *weights;
    const int64_t *shards;  /* shard s: documents shards[s] to shards[s + 1] - 1 */
    float *rows;            /* [shard][word][topic] */
    float *totals;          /* [shard][topic] */
    int64_t n_words;
} sfm_lda_corpus;

/* A stream of sweeps of training, one over each document of a shard. */
typedef struct {
    sfm_lda_stream stream;  /* the first member: `next` is given its address */
    sfm_lda own;            /* with the shard's rows and totals */
    const sfm_lda_corpus *corpus;
    int64_t first;
    int64_t end;
} sfm_lda_training;

/* The next document of the shard that is not empty, its topics counted. */
static int sfm_lda_next_training(sfm_lda_stream *stream)
{
    sfm_lda_training *training = (sfm_lda_training *)stream;
    const sfm_lda_corpus *corpus = training->corpus;
    while (training->first < training->end) {
        const int64_t item = training->first++, start = corpus->offsets[item];
        stream->n = corpus->offsets[item + 1] - start;
        if (stream->n == 0) {
            continue;
        }
        stream->words = corpus->tokens + start;
        stream->topics = corpus->topics + start;
        stream->key = corpus->keys[item];
        stream->weight = corpus->weights[item];
        memset(stream->document, 0,
               (size_t)(stream->lda->n_blocks * SFM_LDA_LANES) * sizeof(float));
        for (int64_t i = 0; i < stream->n; ++i) {
            stream->document[stream->topics[i]] += 1.0f;
        }
        return 1;
    }
    return 0;
}

/* document: room for 3 * n_blocks * SFM_LDA_LANES floats. */
static inline void sfm_lda_training_new(sfm_lda_training *training, const sfm_lda *lda,
                                        const sfm_lda_corpus *corpus, int64_t shard,
                                        float *document)
{
    const int64_t width = lda->n_blocks * SFM_LDA_LANES;
    training->own = *lda;
    training->own.rows = corpus->rows + shard * corpus->n_words * width;
    training->own.totals = corpus->totals + shard * width;
    training->corpus = corpus;
    training->first = corpus->shards[shard];
    training->end = corpus->shards[shard + 1];
    training->stream = (sfm_lda_stream){.lda = &training->own,
                                        .next = sfm_lda_next_training,
                                        .document = document,
                                        .work = document + width};
}

/* One sweep over the documents of one shard, or of two. Returns 0 when there is no memory. */
static inline int sfm_lda_train(const sfm_lda *lda, const sfm_lda_corpus *corpus, int64_t shard,
                                int64_t n_shards)
{
    const int64_t room = 3 * lda->n_blocks * SFM_LDA_LANES;
    float *documents = (float *)sfm_alloc((size_t)(2 * room) * sizeof(float));
    sfm_lda_training one, two;
    if (documents == NULL) {
        return 0;
    }
    sfm_lda_training_new(&one, lda, corpus, shard, documents);
    if (n_shards > 1) {
        sfm_lda_training_new(&two, lda, corpus, shard + 1, documents + room);
    }
    SFM_CALL(sfm_lda_sweep, &one.stream, n_shards > 1 ? &two.stream : NULL);
    free(documents);
    return 1;
}

#endif
