"""Categorical hidden Markov model over a ragged batch, parallel over groups of sequences.

The arithmetic stands in ``sfm_hmm.h``. Sequences are taken in the given order, eight at a time;
an order by length keeps the eight alike and so the padding short. Work is cut into chunks by
the data alone, and sums over items are added chunk by chunk, so that every result has the
same bits for any number of threads.
"""

import numpy as np

from cython.parallel cimport prange
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

# SFM_LANES, which Cython wants as a literal in array sizes and steps of loops.
LANES = 8


cdef extern from "sfm_hmm.h" nogil:
    enum:
        SFM_LANES

    ctypedef struct sfm_hmm:
        int n_states
        int n_symbols
        const double *start
        const double *transition
        const double *incoming
        const double *emission
        int widest

    ctypedef struct sfm_group:
        const uint8_t *codes[8]
        int64_t length[8]
        int64_t shortest
        int64_t longest

    ctypedef struct sfm_hmm_scratch:
        double log_likelihood[8]

    int sfm_hmm_scratch_new(sfm_hmm_scratch *, const sfm_hmm *, int64_t)
    void sfm_hmm_scratch_free(sfm_hmm_scratch *)
    void sfm_hmm_expect(const sfm_hmm *, const sfm_group *, sfm_hmm_scratch *)
    void sfm_hmm_score(const sfm_hmm *, const sfm_group *, sfm_hmm_scratch *)
    void sfm_hmm_draw(const sfm_hmm *, const sfm_group *, sfm_hmm_scratch *, const uint64_t *,
                      int, float **, int64_t, int *)
    void sfm_hmm_log_posterior(const sfm_hmm *, const sfm_hmm_scratch *, int, double *)
    void sfm_hmm_write_row(const sfm_hmm *, const sfm_hmm_scratch *, int, const double *, float *)
    void sfm_hmm_add_group(const sfm_hmm *, sfm_hmm_scratch *, const double *, double *)


cdef struct Batch:
    const uint8_t *values
    const int64_t *offsets
    const int64_t *order
    int64_t n_items
    int64_t chunk        # items in a chunk, a multiple of the lanes


cdef void load_group(const Batch *batch, int64_t first, int64_t end,
                     sfm_group *group) noexcept nogil:
    """Set up the items order[first:end], at most one a lane."""
    cdef int64_t item, length
    cdef int lane
    group.shortest = -1
    group.longest = 0
    for lane in range(SFM_LANES):
        group.length[lane] = 0
        group.codes[lane] = NULL
        if first + lane >= end:
            continue
        item = batch.order[first + lane]
        length = batch.offsets[item + 1] - batch.offsets[item]
        group.codes[lane] = batch.values + batch.offsets[item]
        group.length[lane] = length
        if length > group.longest:
            group.longest = length
        if group.shortest < 0 or length < group.shortest:
            group.shortest = length
    if first + SFM_LANES > end:
        group.shortest = 0


cdef int64_t longest_of(const Batch *batch, int64_t first, int64_t end) noexcept nogil:
    cdef int64_t longest = 1, length, k
    for k in range(first, end):
        length = batch.offsets[batch.order[k] + 1] - batch.offsets[batch.order[k]]
        if length > longest:
            longest = length
    return longest


cdef int score_chunk(const sfm_hmm *hmm, const Batch *batch, int64_t first, int64_t end,
                     double *log_likelihood) noexcept nogil:
    cdef sfm_hmm_scratch scratch
    cdef sfm_group group
    cdef int64_t k
    cdef int lane
    # One step of memory is enough: the score keeps only its last message.
    if not sfm_hmm_scratch_new(&scratch, hmm, 1):
        return 1
    for k in range(first, end, 8):
        load_group(batch, k, end, &group)
        sfm_hmm_score(hmm, &group, &scratch)
        for lane in range(min(<int64_t> SFM_LANES, end - k)):
            log_likelihood[batch.order[k + lane]] = scratch.log_likelihood[lane]
    sfm_hmm_scratch_free(&scratch)
    return 0


