"""Latent Dirichlet allocation over a ragged batch of documents, parallel over documents.

The arithmetic stands in ``lda/lda.h``, and what one thread does in ``lda/streams.h``. Training
cuts the documents into shards, which the caller chooses by the data alone: each works on its own
copy of the counts, and the copies are merged in their order (Newman, Asuncion, Smyth, Welling,
JMLR 10, 2009). Every result has the same bits for any number of threads.
"""

import numpy as np

from cython.parallel cimport prange
from libc.stdint cimport int64_t, uint16_t, uint64_t

from sfmcore.kernels cimport _simd
from sfmcore.kernels._native cimport sfm_follow
from sfmcore.kernels._rows cimport stride_of

sfm_follow(&_simd.width)


cdef int topic_chunk(const sfm_lda *lda, const sfm_lda_batch *batch, int64_t first, int64_t end,
                     float *out, int64_t stride, bint whole_rows) noexcept nogil:
    """Rows of expected features, or of the topics' expected counts alone."""
    cdef sfm_lda_scratch scratch
    cdef int64_t i, k, start, n
    if not sfm_lda_scratch_new(&scratch, lda, sfm_lda_most(batch, first, end), 1):
        return 1
    for i in range(first, end):
        start = batch.offsets[i]
        n = batch.offsets[i + 1] - start
        sfm_lda_infer(lda, batch.words + start, batch.counts + start, n, batch.tolerance,
                      batch.max_passes, &scratch)
        if whole_rows:
            sfm_lda_write_row(lda, batch.n_words, batch.words + start, batch.counts + start, n,
                              &scratch, out + i * stride)
        else:
            for k in range(lda.n_topics):
                out[i * stride + k] = scratch.expected[k]
    sfm_lda_scratch_free(&scratch)
    return 0


def _check_offsets(offsets, values):
    # Not offsets[-1]: the kernels are compiled without negative indices.
    if len(offsets) < 1 or offsets[0] != 0 or offsets[len(offsets) - 1] != len(values) or (
            np.diff(offsets) < 0).any():
        raise ValueError("offsets must rise from 0 to the number of values")


