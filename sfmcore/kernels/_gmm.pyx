"""Gaussian mixture with diagonal covariances over rows of numbers, parallel over items.

The arithmetic stands in ``sfm_gmm.h``. Work is cut into chunks by the data alone, and sums over
items are added chunk by chunk, so that every result has the same bits for any number of threads.
"""

import numpy as np

from cython.parallel cimport prange
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc

# SFM_LANES and SFM_GMM_BLOCK, which Cython wants as literals in array sizes and steps of loops.
LANES = 8
BLOCK = 64
# Cells of the partial sums of one call, at most and roughly: 64 MB.
MAX_CELLS = 1 << 23


cdef extern from "sfm_gmm.h" nogil:
    enum:
        SFM_LANES
        SFM_GMM_BLOCK

    ctypedef struct sfm_gmm:
        int64_t n_components
        int64_t n_columns
        int64_t n_vectors
        const double *log_weight
        const double *constant
        const double *centre
        const double *scale
        const double *mean
        int widest

    ctypedef struct sfm_gmm_scratch:
        double *share
        double log_likelihood[64]

    int sfm_gmm_scratch_new(sfm_gmm_scratch *, const sfm_gmm *)
    void sfm_gmm_scratch_free(sfm_gmm_scratch *)
    void sfm_gmm_posterior(const sfm_gmm *, const double *, int, sfm_gmm_scratch *)
    void sfm_gmm_add(const sfm_gmm *, const double *, int, const double *, sfm_gmm_scratch *,
                     double *)
    void sfm_gmm_write_expected(const sfm_gmm *, const sfm_gmm_scratch *, int, const double *,
                                float *)
    void sfm_gmm_write_choice(const sfm_gmm *, const sfm_gmm_scratch *, int, int64_t,
                              const double *, float *)
    void sfm_gmm_draw(const sfm_gmm *, const sfm_gmm_scratch *, int, const uint64_t *, int,
                      int64_t *)


# What is wanted of every item; all but the first may be NULL.
cdef struct Outputs:
    double *log_likelihood
    double *shares         # [item][component]
    float *expected        # a row for each item
    float *enumerated      # a row for each component of each item
    int64_t stride         # from one row to the next


cdef int items_block(const sfm_gmm *gmm, const double *items, int64_t first, int64_t end,
                     const Outputs *out) noexcept nogil:
    cdef sfm_gmm_scratch scratch
    cdef int64_t K = gmm.n_components, D = gmm.n_columns, item, k
    cdef int n_items = <int> (end - first), i
    if not sfm_gmm_scratch_new(&scratch, gmm):
        return 1
    sfm_gmm_posterior(gmm, items + first * D, n_items, &scratch)
    for i in range(n_items):
        item = first + i
        out.log_likelihood[item] = scratch.log_likelihood[i]
        if out.shares != NULL:
            for k in range(K):
                out.shares[item * K + k] = scratch.share[k * SFM_GMM_BLOCK + i]
        if out.expected != NULL:
            sfm_gmm_write_expected(gmm, &scratch, i, items + item * D,
                                   out.expected + item * out.stride)
        if out.enumerated != NULL:
            for k in range(K):
                sfm_gmm_write_choice(gmm, &scratch, i, k, items + item * D,
                                     out.enumerated + (item * K + k) * out.stride)
    sfm_gmm_scratch_free(&scratch)
    return 0


cdef int sum_chunk(const sfm_gmm *gmm, const double *items, int64_t first, int64_t end,
                   const double *weights, double *total,
                   double *log_likelihood) noexcept nogil:
    cdef sfm_gmm_scratch scratch
    cdef double block_weights[64]
    cdef int64_t block
    cdef int n_items, i
    if not sfm_gmm_scratch_new(&scratch, gmm):
        return 1
    for block in range(first, end, 64):
        n_items = <int> min(<int64_t> SFM_GMM_BLOCK, end - block)
        sfm_gmm_posterior(gmm, items + block * gmm.n_columns, n_items, &scratch)
        for i in range(SFM_GMM_BLOCK):
            block_weights[i] = 0.0
            if i < n_items:
                block_weights[i] = weights[block + i]
                log_likelihood[block + i] = scratch.log_likelihood[i]
        sfm_gmm_add(gmm, items + block * gmm.n_columns, n_items, block_weights, &scratch, total)
    sfm_gmm_scratch_free(&scratch)
    return 0