cdef int sum_chunk(const sfm_hmm *hmm, const Batch *batch, int64_t first, int64_t end,
                   const double *weights, double *total,
                   double *log_likelihood) noexcept nogil:
    cdef sfm_hmm_scratch scratch
    cdef sfm_group group
    cdef double lane_weights[8]
    cdef int64_t k, item
    cdef int lane
    if not sfm_hmm_scratch_new(&scratch, hmm, longest_of(batch, first, end)):
        return 1
    for k in range(first, end, 8):
        load_group(batch, k, end, &group)
        sfm_hmm_expect(hmm, &group, &scratch)
        for lane in range(SFM_LANES):
            lane_weights[lane] = 0.0
            if k + lane < end:
                item = batch.order[k + lane]
                lane_weights[lane] = weights[item]
                log_likelihood[item] = scratch.log_likelihood[lane]
        sfm_hmm_add_group(hmm, &scratch, lane_weights, total)
    sfm_hmm_scratch_free(&scratch)
    return 0


cdef int rows_chunk(const sfm_hmm *hmm, const Batch *batch, int64_t first, int64_t end,
                    float *out, int64_t stride, double *log_likelihood) noexcept nogil:
    cdef sfm_hmm_scratch scratch
    cdef sfm_group group
    cdef int64_t k, item
    cdef int lane
    cdef double *log_posterior = <double *> malloc(
        hmm.n_states * hmm.n_states * sizeof(double))
    if log_posterior == NULL:
        return 1
    if not sfm_hmm_scratch_new(&scratch, hmm, longest_of(batch, first, end)):
        free(log_posterior)
        return 1
    for k in range(first, end, 8):
        load_group(batch, k, end, &group)
        sfm_hmm_expect(hmm, &group, &scratch)
        for lane in range(min(<int64_t> SFM_LANES, end - k)):
            item = batch.order[k + lane]
            log_likelihood[item] = scratch.log_likelihood[lane]
            sfm_hmm_log_posterior(hmm, &scratch, lane, log_posterior)
            sfm_hmm_write_row(hmm, &scratch, lane, log_posterior, out + item * stride)
    sfm_hmm_scratch_free(&scratch)
    free(log_posterior)
    return 0


cdef int draw_chunk(const sfm_hmm *hmm, const Batch *batch, int64_t first, int64_t end,
                    const uint64_t *keys, int n_draws, float *out,
                    int64_t stride) noexcept nogil:
    cdef sfm_hmm_scratch scratch
    cdef sfm_group group
    cdef uint64_t lane_keys[8]
    cdef float *rows[8]
    cdef float *row
    cdef int64_t k, item
    cdef int lane, draw, cell
    cdef int n_states = hmm.n_states
    cdef int n_transitions = n_states * n_states
    cdef int n_statistics = n_states + n_transitions + n_states * hmm.n_symbols
    cdef double *log_posterior = <double *> malloc(
        SFM_LANES * n_transitions * sizeof(double) + SFM_LANES * n_draws * sizeof(int))
    cdef int *states = <int *> (log_posterior + SFM_LANES * n_transitions)
    if log_posterior == NULL:
        return 1
    if not sfm_hmm_scratch_new(&scratch, hmm, longest_of(batch, first, end)):
        free(log_posterior)
        return 1
    for k in range(first, end, 8):
        load_group(batch, k, end, &group)
        sfm_hmm_expect(hmm, &group, &scratch)
        for lane in range(SFM_LANES):
            lane_keys[lane] = 0
            rows[lane] = NULL
            if k + lane < end:
                item = batch.order[k + lane]
                lane_keys[lane] = keys[item]
                rows[lane] = out + item * n_draws * stride
                sfm_hmm_log_posterior(hmm, &scratch, lane, log_posterior + lane * n_transitions)
                for draw in range(n_draws):
                    memset(rows[lane] + draw * stride, 0, n_statistics * sizeof(float))
        sfm_hmm_draw(hmm, &group, &scratch, lane_keys, n_draws, rows, stride, states)
        for lane in range(min(<int64_t> SFM_LANES, end - k)):
            for draw in range(n_draws):
                row = rows[lane] + draw * stride
                for cell in range(n_transitions):
                    row[n_statistics + cell] = <float> (
                        row[n_states + cell] * log_posterior[lane * n_transitions + cell])
    sfm_hmm_scratch_free(&scratch)
    free(log_posterior)
    return 0


