"""Categorical hidden Markov model over a ragged batch, parallel over groups of sequences.

The arithmetic stands in ``hmm/hmm.h``. Sequences are taken in the given order, eight at a time;
an order by length keeps the eight alike and so the padding short. Work is cut into chunks by
the data alone, and sums over items are added chunk by chunk, so that every result has the
same bits for any number of threads.
"""

import numpy as np

from cython.parallel cimport prange
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memset

from sfmcore.kernels cimport _simd
from sfmcore.kernels._native cimport SFM_LANES, sfm_follow
from sfmcore.kernels._rows cimport stride_of

sfm_follow(&_simd.width)


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


# What is wanted of every item; what is NULL is left out.
cdef struct Task:
    double *log_likelihood
    const double *weights
    double *totals          # [chunk][cell]: weighted sums of the expected statistics
    int64_t n_cells
    float *expected         # a row for each item
    float *drawn            # a row for each draw of each item
    int64_t stride          # from one row to the next
    const uint64_t *keys
    int n_draws


cdef int run_chunk(const sfm_hmm *hmm, const Batch *batch, const Task *task,
                   int64_t chunk) noexcept nogil:
    """Do a chunk's part of the task; 1 if there is no memory for it."""
    cdef sfm_hmm_scratch scratch
    cdef sfm_group group
    cdef double weights[SFM_LANES]
    cdef uint64_t keys[SFM_LANES]
    cdef float *rows[SFM_LANES]
    cdef int64_t first = chunk * batch.chunk, end = min(first + batch.chunk, batch.n_items), item
    cdef int lane
    cdef bint is_score = task.totals == NULL and task.expected == NULL and task.drawn == NULL
    # One step of memory is enough for the score, which keeps only its last message.
    if not sfm_hmm_scratch_new(&scratch, hmm, 1 if is_score else longest_of(batch, first, end),
                               task.n_draws):
        return 1
    while first < end:
        load_group(batch, first, end, &group)
        if is_score:
            sfm_hmm_score(hmm, &group, &scratch)
        else:
            sfm_hmm_expect(hmm, &group, &scratch)
        for lane in range(SFM_LANES):
            weights[lane], keys[lane], rows[lane] = 0.0, 0, NULL
            if first + lane >= end:
                continue
            item = batch.order[first + lane]
            if task.log_likelihood != NULL:
                task.log_likelihood[item] = scratch.log_likelihood[lane]
            if task.weights != NULL:
                weights[lane] = task.weights[item]
            if task.expected != NULL:
                sfm_hmm_write_row(hmm, &scratch, lane, task.expected + item * task.stride)
            if task.drawn != NULL:
                keys[lane] = task.keys[item]
                rows[lane] = task.drawn + item * task.n_draws * task.stride
        if task.drawn != NULL:
            sfm_hmm_draw(hmm, &group, &scratch, keys, task.n_draws, rows, task.stride)
        if task.totals != NULL:
            sfm_hmm_add_group(hmm, &scratch, weights, task.totals + chunk * task.n_cells)
        first += SFM_LANES
    sfm_hmm_scratch_free(&scratch)
    return 0


cdef class _Call:
    """The checked arguments of one call, kept alive while the kernel reads them."""

    cdef sfm_hmm hmm
    cdef Batch batch
    cdef int64_t n_chunks
    cdef object kept

    def __init__(self, values, offsets, order, start, transition, emission, chunk, n_threads):
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
        self.batch.values = &value_view[0] if value_view.shape[0] else NULL
        self.batch.offsets = &offset_view[0]
        self.batch.order = &order_view[0] if order_view.shape[0] else NULL
        self.batch.n_items = order_view.shape[0]
        self.batch.chunk = chunk
        self.n_chunks = (self.batch.n_items + chunk - 1) // chunk

    cdef int run(self, const Task *task, int n_threads) except -1:
        """Do the task for all items."""
        cdef const sfm_hmm *hmm = &self.hmm
        cdef const Batch *batch = &self.batch
        cdef int64_t chunk
        cdef int failed = 0
        for chunk in prange(self.n_chunks, nogil=True, schedule="dynamic", chunksize=1,
                            num_threads=n_threads):
            failed += run_chunk(hmm, batch, task, chunk)
        if failed:
            raise MemoryError("no memory for forward-backward")
        return 0