cdef int draw_block(const sfm_gmm *gmm, const double *items, int64_t first, int64_t end,
                    const uint64_t *keys, int n_draws, float *out,
                    int64_t stride) noexcept nogil:
    cdef sfm_gmm_scratch scratch
    cdef uint64_t lane_keys[8]
    cdef int64_t item
    cdef int n_items = <int> (end - first), i, lane, draw
    cdef int64_t *chosen = <int64_t *> malloc(sizeof(int64_t) * SFM_LANES * n_draws)
    if chosen == NULL:
        return 1
    if not sfm_gmm_scratch_new(&scratch, gmm):
        free(chosen)
        return 1
    sfm_gmm_posterior(gmm, items + first * gmm.n_columns, n_items, &scratch)
    for i in range(0, n_items, 8):
        for lane in range(SFM_LANES):
            lane_keys[lane] = keys[first + i + lane] if i + lane < n_items else 0
        sfm_gmm_draw(gmm, &scratch, i, lane_keys, n_draws, chosen)
        for lane in range(min(SFM_LANES, n_items - i)):
            item = first + i + lane
            for draw in range(n_draws):
                sfm_gmm_write_choice(gmm, &scratch, i + lane, chosen[draw * SFM_LANES + lane],
                                     items + item * gmm.n_columns,
                                     out + (item * n_draws + draw) * stride)
    sfm_gmm_scratch_free(&scratch)
    free(chosen)
    return 0