cdef class _Call:
    """The checked arguments of one call, kept alive while the kernel reads them."""

    cdef sfm_hmm hmm
    cdef Batch batch
    cdef int64_t n_chunks
    cdef object kept

    def __init__(self, values, offsets, order, start, transition, emission, chunk, widest,
                 n_threads):
        if getattr(values, "dtype", None) == np.uint16 and len(values):
            raise ValueError(f"a code is {values.max()}, the model has {np.shape(emission)[1]} "
                             "symbols")
        cdef const uint8_t[::1] value_view = values
        cdef const int64_t[::1] offset_view = offsets
        cdef const int64_t[::1] order_view = order
        cdef const double[::1] start_view = np.ascontiguousarray(start, dtype=np.float64)
        cdef const double[:, ::1] transition_view = np.ascontiguousarray(
            transition, dtype=np.float64)
        cdef const double[:, ::1] incoming_view = np.ascontiguousarray(
            np.transpose(transition), dtype=np.float64)
        cdef int n_states = start_view.shape[0]
        # Symbol by state, with a last row of ones: the padding symbol.
        by_symbol = np.transpose(np.asarray(emission, dtype=np.float64))
        if np.shape(transition) != (n_states, n_states) or by_symbol.shape[1:] != (n_states,):
            raise ValueError("start, transition and emission disagree on the number of states")
        cdef int n_symbols = len(by_symbol)
        if n_states == 0:
            raise ValueError("the model has no state")
        if n_threads < 1:
            raise ValueError(f"n_threads must be at least 1, got {n_threads}")
        n_items = len(order)
        if len(offsets) != n_items + 1:
            raise ValueError("order must name every item once")
        if offsets[0] < 0 or offsets[n_items] > len(values) or (np.diff(offsets) < 0).any():
            raise ValueError("offsets must rise from 0 to the number of values")
        if n_items and (order.min() < 0 or order.max() >= n_items or np.bincount(order).max() > 1):
            raise ValueError("order must name every item once")
        if len(values) and values.max() >= n_symbols:
            raise ValueError(f"a code is {values.max()}, the model has {n_symbols} symbols")
        cdef const double[:, ::1] emission_view = np.concatenate(
            [by_symbol, np.ones((1, n_states))]).astype(np.float64, order="C")
        self.kept = (value_view, offset_view, order_view, start_view, transition_view,
                     incoming_view, emission_view)
        self.hmm.n_states = n_states
        self.hmm.n_symbols = n_symbols
        self.hmm.start = &start_view[0]
        self.hmm.transition = &transition_view[0, 0]
        self.hmm.incoming = &incoming_view[0, 0]
        self.hmm.emission = &emission_view[0, 0]
        self.hmm.widest = widest
        self.batch.values = &value_view[0] if value_view.shape[0] else NULL
        self.batch.offsets = &offset_view[0]
        self.batch.order = &order_view[0] if order_view.shape[0] else NULL
        self.batch.n_items = order_view.shape[0]
        self.batch.chunk = chunk
        self.n_chunks = (self.batch.n_items + chunk - 1) // chunk


