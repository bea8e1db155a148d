"""Gaussian mixture with diagonal covariances over rows of numbers, parallel over items.

The arithmetic stands in ``gmm/gmm.h``. Work is cut into chunks by the data alone, and sums over
items are added chunk by chunk, so that every result has the same bits for any number of threads.
"""

import numpy as np

from cython.parallel cimport prange
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset

from sfmcore.kernels cimport _simd
from sfmcore.kernels._native cimport SFM_LANES, sfm_follow
from sfmcore.kernels._rows cimport stride_of

sfm_follow(&_simd.width)

# Cells of the partial sums of one call, at most and roughly: 64 MB.
MAX_CELLS = 1 << 23


# What is wanted of every item; what is NULL is left out.
cdef struct Task:
    int64_t chunk           # items in a chunk, a multiple of the block
    double *log_likelihood
    double *shares          # [item][component]
    const double *weights
    double *totals          # [chunk][cell]: weighted sums of the expected statistics
    int64_t n_cells
    float *expected         # a row for each item
    float *enumerated       # a row for each component of each item
    float *drawn            # a row for each draw of each item
    int64_t stride          # from one row to the next
    const uint64_t *keys
    int n_draws


cdef int run_chunk(const sfm_gmm *gmm, const double *items, int64_t n_items, const Task *task,
                   int64_t chunk) noexcept nogil:
    """Do a chunk's part of the task; 1 if there is no memory for it."""
    cdef sfm_gmm_scratch scratch
    cdef double weights[SFM_GMM_BLOCK]
    cdef int64_t K = gmm.n_components, D = gmm.n_columns, item, k
    cdef int64_t first = chunk * task.chunk, end = min(first + task.chunk, n_items)
    cdef int n, i
    if not sfm_gmm_scratch_new(&scratch, gmm, task.n_draws):
        return 1
    while first < end:
        n = <int> min(<int64_t> SFM_GMM_BLOCK, end - first)
        sfm_gmm_posterior(gmm, items + first * D, n, &scratch)
        for i in range(n):
            item = first + i
            if task.log_likelihood != NULL:
                task.log_likelihood[item] = scratch.log_likelihood[i]
            if task.shares != NULL:
                for k in range(K):
                    task.shares[item * K + k] = scratch.share[k * SFM_GMM_BLOCK + i]
            if task.expected != NULL:
                sfm_gmm_write_expected(gmm, &scratch, i, items + item * D,
                                       task.expected + item * task.stride)
            if task.enumerated != NULL:
                for k in range(K):
                    sfm_gmm_write_choice(gmm, &scratch, i, k, items + item * D,
                                         task.enumerated + (item * K + k) * task.stride)
        if task.drawn != NULL:
            sfm_gmm_draw(gmm, items + first * D, n, task.keys + first, task.n_draws, &scratch,
                         task.drawn + first * task.n_draws * task.stride, task.stride)
        if task.totals != NULL:
            memset(weights, 0, sizeof(weights))
            memcpy(weights, task.weights + first, n * sizeof(double))
            sfm_gmm_add(gmm, items + first * D, n, weights, &scratch,
                        task.totals + chunk * task.n_cells)
        first += SFM_GMM_BLOCK
    sfm_gmm_scratch_free(&scratch)
    return 0