cdef class _Call:
    """The checked arguments of one call, kept alive while the kernel reads them."""

    cdef sfm_gmm gmm
    cdef const double *items
    cdef int64_t n_items
    cdef object kept

    def __init__(self, items, weights, means, variances, widest, n_threads):
        cdef const double[:, ::1] item_view = items
        shares = np.ascontiguousarray(weights, dtype=np.float64)
        centres = np.ascontiguousarray(means, dtype=np.float64)
        spreads = np.ascontiguousarray(variances, dtype=np.float64)
        n_columns = item_view.shape[1]
        if shares.ndim != 1 or centres.shape != (len(shares), n_columns):
            raise ValueError("weights and means disagree on the components, or means and items "
                             "on the columns")
        if spreads.shape != centres.shape:
            raise ValueError("means and variances must have the same shape")
        if len(shares) == 0 or n_columns == 0:
            raise ValueError("the model has no component, or the items have no column")
        if n_threads < 1:
            raise ValueError(f"n_threads must be at least 1, got {n_threads}")
        if not (np.all(shares >= 0) and 0 < shares.sum() < np.inf):
            raise ValueError("weights must not be negative, nor all zero")
        with np.errstate(divide="ignore", over="ignore"):
            log_weights = np.log(shares)
            scales = -0.5 / spreads
        if not (np.all(spreads > 0) and np.all(np.isfinite(scales))):
            raise ValueError("variances must be above 0, and 1 / variance finite")
        constants = log_weights - 0.5 * np.log(2.0 * np.pi * spreads).sum(1)
        # Vector of columns, component, lane: as the sums over items stand.
        n_vectors = -(-n_columns // LANES)
        filled = np.zeros((len(shares), n_vectors * LANES))
        filled[:, :n_columns] = centres
        by_vector = filled.reshape(len(shares), n_vectors, LANES).transpose(1, 0, 2)
        cdef const double[::1] log_weight_view = log_weights
        cdef const double[::1] constant_view = constants
        cdef const double[:, ::1] centre_view = np.ascontiguousarray(centres.T)
        cdef const double[:, ::1] scale_view = np.ascontiguousarray(scales.T)
        cdef const double[:, :, ::1] mean_view = np.ascontiguousarray(by_vector)
        self.kept = (item_view, log_weight_view, constant_view, centre_view, scale_view, mean_view)
        self.gmm.n_components = len(shares)
        self.gmm.n_columns = n_columns
        self.gmm.n_vectors = n_vectors
        self.gmm.log_weight = &log_weight_view[0]
        self.gmm.constant = &constant_view[0]
        self.gmm.centre = &centre_view[0, 0]
        self.gmm.scale = &scale_view[0, 0]
        self.gmm.mean = &mean_view[0, 0, 0]
        self.gmm.widest = widest
        self.n_items = item_view.shape[0]
        self.items = &item_view[0, 0] if self.n_items else NULL

    cdef int run(self, const Outputs *out, int n_threads) except -1:
        """Fill the outputs of all items."""
        cdef const sfm_gmm *gmm = &self.gmm
        cdef const double *items = self.items
        cdef int64_t first, n_items = self.n_items
        cdef int failed = 0
        for first in prange(0, n_items, 64, nogil=True, schedule="dynamic", chunksize=1,
                            num_threads=n_threads):
            failed += items_block(gmm, items, first, min(first + 64, n_items), out)
        if failed:
            raise MemoryError("no memory for the posteriors")
        return 0


def log_likelihood(items, weights, means, variances, int n_threads, int widest=LANES):
    """Log-likelihood of every item.

    Parameters
    ----------
    items : ndarray of shape (n_items, n_columns), dtype float64  # IN
    weights : ndarray of shape (n_components,)  # IN
        Not negative; a component of weight 0 takes no part.
    means : ndarray of shape (n_components, n_columns)  # IN
    variances : ndarray of shape (n_components, n_columns)  # IN
        Above 0.
    n_threads : int
    widest : int
        Doubles in a vector, at most: 2, 4 or 8. 4 and 8 give the same bits, 2 differs from them
        in the last digits.

    Returns
    -------
    ndarray of shape (n_items,)
        Natural logarithms; minus infinity where the squared distances overflow.

    Raises
    ------
    ValueError
        If shapes disagree, a weight is negative or a variance not above 0.
    """
    cdef _Call call = _Call(items, weights, means, variances, widest, n_threads)
    scores = np.zeros(call.n_items)
    cdef double[::1] score_view = scores
    cdef Outputs out = Outputs(NULL, NULL, NULL, NULL, 0)
    if call.n_items:
        out.log_likelihood = &score_view[0]
        call.run(&out, n_threads)
    return scores


def posterior(items, weights, means, variances, int n_threads, int widest=LANES):
    """P(component | item), the shares of every item.

    Parameters
    ----------
    items, weights, means, variances, n_threads, widest
        As in :func:`log_likelihood`.

    Returns
    -------
    ndarray of shape (n_items, n_components)
        Rows sum to 1. An item whose density is 0 in floating point has the weights.

    Raises
    ------
    ValueError
        If shapes disagree, a weight is negative or a variance not above 0.
    """
    cdef _Call call = _Call(items, weights, means, variances, widest, n_threads)
    shares = np.zeros((call.n_items, call.gmm.n_components))
    scores = np.zeros(call.n_items)
    cdef double[:, ::1] share_view = shares
    cdef double[::1] score_view = scores
    cdef Outputs out = Outputs(NULL, NULL, NULL, NULL, 0)
    if call.n_items:
        out.log_likelihood = &score_view[0]
        out.shares = &share_view[0, 0]
        call.run(&out, n_threads)
    return shares


def expected_statistics(items, weights, means, variances, sample_weight, int n_threads,
                        int widest=LANES):
    """Weighted sum over items of the expected statistics: the E-step.

    Parameters
    ----------
    items, weights, means, variances, n_threads, widest
        As in :func:`log_likelihood`.
    sample_weight : ndarray of shape (n_items,)  # IN

    Returns
    -------
    statistics : ndarray of shape (n_components * (1 + 2 * n_columns),)
        Shares; shares times differences from the component's mean (component, column); shares
        times the squares of these differences. Around the means, so that a variance has its
        digits wherever the items lie.
    log_likelihood : ndarray of shape (n_items,)

    Raises
    ------
    ValueError
        If shapes disagree, a weight is negative or a variance not above 0.
    """
    cdef _Call call = _Call(items, weights, means, variances, widest, n_threads)
    cdef const double[::1] weight_view = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if weight_view.shape[0] != call.n_items:
        raise ValueError("sample_weight must have one value for each item")
    cdef int64_t n = call.n_items, first, chunk
    n_components, n_columns = call.gmm.n_components, call.gmm.n_columns
    n_vectors = call.gmm.n_vectors
    n_cells = n_components * (1 + 2 * LANES * n_vectors)
    # By the shapes alone: at most 256 partial sums, and fewer where they are large.
    most = min(256, max(16, MAX_CELLS // n_cells))
    cdef int64_t size = max(8, -(-n // (most * BLOCK))) * BLOCK
    cdef int64_t n_chunks = (n + size - 1) // size
    partial = np.zeros((n_chunks, n_cells))
    scores = np.zeros(n)
    cdef double[:, ::1] sums = partial
    cdef double[::1] score_view = scores
    cdef const sfm_gmm *gmm = &call.gmm
    cdef const double *rows = call.items
    cdef int failed = 0
    if n:
        for chunk in prange(n_chunks, nogil=True, schedule="dynamic", chunksize=1,
                            num_threads=n_threads):
            first = chunk * size
            failed += sum_chunk(gmm, rows, first, min(first + size, n), &weight_view[0],
                                &sums[chunk, 0], &score_view[0])
    if failed:
        raise MemoryError("no memory for the statistics")
    # Along the first axis NumPy adds row by row, in order.
    total = partial.sum(0)
    moments = total[n_components:].reshape(2, n_vectors, n_components, LANES)
    moments = moments.transpose(0, 2, 1, 3).reshape(2, n_components, -1)[:, :, :n_columns]
    return np.concatenate([total[:n_components], moments.ravel()]), scores


def _check_rows(out, rows, columns):
    if out.dtype != np.float32 or out.ndim != 2 or out.shape != (rows, columns):
        raise ValueError(f"out must be float32 of shape ({rows}, {columns})")
    if out.size and (out.strides[1] != 4 or out.strides[0] % 4):
        raise ValueError("out must be contiguous along its rows")


def expected_features(items, weights, means, variances, out, int n_threads, int widest=LANES):
    """Expected features of every item, one row each.

    Parameters
    ----------
    items, weights, means, variances, n_threads, widest
        As in :func:`log_likelihood`.
    out : ndarray of shape (n_items, 2 * n_components * (1 + n_columns)), float32  # OUT
        With z the indicator of the component: z, z x (component, column), z x^2, and z times the
        logarithm of the item's share, which counts as 1e-300 where it is less. Rows may lie
        apart.

    Returns
    -------
    ndarray of shape (n_items,)
        The log-likelihoods.

    Raises
    ------
    ValueError
        If shapes disagree, a weight is negative or a variance not above 0.
    """
    cdef _Call call = _Call(items, weights, means, variances, widest, n_threads)
    _check_rows(out, call.n_items, 2 * call.gmm.n_components * (1 + call.gmm.n_columns))
    scores = np.zeros(call.n_items)
    cdef float[:, :] rows = out
    cdef double[::1] score_view = scores
    cdef Outputs outputs = Outputs(NULL, NULL, NULL, NULL, 0)
    if call.n_items:
        outputs.log_likelihood = &score_view[0]
        outputs.expected = &rows[0, 0]
        outputs.stride = rows.strides[0] // <int64_t> sizeof(float)
        call.run(&outputs, n_threads)
    return scores


def enumerated_features(items, weights, means, variances, out, int n_threads, int widest=LANES):
    """Features of every item with every component as its hidden variable.

    Parameters
    ----------
    items, weights, means, variances, n_threads, widest
        As in :func:`log_likelihood`.
    out : ndarray of shape (n_items * n_components, n_features), float32  # OUT
        Row ``item * n_components + component``. Columns as in :func:`expected_features`.

    Returns
    -------
    ndarray of shape (n_items, n_components)
        The rows' probabilities: the shares.

    Raises
    ------
    ValueError
        If shapes disagree, a weight is negative or a variance not above 0.
    """
    cdef _Call call = _Call(items, weights, means, variances, widest, n_threads)
    n_components = call.gmm.n_components
    _check_rows(out, call.n_items * n_components, 2 * n_components * (1 + call.gmm.n_columns))
    scores = np.zeros(call.n_items)
    shares = np.zeros((call.n_items, n_components))
    cdef float[:, :] rows = out
    cdef double[::1] score_view = scores
    cdef double[:, ::1] share_view = shares
    cdef Outputs outputs = Outputs(NULL, NULL, NULL, NULL, 0)
    if call.n_items:
        outputs.log_likelihood = &score_view[0]
        outputs.shares = &share_view[0, 0]
        outputs.enumerated = &rows[0, 0]
        outputs.stride = rows.strides[0] // <int64_t> sizeof(float)
        call.run(&outputs, n_threads)
    return shares


def drawn_features(items, weights, means, variances, keys, int n_draws, out, int n_threads,
                   int widest=LANES):
    """Features of components drawn from P(component | item).

    Parameters
    ----------
    items, weights, means, variances, n_threads, widest
        As in :func:`log_likelihood`.
    keys : ndarray of shape (n_items,), dtype uint64  # IN
        The random stream of every item.
    n_draws : int
    out : ndarray of shape (n_items * n_draws, n_features), float32  # OUT
        The draws of an item follow each other. Columns as in :func:`expected_features`; the
        logarithm is that of the exact share.

    Raises
    ------
    ValueError
        If shapes disagree, a weight is negative or a variance not above 0.
    """
    cdef _Call call = _Call(items, weights, means, variances, widest, n_threads)
    _check_rows(out, call.n_items * n_draws,
                2 * call.gmm.n_components * (1 + call.gmm.n_columns))
    cdef const uint64_t[::1] key_view = keys
    if key_view.shape[0] != call.n_items:
        raise ValueError("keys must have one value for each item")
    cdef float[:, :] rows = out
    cdef const sfm_gmm *gmm = &call.gmm
    cdef const double *item_rows = call.items
    cdef int64_t first, n_items = call.n_items
    cdef int64_t stride = rows.strides[0] // <int64_t> sizeof(float)
    cdef int failed = 0
    if n_items == 0 or n_draws == 0:
        return
    for first in prange(0, n_items, 64, nogil=True, schedule="dynamic", chunksize=1,
                        num_threads=n_threads):
        failed += draw_block(gmm, item_rows, first, min(first + 64, n_items), &key_view[0],
                             n_draws, &rows[0, 0], stride)
    if failed:
        raise MemoryError("no memory for the draws")