def log_likelihood(values, offsets, order, start, transition, emission, int n_threads,
                   int widest=LANES):
    """Log-likelihood of every item by the scaled forward pass.

    Parameters
    ----------
    values : ndarray of shape (n_codes,), dtype uint8  # IN
    offsets : ndarray of shape (n_items + 1,), dtype int64  # IN
    order : ndarray of shape (n_items,), dtype int64  # IN
        The order in which items are taken; by length is fastest.
    start : ndarray of shape (n_states,)  # IN
    transition : ndarray of shape (n_states, n_states)  # IN
    emission : ndarray of shape (n_states, n_symbols)  # IN
    n_threads : int
    widest : int
        Doubles in a vector, at most: 2, 4 or 8. 4 and 8 give the same bits, 2 differs from them
        in the last digits.

    Returns
    -------
    ndarray of shape (n_items,)
        Natural logarithms; 0 for an empty item.

    Raises
    ------
    ValueError
        If shapes disagree, offsets or order are not those of a batch, or a code is not a symbol.
    """
    cdef _Call call = _Call(values, offsets, order, start, transition, emission, 8 * LANES,
                            widest, n_threads)
    result = np.zeros(call.batch.n_items)
    cdef double[::1] out = result
    cdef const sfm_hmm *hmm = &call.hmm
    cdef const Batch *batch = &call.batch
    cdef int64_t chunk, first, size = batch.chunk, n_items = batch.n_items
    cdef int failed = 0
    if n_items == 0:
        return result
    for chunk in prange(call.n_chunks, nogil=True, schedule="dynamic", chunksize=1,
                        num_threads=n_threads):
        first = chunk * size
        failed += score_chunk(hmm, batch, first, min(first + size, n_items), &out[0])
    if failed:
        raise MemoryError("no memory for the forward pass")
    return result