def _filled(array, n_topics):
    """Topics by something, transposed, single, and filled up with zeros to whole blocks."""
    width = -(-n_topics // SFM_LDA_LANES) * SFM_LDA_LANES
    out = np.zeros((array.shape[1], width), dtype=np.float32)
    out[:, :n_topics] = array.T
    return out


cdef class _Model:
    """The checked parameters of one call, kept alive while the kernel reads them."""

    cdef sfm_lda lda
    cdef object kept

    def __init__(self, table, double alpha, double beta, int n_threads):
        n_topics, n_words = np.shape(table)
        if not 1 <= n_topics <= 65535 or not 1 <= n_words <= 65536:
            raise ValueError("there must be 1 to 65535 topics and 1 to 65536 words")
        if n_threads < 1:
            raise ValueError(f"n_threads must be at least 1, got {n_threads}")
        rows = _filled(np.asarray(table), n_topics)
        prior = _filled(np.full((n_topics, 1), alpha), n_topics)
        totals = _filled(np.sum(table, axis=1, keepdims=True, dtype=np.float64), n_topics)
        cdef float[:, ::1] row_view = rows
        cdef float[:, ::1] prior_view = prior
        cdef float[:, ::1] total_view = totals
        self.kept = rows, prior, totals
        self.lda.n_topics = n_topics
        self.lda.n_blocks = rows.shape[1] // SFM_LDA_LANES
        self.lda.rows = &row_view[0, 0]
        self.lda.alpha = &prior_view[0, 0]
        self.lda.totals = &total_view[0, 0]
        self.lda.beta = beta
        self.lda.beta_sum = n_words * beta


cdef class _Call:
    """A model with fixed topics, and documents as distinct words with their counts."""

    cdef _Model model
    cdef sfm_lda_batch batch
    cdef int64_t chunk
    cdef int64_t n_chunks
    cdef object kept

    def __init__(self, words, counts, offsets, topics, alpha, tolerance, max_passes, n_threads):
        cdef const uint16_t[::1] word_view = words
        cdef const float[::1] count_view = counts
        cdef const int64_t[::1] offset_view = offsets
        _check_offsets(offsets, words)
        if len(counts) != len(words):
            raise ValueError("counts must have one value for each word")
        self.model = _Model(topics, alpha, 0.0, n_threads)
        self.batch.n_words = np.shape(topics)[1]
        if len(words) and words.max() >= self.batch.n_words:
            raise ValueError(f"a code is {words.max()}, the model has {np.shape(topics)[1]} words")
        self.kept = word_view, count_view, offset_view
        self.batch.words = &word_view[0] if word_view.shape[0] else NULL
        self.batch.counts = &count_view[0] if count_view.shape[0] else NULL
        self.batch.offsets = &offset_view[0]
        self.batch.n_items = len(offsets) - 1
        self.batch.tolerance = tolerance
        self.batch.max_passes = max_passes
        self.chunk = 8
        self.n_chunks = (self.batch.n_items + self.chunk - 1) // self.chunk


def gibbs_sweep(tokens, offsets, topics, weights, counts, shards, keys, double alpha,
                double beta, int n_threads):
    """One sweep of collapsed Gibbs sampling over all tokens.

    Parameters
    ----------
    tokens : ndarray of shape (n_tokens,), dtype uint16  # IN
        Words of all documents, one document after another; sorted within each is fastest.
    offsets : ndarray of shape (n_items + 1,), dtype int64  # IN
    topics : ndarray of shape (n_tokens,), dtype uint16  # INOUT
        The topic of every token.
    weights : ndarray of shape (n_items,), float32  # IN
        What a token of the document counts.
    counts : ndarray of shape (n_topics, n_words)  # IN
        Weighted tokens of each topic and word.
    shards : ndarray of shape (n_shards + 1,), dtype int64  # IN
        Shard `s` are the documents ``shards[s]`` to ``shards[s + 1] - 1``.
    keys : ndarray of shape (n_items,), dtype uint64  # IN
        The random stream of every document.
    alpha, beta : float
        Pseudo-counts of a topic in a document, and of a word in a topic.
    n_threads : int

    Returns
    -------
    ndarray of shape (n_topics, n_words)
        The counts after the sweep. They are exact for weights that are whole numbers, up to
        2**24.

    Raises
    ------
    ValueError
        If shapes disagree, or offsets, shards, tokens or topics are not those of a batch.
    """
    cdef _Model model = _Model(counts, alpha, beta, n_threads)
    cdef const uint16_t[::1] token_view = tokens
    cdef const int64_t[::1] offset_view = offsets
    cdef uint16_t[::1] topic_view = topics
    cdef const float[::1] weight_view = weights
    cdef const int64_t[::1] shard_view = shards
    cdef const uint64_t[::1] key_view = keys
    n_topics, n_words = np.shape(counts)
    _check_offsets(offsets, tokens)
    n_items = len(offsets) - 1
    if len(topics) != len(tokens) or len(weights) != n_items or len(keys) != n_items:
        raise ValueError("topics must have one value for each token, weights and keys for each "
                         "document")
    n_shards = len(shards) - 1
    if n_shards < 0 or shards[0] != 0 or shards[n_shards] != n_items or (
            np.diff(shards) < 0).any():
        raise ValueError("shards must rise from 0 to the number of documents")
    if len(tokens) == 0:
        return np.array(counts, dtype=np.float64)
    if tokens.max() >= n_words:
        raise ValueError(f"a code is {tokens.max()}, the model has {n_words} words")
    if topics.max() >= n_topics:
        raise ValueError(f"a topic is {topics.max()}, the model has {n_topics}")
    rows, _, totals = model.kept
    own_rows = np.repeat(rows[None], n_shards, axis=0)
    own_totals = np.repeat(totals[None], n_shards, axis=0)
    cdef float[:, :, ::1] row_view = own_rows
    cdef float[:, :, ::1] total_view = own_totals
    cdef const sfm_lda *lda = &model.lda
    cdef sfm_lda_corpus corpus
    corpus.tokens, corpus.topics = &token_view[0], &topic_view[0]
    corpus.offsets, corpus.keys = &offset_view[0], &key_view[0]
    corpus.weights, corpus.shards = &weight_view[0], &shard_view[0]
    corpus.rows, corpus.totals = &row_view[0, 0, 0], &total_view[0, 0, 0]
    corpus.n_words = n_words
    # Two shards side by side, unless that leaves a thread idle.
    cdef int64_t group, first, end = n_shards, size = 2 if n_shards >= 2 * n_threads else 1
    cdef int64_t n_groups = (end + size - 1) // size
    cdef int failed = 0
    for group in prange(n_groups, nogil=True, schedule="dynamic", chunksize=1,
                        num_threads=n_threads):
        first = group * size
        failed += not sfm_lda_train(lda, &corpus, first, min(size, end - first))
    if failed:
        raise MemoryError("no memory for the sweep")
    total = np.array(counts, dtype=np.float64)
    for own in own_rows:
        total += (own - rows)[:, :n_topics].T
    return total


def topic_counts(words, counts, offsets, topics, double alpha, double tolerance, int max_passes,
                 int n_threads):
    """Expected tokens of every topic in every document, by CVB0 with fixed topics.

    Parameters
    ----------
    words : ndarray of shape (n_distinct,), dtype uint16  # IN
        Distinct words of all documents, one document after another.
    counts : ndarray of shape (n_distinct,), float32  # IN
        How often each stands in its document: whole numbers.
    offsets : ndarray of shape (n_items + 1,), dtype int64  # IN
    topics : ndarray of shape (n_topics, n_words)  # IN
        P(word | topic), positive.
    alpha : float
    tolerance : float
        Passes end when q(topic | token) changes by less, summed over topics, mean over tokens.
    max_passes : int
    n_threads
        As in :func:`gibbs_sweep`.

    Returns
    -------
    ndarray of shape (n_items, n_topics), float32
        Zeros for an empty document.

    Raises
    ------
    ValueError
        If shapes disagree, offsets are not those of a batch, or a code is not a word.
    """
    cdef _Call call = _Call(words, counts, offsets, topics, alpha, tolerance, max_passes,
                            n_threads)
    result = np.zeros((call.batch.n_items, len(topics)), dtype=np.float32)
    _fill_rows(call, result, len(topics), False, n_threads)
    return result


def log_likelihood(words, counts, offsets, shares, topics, int n_threads):
    """Log P(words | shares, topics) of every document.

    Parameters
    ----------
    words, counts, offsets, topics, n_threads
        As in :func:`topic_counts`.
    shares : ndarray of shape (n_items, n_topics)  # IN
        The topics' shares in each document.

    Returns
    -------
    ndarray of shape (n_items,)
        Natural logarithms; 0 for an empty document.

    Raises
    ------
    ValueError
        If shapes disagree, offsets are not those of a batch, or a code is not a word.
    """
    cdef _Call call = _Call(words, counts, offsets, topics, 1.0, 0.0, 0, n_threads)
    cdef const double[:, ::1] share_view = np.ascontiguousarray(shares, dtype=np.float64)
    if np.shape(shares) != (call.batch.n_items, len(topics)):
        raise ValueError("shares must have a row for each document and a column for each topic")
    result = np.zeros(call.batch.n_items)
    cdef double[::1] out = result
    cdef const sfm_lda *lda = &call.model.lda
    cdef const sfm_lda_batch *batch = &call.batch
    cdef int64_t i, start
    for i in prange(batch.n_items, nogil=True, schedule="dynamic", chunksize=8,
                    num_threads=n_threads):
        start = batch.offsets[i]
        out[i] = sfm_lda_score(lda, batch.words + start, batch.counts + start,
                               batch.offsets[i + 1] - start, &share_view[i, 0])
    return result


def _fill_rows(_Call call, out, int64_t n_columns, bint whole_rows, int n_threads):
    cdef int64_t stride = stride_of(out, call.batch.n_items, n_columns)
    cdef float[:, :] rows = out
    cdef const sfm_lda *lda = &call.model.lda
    cdef const sfm_lda_batch *batch = &call.batch
    cdef int64_t chunk, first, size = call.chunk, n_items = batch.n_items
    cdef int failed = 0
    if n_items == 0:
        return
    for chunk in prange(call.n_chunks, nogil=True, schedule="dynamic", chunksize=1,
                        num_threads=n_threads):
        first = chunk * size
        failed += topic_chunk(lda, batch, first, min(first + size, n_items), &rows[0, 0], stride,
                              whole_rows)
    if failed:
        raise MemoryError("no memory for the inference")


def expected_features(words, counts, offsets, topics, double alpha, double tolerance,
                      int max_passes, out, int n_threads):
    """Expected features of every document under q(topics | words) of CVB0.

    Parameters
    ----------
    words, counts, offsets, topics, alpha, tolerance, max_passes, n_threads
        As in :func:`topic_counts`.
    out : ndarray of shape (n_items, n_topics * n_words + 2 * n_topics), float32  # OUT
        Expected tokens of each topic and word, then of each topic, and those times the logarithm
        of the topic's expected share. Rows may lie apart.

    Raises
    ------
    ValueError
        If shapes disagree, offsets are not those of a batch, or a code is not a word.
    """
    cdef _Call call = _Call(words, counts, offsets, topics, alpha, tolerance, max_passes,
                            n_threads)
    n_topics, n_words = np.shape(topics)
    _fill_rows(call, out, n_topics * n_words + 2 * n_topics, True, n_threads)


def drawn_features(words, counts, offsets, topics, double alpha, double tolerance,
                   int max_passes, keys, int n_draws, int n_burn_in, int n_between, out,
                   int n_threads):
    """Features of topics drawn from P(topics | words) by Gibbs sampling with fixed topics.

    Parameters
    ----------
    words, counts, offsets, topics, alpha, tolerance, max_passes, n_threads
        As in :func:`topic_counts`, whose q every chain starts from.
    keys : ndarray of shape (n_items,), dtype uint64  # IN
        The random stream of every document.
    n_draws : int
        States of one chain.
    n_burn_in, n_between : int
        Sweeps before the first state, and from one to the next.
    out : ndarray of shape (n_items * n_draws, n_topics * n_words + 2 * n_topics), float32  # OUT
        The draws of a document follow each other. Columns as in :func:`expected_features`; the
        logarithm is that of the expected share, not of the draw. Rows may lie apart.

    Raises
    ------
    ValueError
        If shapes disagree, offsets are not those of a batch, or a code is not a word.
    """
    cdef _Call call = _Call(words, counts, offsets, topics, alpha, tolerance, max_passes,
                            n_threads)
    cdef const uint64_t[::1] key_view = keys
    cdef sfm_lda_draws draws
    n_topics, n_words = np.shape(topics)
    if key_view.shape[0] != call.batch.n_items:
        raise ValueError("keys must have one value for each document")
    if n_draws < 0 or n_burn_in < 0 or n_between < 0:
        raise ValueError("n_draws, n_burn_in and n_between must not be negative")
    draws.stride = stride_of(out, call.batch.n_items * n_draws, n_topics * n_words + 2 * n_topics)
    cdef float[:, :] rows = out
    cdef const sfm_lda *lda = &call.model.lda
    cdef const sfm_lda_batch *batch = &call.batch
    cdef int64_t chunk, first, size = call.chunk, n_items = batch.n_items
    cdef int failed = 0
    if n_items == 0 or n_draws == 0:
        return
    draws.keys = &key_view[0]
    draws.n_draws, draws.n_burn_in, draws.n_between = n_draws, n_burn_in, n_between
    draws.out = &rows[0, 0]
    for chunk in prange(call.n_chunks, nogil=True, schedule="dynamic", chunksize=1,
                        num_threads=n_threads):
        first = chunk * size
        failed += not sfm_lda_draw(lda, batch, &draws, first, min(first + size, n_items))
    if failed:
        raise MemoryError("no memory for the draws")
