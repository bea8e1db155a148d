"""Square roots of the shares of spaced words, projected to a few columns."""

from cython.parallel cimport prange
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free
from libc.string cimport memset

from sfmcore.kernels cimport _simd
from sfmcore.kernels._native cimport sfm_alloc, sfm_follow

sfm_follow(&_simd.width)


def project(const uint8_t[::1] values, const int64_t[::1] offsets, const int32_t[::1] places,
            const uint8_t[::1] groups, int64_t n_groups, float weight, const float[:, ::1] rows,
            float[:, ::1] out, int n_threads):
    """Add weight * sqrt(share) * row of every word of one pattern to each item's columns.

    Parameters
    ----------
    values : ndarray of shape (n_codes,), dtype uint8  # IN
        Below ``len(groups)``.
    offsets : ndarray of shape (n_items + 1,), dtype int64  # IN
    places : ndarray of shape (n_places,), dtype int32  # IN
        Where a word's symbols stand, rising from 0.
    groups : ndarray of shape (n_symbols,), dtype uint8  # IN
        Group of every symbol, below `n_groups`.
    n_groups : int
    weight : float
    rows : ndarray of shape (n_groups ** n_places, rank), dtype float32  # IN
    out : ndarray of shape (n_items, rank), dtype float32  # INOUT
    n_threads : int

    Raises
    ------
    ValueError
        If shapes disagree.
    MemoryError
    """
    cdef int64_t n_items = offsets.shape[0] - 1, rank = rows.shape[1], longest = 0
    cdef int64_t item, first, last, chunk, n_words = 1
    cdef int64_t n_chunks = min(<int64_t> n_threads, n_items)
    cdef int32_t *counts
    cdef int32_t *touched
    cdef int failed = 0
    cdef sfm_pattern pattern
    if n_threads < 1:
        raise ValueError(f"n_threads must be at least 1, got {n_threads}")
    for _ in range(places.shape[0]):
        n_words *= n_groups
    if rows.shape[0] != n_words or out.shape[0] != n_items or out.shape[1] != rank:
        raise ValueError("rows must have one row for each word, out one for each item")
    if places.shape[0] == 0 or places[0] != 0:
        raise ValueError("places must rise from 0")
    if n_items == 0 or rank == 0:
        return
    pattern.n_places, pattern.places = places.shape[0], &places[0]
    pattern.groups, pattern.n_groups = &groups[0], n_groups
    pattern.weight, pattern.rows = weight, &rows[0, 0]
    for item in range(n_items):
        longest = max(longest, offsets[item + 1] - offsets[item])
    if longest == 0:
        return
    # A chunk of items for each thread, with scratch of its own; an item depends on nothing else.
    for chunk in prange(n_chunks, nogil=True, schedule="static", num_threads=n_threads):
        counts = <int32_t *> sfm_alloc((n_words + longest) * sizeof(int32_t))
        if counts == NULL:
            failed = 1
        else:
            memset(counts, 0, n_words * sizeof(int32_t))
            touched = counts + n_words
            first, last = n_items * chunk // n_chunks, n_items * (chunk + 1) // n_chunks
            for item in range(first, last):
                sfm_pattern_project(&pattern, &values[0] + offsets[item],
                                    offsets[item + 1] - offsets[item], rank, counts, touched,
                                    &out[item, 0])
            free(counts)
    if failed:
        raise MemoryError("no memory for the counts of words")