def expected_statistics(values, offsets, order, start, transition, emission, weights,
                        int n_threads, int widest=LANES):
    """Weighted sum over items of the expected statistics: the E-step of Baum-Welch.

    Parameters
    ----------
    values, offsets, order, start, transition, emission, n_threads, widest
        As in :func:`log_likelihood`.
    weights : ndarray of shape (n_items,)  # IN

    Returns
    -------
    statistics : ndarray of shape (n_states + n_states**2 + n_states * n_symbols,)
        Expected starts, transitions (from, to) and emissions (state, symbol).
    log_likelihood : ndarray of shape (n_items,)

    Raises
    ------
    ValueError
        If shapes disagree, offsets or order are not those of a batch, or a code is not a symbol.
    """
    n_items = len(order)
    # At most 256 partial sums, however many items there are.
    chunk_items = max(8, -(-n_items // (256 * LANES))) * LANES
    cdef _Call call = _Call(values, offsets, order, start, transition, emission, chunk_items,
                            widest, n_threads)
    cdef const double[::1] weight_view = np.ascontiguousarray(weights, dtype=np.float64)
    if weight_view.shape[0] != n_items:
        raise ValueError("weights must have one value for each item")
    n_states, n_symbols = call.hmm.n_states, call.hmm.n_symbols
    n_cells = n_states + n_states * n_states + n_states * n_symbols
    partial = np.zeros((max(call.n_chunks, 1), n_cells))
    scores = np.zeros(n_items)
    cdef double[:, ::1] sums = partial
    cdef double[::1] out = scores
    cdef const sfm_hmm *hmm = &call.hmm
    cdef const Batch *batch = &call.batch
    cdef int64_t chunk, first, size = batch.chunk, n = batch.n_items
    cdef int failed = 0
    if n:
        for chunk in prange(call.n_chunks, nogil=True, schedule="dynamic", chunksize=1,
                            num_threads=n_threads):
            first = chunk * size
            failed += sum_chunk(hmm, batch, first, min(first + size, n), &weight_view[0],
                                &sums[chunk, 0], &out[0])
    if failed:
        raise MemoryError("no memory for forward-backward")
    total = partial[0].copy()
    for row in partial[1:]:
        total += row
    return total, scores


def _check_rows(out, rows, columns):
    if out.dtype != np.float32 or out.ndim != 2 or out.shape != (rows, columns):
        raise ValueError(f"out must be float32 of shape ({rows}, {columns})")
    if out.size and (out.strides[1] != 4 or out.strides[0] % 4):
        raise ValueError("out must be contiguous along its rows")


def expected_features(values, offsets, order, start, transition, emission, out, int n_threads,
                      int widest=LANES):
    """Expected features of every item, one row each.

    Parameters
    ----------
    values, offsets, order, start, transition, emission, n_threads, widest
        As in :func:`log_likelihood`.
    out : ndarray of shape (n_items, n_states + 2 * n_states**2 + n_states * n_symbols), float32
        # OUT. Starts, transitions, emissions (state, symbol), and transitions times the logarithm
        of the item's own posterior transition matrix. Rows may lie apart.

    Returns
    -------
    ndarray of shape (n_items,)
        The log-likelihoods.

    Raises
    ------
    ValueError
        If shapes disagree, offsets or order are not those of a batch, or a code is not a symbol.
    """
    cdef _Call call = _Call(values, offsets, order, start, transition, emission, 4 * LANES,
                            widest, n_threads)
    n_states, n_symbols = call.hmm.n_states, call.hmm.n_symbols
    _check_rows(out, len(order), n_states + 2 * n_states * n_states + n_states * n_symbols)
    scores = np.zeros(len(order))
    cdef float[:, :] rows = out
    cdef double[::1] score_view = scores
    cdef const sfm_hmm *hmm = &call.hmm
    cdef const Batch *batch = &call.batch
    cdef int64_t chunk, first, size = batch.chunk, n_items = batch.n_items
    cdef int64_t stride = rows.strides[0] // <int64_t> sizeof(float)
    cdef int failed = 0
    if n_items == 0:
        return scores
    for chunk in prange(call.n_chunks, nogil=True, schedule="dynamic", chunksize=1,
                        num_threads=n_threads):
        first = chunk * size
        failed += rows_chunk(hmm, batch, first, min(first + size, n_items), &rows[0, 0], stride,
                             &score_view[0])
    if failed:
        raise MemoryError("no memory for forward-backward")
    return scores


def drawn_features(values, offsets, order, start, transition, emission, keys, int n_draws, out,
                   int n_threads, int widest=LANES):
    """Features of state paths drawn from P(q | x), forward filtering and backward sampling.

    Parameters
    ----------
    values, offsets, order, start, transition, emission, n_threads, widest
        As in :func:`log_likelihood`.
    keys : ndarray of shape (n_items,), dtype uint64  # IN
        The random stream of every item.
    n_draws : int
    out : ndarray of shape (n_items * n_draws, n_features), float32  # OUT
        The draws of an item follow each other. Columns as in :func:`expected_features`; the
        logarithm is that of the exact posterior, not of the draw. Counts are exact up to 2**24.

    Raises
    ------
    ValueError
        If shapes disagree, offsets or order are not those of a batch, or a code is not a symbol.
    """
    cdef _Call call = _Call(values, offsets, order, start, transition, emission, 4 * LANES,
                            widest, n_threads)
    n_states, n_symbols = call.hmm.n_states, call.hmm.n_symbols
    _check_rows(out, len(order) * n_draws,
                n_states + 2 * n_states * n_states + n_states * n_symbols)
    cdef const uint64_t[::1] key_view = keys
    if key_view.shape[0] != len(order):
        raise ValueError("keys must have one value for each item")
    cdef float[:, :] rows = out
    cdef const sfm_hmm *hmm = &call.hmm
    cdef const Batch *batch = &call.batch
    cdef int64_t chunk, first, size = batch.chunk, n_items = batch.n_items
    cdef int64_t stride = rows.strides[0] // <int64_t> sizeof(float)
    cdef int failed = 0
    if n_items == 0 or n_draws == 0:
        return
    for chunk in prange(call.n_chunks, nogil=True, schedule="dynamic", chunksize=1,
                        num_threads=n_threads):
        first = chunk * size
        failed += draw_chunk(hmm, batch, first, min(first + size, n_items), &key_view[0],
                             n_draws, &rows[0, 0], stride)
    if failed:
        raise MemoryError("no memory for the draws")