cdef class _Call:
    """The checked arguments of one call, kept alive while the kernel reads them."""

    cdef sfm_gmm gmm
    cdef const double *items
    cdef int64_t n_items
    cdef object kept

    def __init__(self, items, weights, means, variances, n_threads):
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
        n_vectors = -(-n_columns // SFM_LANES)
        filled = np.zeros((len(shares), n_vectors * SFM_LANES))
        filled[:, :n_columns] = centres
        by_vector = filled.reshape(len(shares), n_vectors, SFM_LANES).transpose(1, 0, 2)
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
        self.n_items = item_view.shape[0]
        self.items = &item_view[0, 0] if self.n_items else NULL

    cdef int run(self, const Task *task, int n_threads) except -1:
        """Do the task for all items."""
        cdef const sfm_gmm *gmm = &self.gmm
        cdef const double *items = self.items
        cdef int64_t chunk, n_items = self.n_items
        cdef int64_t n_chunks = (n_items + task.chunk - 1) // task.chunk
        cdef int failed = 0
        for chunk in prange(n_chunks, nogil=True, schedule="dynamic", chunksize=1,
                            num_threads=n_threads):
            failed += run_chunk(gmm, items, n_items, task, chunk)
        if failed:
            raise MemoryError("no memory for the posteriors")
        return 0


cdef Task task_of(int64_t chunk) noexcept:
    """A task for which nothing is wanted yet."""
    cdef Task task
    memset(&task, 0, sizeof(task))
    task.chunk = chunk
    return task


def log_likelihood(items, weights, means, variances, int n_threads):
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

    Returns
    -------
    ndarray of shape (n_items,)
        Natural logarithms; minus infinity where the squared distances overflow.

    Raises
    ------
    ValueError
        If shapes disagree, a weight is negative or a variance not above 0.
    """
    cdef _Call call = _Call(items, weights, means, variances, n_threads)
    scores = np.zeros(call.n_items)
    cdef double[::1] score_view = scores
    cdef Task task = task_of(SFM_GMM_BLOCK)
    if call.n_items:
        task.log_likelihood = &score_view[0]
        call.run(&task, n_threads)
    return scores


def posterior(items, weights, means, variances, int n_threads):
    """P(component | item), the shares of every item.

    Parameters
    ----------
    items, weights, means, variances, n_threads
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
    cdef _Call call = _Call(items, weights, means, variances, n_threads)
    shares = np.zeros((call.n_items, call.gmm.n_components))
    scores = np.zeros(call.n_items)
    cdef double[:, ::1] share_view = shares
    cdef double[::1] score_view = scores
    cdef Task task = task_of(SFM_GMM_BLOCK)
    if call.n_items:
        task.log_likelihood = &score_view[0]
        task.shares = &share_view[0, 0]
        call.run(&task, n_threads)
    return shares


def expected_statistics(items, weights, means, variances, sample_weight, int n_threads):
    """Weighted sum over items of the expected statistics: the E-step.

    Parameters
    ----------
    items, weights, means, variances, n_threads
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
    cdef _Call call = _Call(items, weights, means, variances, n_threads)
    cdef const double[::1] weight_view = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if weight_view.shape[0] != call.n_items:
        raise ValueError("sample_weight must have one value for each item")
    cdef int64_t n = call.n_items
    n_components, n_columns = call.gmm.n_components, call.gmm.n_columns
    n_vectors = call.gmm.n_vectors
    n_cells = n_components * (1 + 2 * SFM_LANES * n_vectors)
    # By the shapes alone: at most 256 partial sums, and fewer where they are large.
    most = min(256, max(16, MAX_CELLS // n_cells))
    cdef Task task = task_of(max(8, -(-n // (most * SFM_GMM_BLOCK))) * SFM_GMM_BLOCK)
    partial = np.zeros(((n + task.chunk - 1) // task.chunk, n_cells))
    scores = np.zeros(n)
    cdef double[:, ::1] sums = partial
    cdef double[::1] score_view = scores
    if n:
        task.log_likelihood, task.weights = &score_view[0], &weight_view[0]
        task.totals, task.n_cells = &sums[0, 0], n_cells
        call.run(&task, n_threads)
    # Along the first axis NumPy adds row by row, in order.
    total = partial.sum(0)
    moments = total[n_components:].reshape(2, n_vectors, n_components, SFM_LANES)
    moments = moments.transpose(0, 2, 1, 3).reshape(2, n_components, -1)[:, :, :n_columns]
    return np.concatenate([total[:n_components], moments.ravel()]), scores


def expected_features(items, weights, means, variances, out, int n_threads):
    """Expected features of every item, one row each.

    Parameters
    ----------
    items, weights, means, variances, n_threads
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
    cdef _Call call = _Call(items, weights, means, variances, n_threads)
    cdef Task task = task_of(SFM_GMM_BLOCK)
    task.stride = stride_of(out, call.n_items,
                            2 * call.gmm.n_components * (1 + call.gmm.n_columns))
    scores = np.zeros(call.n_items)
    cdef float[:, :] rows = out
    cdef double[::1] score_view = scores
    if call.n_items:
        task.log_likelihood = &score_view[0]
        task.expected = &rows[0, 0]
        call.run(&task, n_threads)
    return scores


def enumerated_features(items, weights, means, variances, out, int n_threads):
    """Features of every item with every component as its hidden variable.

    Parameters
    ----------
    items, weights, means, variances, n_threads
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
    cdef _Call call = _Call(items, weights, means, variances, n_threads)
    n_components = call.gmm.n_components
    cdef Task task = task_of(SFM_GMM_BLOCK)
    task.stride = stride_of(out, call.n_items * n_components,
                            2 * n_components * (1 + call.gmm.n_columns))
    scores = np.zeros(call.n_items)
    shares = np.zeros((call.n_items, n_components))
    cdef float[:, :] rows = out
    cdef double[::1] score_view = scores
    cdef double[:, ::1] share_view = shares
    if call.n_items:
        task.log_likelihood = &score_view[0]
        task.shares = &share_view[0, 0]
        task.enumerated = &rows[0, 0]
        call.run(&task, n_threads)
    return shares


def drawn_features(items, weights, means, variances, keys, int n_draws, out, int n_threads):
    """Features of components drawn from P(component | item).

    Parameters
    ----------
    items, weights, means, variances, n_threads
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
    cdef _Call call = _Call(items, weights, means, variances, n_threads)
    cdef Task task = task_of(SFM_GMM_BLOCK)
    task.stride = stride_of(out, call.n_items * n_draws,
                            2 * call.gmm.n_components * (1 + call.gmm.n_columns))
    cdef const uint64_t[::1] key_view = keys
    if key_view.shape[0] != call.n_items:
        raise ValueError("keys must have one value for each item")
    cdef float[:, :] rows = out
    if call.n_items and n_draws:
        task.keys, task.n_draws, task.drawn = &key_view[0], n_draws, &rows[0, 0]
        call.run(&task, n_threads)