def log_likelihood(values, offsets, order, start, transition, emission, int n_threads):
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

    Returns
    -------
    ndarray of shape (n_items,)
        Natural logarithms; 0 for an empty item.

    Raises
    ------
    ValueError
        If shapes disagree, offsets or order are not those of a batch, or a code is not a symbol.
    """
    cdef _Call call = _Call(values, offsets, order, start, transition, emission, 8 * SFM_LANES,
                            n_threads)
    scores = np.zeros(call.batch.n_items)
    cdef double[::1] score_view = scores
    cdef Task task
    memset(&task, 0, sizeof(task))
    if call.batch.n_items:
        task.log_likelihood = &score_view[0]
        call.run(&task, n_threads)
    return scores


def expected_statistics(values, offsets, order, start, transition, emission, weights,
                        int n_threads):
    """Weighted sum over items of the expected statistics: the E-step of Baum-Welch.

    Parameters
    ----------
    values, offsets, order, start, transition, emission, n_threads
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
    chunk_items = max(8, -(-n_items // (256 * SFM_LANES))) * SFM_LANES
    cdef _Call call = _Call(values, offsets, order, start, transition, emission, chunk_items,
                            n_threads)
    cdef const double[::1] weight_view = np.ascontiguousarray(weights, dtype=np.float64)
    if weight_view.shape[0] != n_items:
        raise ValueError("weights must have one value for each item")
    n_states, n_symbols = call.hmm.n_states, call.hmm.n_symbols
    n_cells = n_states + n_states * n_states + n_states * n_symbols
    partial = np.zeros((max(call.n_chunks, 1), n_cells))
    scores = np.zeros(n_items)
    cdef double[:, ::1] sums = partial
    cdef double[::1] score_view = scores
    cdef Task task
    memset(&task, 0, sizeof(task))
    if n_items:
        task.log_likelihood, task.weights = &score_view[0], &weight_view[0]
        task.totals, task.n_cells = &sums[0, 0], n_cells
        call.run(&task, n_threads)
    total = partial[0].copy()
    for row in partial[1:]:
        total += row
    return total, scores


def expected_features(values, offsets, order, start, transition, emission, out, int n_threads):
    """Expected features of every item, one row each.

    Parameters
    ----------
    values, offsets, order, start, transition, emission, n_threads
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
    cdef _Call call = _Call(values, offsets, order, start, transition, emission, 4 * SFM_LANES,
                            n_threads)
    n_states, n_symbols = call.hmm.n_states, call.hmm.n_symbols
    cdef Task task
    memset(&task, 0, sizeof(task))
    task.stride = stride_of(out, len(order),
                            n_states + 2 * n_states * n_states + n_states * n_symbols)
    scores = np.zeros(len(order))
    cdef float[:, :] rows = out
    cdef double[::1] score_view = scores
    if call.batch.n_items:
        task.log_likelihood, task.expected = &score_view[0], &rows[0, 0]
        call.run(&task, n_threads)
    return scores


def drawn_features(values, offsets, order, start, transition, emission, keys, int n_draws, out,
                   int n_threads):
    """Features of state paths drawn from P(q | x), forward filtering and backward sampling.

    Parameters
    ----------
    values, offsets, order, start, transition, emission, n_threads
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
    cdef _Call call = _Call(values, offsets, order, start, transition, emission, 4 * SFM_LANES,
                            n_threads)
    n_states, n_symbols = call.hmm.n_states, call.hmm.n_symbols
    cdef Task task
    memset(&task, 0, sizeof(task))
    task.stride = stride_of(out, len(order) * n_draws,
                            n_states + 2 * n_states * n_states + n_states * n_symbols)
    cdef const uint64_t[::1] key_view = keys
    if key_view.shape[0] != len(order):
        raise ValueError("keys must have one value for each item")
    cdef float[:, :] rows = out
    if call.batch.n_items and n_draws:
        task.keys, task.n_draws, task.drawn = &key_view[0], n_draws, &rows[0, 0]
        call.run(&task, n_threads)
