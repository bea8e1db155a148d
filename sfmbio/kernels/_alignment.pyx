"""Local alignments with targets that have a score of every symbol at every position.

Results are whole numbers, and the same for any width of vectors and any number of threads.
"""

import numpy as np

from cython.parallel cimport prange
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

from sfmcore.kernels cimport _simd
from sfmcore.kernels._native cimport sfm_follow

sfm_follow(&_simd.width)

# Blocks of work for each thread: the last one to end leaves the others idle for one in as many.
cdef int64_t _BLOCKS = 4
# Queries that use the same memory one after another: fresh pages of it take time.
cdef int64_t _QUERIES = 16


cdef _check_offsets(str name, const int64_t[::1] offsets, int64_t n_values):
    cdef int64_t k, n = offsets.shape[0]
    if n == 0 or offsets[0] != 0 or offsets[n - 1] != n_values:
        raise ValueError(f"{name} must lead from 0 to the end")
    for k in range(n - 1):
        if offsets[k] > offsets[k + 1]:
            raise ValueError(f"{name} must not fall")


cdef sfm_targets _checked(const uint8_t[::1] values, const int64_t[::1] offsets,
                          const int8_t[:, ::1] targets, const int64_t[::1] target_offsets,
                          int gap_open, int gap_extend, int n_threads) except *:
    cdef sfm_targets made
    cdef int64_t n_positions = targets.shape[0], n_symbols = targets.shape[1], k
    cdef int lowest = 0, highest = 0
    cdef uint8_t largest = 0
    cdef const int8_t *score
    if n_threads < 1:
        raise ValueError(f"n_threads must be at least 1, got {n_threads}")
    if not 1 <= gap_extend <= gap_open <= 63:
        raise ValueError("gap_extend must be from 1 to gap_open, and that at most 63, got "
                         f"{gap_extend} and {gap_open}")
    if not 1 <= n_symbols <= SFM_GAP:
        raise ValueError(f"targets must have 1 to {SFM_GAP} symbols, got {n_symbols}")
    _check_offsets("offsets", offsets, values.shape[0])
    _check_offsets("target_offsets", target_offsets, n_positions)
    for k in range(values.shape[0]):
        largest = max(largest, values[k])
    if values.shape[0] and largest >= n_symbols:
        raise ValueError(f"codes must be below {n_symbols}, got {largest}")
    score = &targets[0, 0] if n_positions else NULL
    sfm_range(score, n_positions * n_symbols, &lowest, &highest)
    if lowest < -64 or highest > 63:
        raise ValueError("scores must be from -64 to 63, got "
                         f"{lowest if lowest < -64 else highest}")
    made.scores, made.offsets = score, &target_offsets[0]
    made.n_targets, made.n_symbols = target_offsets.shape[0] - 1, n_symbols
    made.open, made.extend = gap_open, gap_extend
    return made


cdef _in_bytes(sfm_targets *made, const uint8_t[::1] values, const int64_t[::1] offsets,
               const int64_t[::1] order, int32_t *out, uint8_t *along, int n_threads):
    """Go through all queries and all groups of targets, whose order is that of their lengths."""
    cdef sfm_queries queries
    cdef int64_t n_queries = offsets.shape[0] - 1
    cdef int64_t n_groups = (made.n_targets + SFM_ROW - 1) // SFM_ROW, n_blocks = 1
    cdef int64_t task, group, block, first, last
    cdef int failed = 0
    queries.values, queries.offsets = &values[0], &offsets[0]
    if n_threads > 1 and n_groups < _BLOCKS * n_threads:
        n_blocks = min(n_queries, (_BLOCKS * n_threads + n_groups - 1) // n_groups)
    for task in prange(n_groups * n_blocks, nogil=True, schedule="dynamic", chunksize=1,
                       num_threads=n_threads):
        # The longest come first, so that the threads end together. The shortest ones are in the
        # group that is not full.
        group, block = task // n_blocks, task % n_blocks
        last = made.n_targets - group * SFM_ROW
        first = max(<int64_t> 0, last - SFM_ROW)
        if not sfm_scores_in_bytes(made, &order[first], <int> (last - first), &queries,
                                   n_queries * block // n_blocks,
                                   n_queries * (block + 1) // n_blocks, out, along):
            failed += 1
    if failed:
        raise MemoryError("no memory for the scores of alignments")


def scores(const uint8_t[::1] values, const int64_t[::1] offsets, const int8_t[:, ::1] targets,
           const int64_t[::1] target_offsets, int gap_open, int gap_extend, int32_t[:, ::1] out,
           int n_threads):
    """Score of the best local alignment of every query with every target.

    Parameters
    ----------
    values : ndarray of shape (n_codes,), dtype uint8  # IN
        Queries one after another; below `n_symbols`.
    offsets : ndarray of shape (n_queries + 1,), dtype int64  # IN
    targets : ndarray of shape (n_positions, n_symbols), dtype int8  # IN
        Score of every symbol at every position, -64 to 63. A sequence is a target too: its
        positions are rows of a substitution matrix.
    target_offsets : ndarray of shape (n_targets + 1,), dtype int64  # IN
    gap_open : int
        Price of a gap's first residue, at most 63.
    gap_extend : int
        Price of each further one, from 1 to `gap_open`.
    out : ndarray of shape (n_queries, n_targets), dtype int32  # OUT
        0 where no symbol has a positive score, and for what is empty.
    n_threads : int

    Raises
    ------
    ValueError
        If shapes disagree or numbers are out of range.
    MemoryError
    """
    cdef sfm_targets made = _checked(values, offsets, targets, target_offsets, gap_open,
                                     gap_extend, n_threads)
    cdef int64_t n_queries = offsets.shape[0] - 1, query
    cdef const int64_t[::1] order
    cdef int failed = 0
    if out.shape[0] != n_queries or out.shape[1] != made.n_targets:
        raise ValueError("out must have a row for each query and a column for each target")
    if n_queries == 0 or made.n_targets == 0:
        return
    if values.shape[0] == 0:
        out[:, :] = 0
        return
    order = np.argsort(np.diff(target_offsets), kind="stable").astype(np.int64)
    if made.n_targets <= SFM_FEW_TARGETS:
        for query in prange(n_queries, nogil=True, schedule="dynamic", chunksize=1,
                            num_threads=n_threads):
            if not sfm_scores_across(&made, &order[0], <int> made.n_targets,
                                     &values[0] + offsets[query],
                                     offsets[query + 1] - offsets[query], 0, &out[query, 0]):
                failed += 1
        if failed:
            raise MemoryError("no memory for the scores of alignments")
        return
    _in_bytes(&made, values, offsets, order, &out[0, 0], NULL, n_threads)
    # Those of one query are done again together, whatever groups they are in.
    for query in prange(n_queries, nogil=True, schedule="dynamic", chunksize=1,
                        num_threads=n_threads):
        if not sfm_scores_again(&made, &order[0], made.n_targets, &values[0] + offsets[query],
                                offsets[query + 1] - offsets[query], &out[query, 0]):
            failed += 1
    if failed:
        raise MemoryError("no memory for the scores of alignments")


def diagonals(const uint8_t[::1] values, const int64_t[::1] offsets,
              const int8_t[:, ::1] targets, const int64_t[::1] target_offsets,
              uint8_t[:, ::1] out, int n_threads):
    """Score of the best alignment without gaps that ends at an even number of symbols.

    It takes a fifth of the time of :func:`scores`, and tells which targets may be worth that.

    Parameters
    ----------
    values, offsets, targets, target_offsets
        As of :func:`scores`.
    out : ndarray of shape (n_queries, n_targets), dtype uint8  # OUT
        Of every query with every target; 255 where it is that or more. An alignment ends at the
        query's second symbol, or its fourth, and so on.
    n_threads : int

    Raises
    ------
    ValueError
        If shapes disagree or numbers are out of range.
    MemoryError
    """
    cdef sfm_targets made = _checked(values, offsets, targets, target_offsets, 1, 1, n_threads)
    cdef int64_t n_queries = offsets.shape[0] - 1
    if out.shape[0] != n_queries or out.shape[1] != made.n_targets:
        raise ValueError("out must have a row for each query and a column for each target")
    if n_queries == 0 or made.n_targets == 0:
        return
    if values.shape[0] == 0:
        out[:, :] = 0
        return
    order = np.argsort(np.diff(target_offsets), kind="stable").astype(np.int64)
    _in_bytes(&made, values, offsets, order, NULL, &out[0, 0], n_threads)


def scores_of_hits(const uint8_t[::1] values, const int64_t[::1] offsets,
                   const int8_t[:, ::1] targets, const int64_t[::1] target_offsets,
                   const int64_t[:, ::1] hits, int gap_open, int gap_extend,
                   int32_t[:, ::1] out, int n_threads):
    """Scores of :func:`scores` of every query with some of the targets.

    Parameters
    ----------
    values, offsets, targets, target_offsets, gap_open, gap_extend
        As of :func:`scores`.
    hits : ndarray of shape (n_queries, n_hits), dtype int64  # IN
        Numbers of the targets of each query, none of them twice.
    out : ndarray of shape (n_queries, n_hits), dtype int32  # OUT
    n_threads : int

    Raises
    ------
    ValueError
        If shapes disagree or numbers are out of range.
    MemoryError
    """
    cdef sfm_targets made = _checked(values, offsets, targets, target_offsets, gap_open,
                                     gap_extend, n_threads)
    cdef sfm_queries queries
    cdef int64_t n_queries = offsets.shape[0] - 1, n_hits = hits.shape[1], query, k
    cdef int64_t n_blocks
    cdef const int64_t[:, ::1] by_length, places
    cdef int failed = 0
    if hits.shape[0] != n_queries or out.shape[0] != n_queries or out.shape[1] != n_hits:
        raise ValueError("hits and out must have a row for each query, and the same columns")
    for query in range(n_queries):
        for k in range(n_hits):
            if not 0 <= hits[query, k] < made.n_targets:
                raise ValueError(f"query {query} has no target {hits[query, k]}")
    if n_queries == 0 or n_hits == 0:
        return
    if values.shape[0] == 0:
        out[:, :] = 0
        return
    numbers = np.asarray(hits)
    order = np.argsort(np.diff(target_offsets)[numbers], axis=1, kind="stable")
    places = order.astype(np.int64)
    by_length = np.take_along_axis(numbers, order, axis=1)
    queries.values, queries.offsets = &values[0], &offsets[0]
    n_blocks = (n_queries + _QUERIES - 1) // _QUERIES
    for k in prange(n_blocks, nogil=True, schedule="dynamic", chunksize=1, num_threads=n_threads):
        if not sfm_scores_of_hits(&made, &by_length[0, 0], &places[0, 0], n_hits, &queries,
                                  k * _QUERIES, min(n_queries, (k + 1) * _QUERIES), &out[0, 0]):
            failed += 1
    if failed:
        raise MemoryError("no memory for the scores of alignments")


def align(const uint8_t[::1] values, const int64_t[::1] offsets, const int8_t[:, ::1] targets,
          const int64_t[::1] target_offsets, const int64_t[::1] queries, const int64_t[::1] hits,
          int gap_open, int gap_extend, uint8_t[::1] out, const int64_t[::1] out_offsets,
          int32_t[::1] scores, int n_threads, int64_t[:, ::1] spans=None,
          int64_t[::1] places=None):
    """Best local alignment of pairs of a query and a target, as the symbols at its positions.

    Of alignments with one score there is one choice. It ends at the first position of the target
    that any of them ends at, and there at the query's first symbol. From there backwards a pair
    of symbol and position is taken before a gap, a gap that passes over positions of the target
    before one that passes over symbols of the query, and a longer gap before a shorter one.

    Parameters
    ----------
    values, offsets, targets, target_offsets, gap_open, gap_extend
        As of :func:`scores`.
    queries, hits : ndarray of shape (n_pairs,), dtype int64  # IN
        Numbers of each pair's query and target.
    out : ndarray of dtype uint8  # OUT
        For each pair a byte for each position of its target: the query's symbol there, 254 where
        the alignment has a gap, 255 outside of it. Symbols between two positions are left out.
    out_offsets : ndarray of shape (n_pairs + 1,), dtype int64  # IN
        Where the bytes of each pair begin.
    scores : ndarray of shape (n_pairs,), dtype int32  # OUT
    n_threads : int
        Each takes a byte for every symbol and position of its pair, or of 32 pairs of one query
        if that is at most 64 MiB.
    spans : ndarray of shape (n_pairs, 2), dtype int64, optional  # OUT
        The first symbol of each pair's query in the alignment, and the one after the last; two
        zeros where there is no alignment. The bytes in `out` do not tell: they leave symbols out.
    places : ndarray of dtype int64, optional  # OUT
        As many as `out` has bytes: the number of the query's symbol at each position that has one.
        Others keep what they hold.

    Raises
    ------
    ValueError
        If shapes disagree or numbers are out of range.
    MemoryError
    """
    cdef sfm_targets made = _checked(values, offsets, targets, target_offsets, gap_open,
                                     gap_extend, n_threads)
    cdef int64_t n_pairs = queries.shape[0], n_queries = offsets.shape[0] - 1, k, query, hit
    cdef int64_t n_tasks = 0
    cdef const int64_t[::1] order
    cdef int64_t[::1] firsts
    cdef const uint8_t *codes = &values[0] if values.shape[0] else NULL
    cdef uint8_t *bytes_out = &out[0] if out.shape[0] else NULL
    cdef int64_t *places_out = NULL
    cdef int failed = 0
    if not (hits.shape[0] == scores.shape[0] == out_offsets.shape[0] - 1 == n_pairs):
        raise ValueError("queries, hits and scores must have one value for each pair, out_offsets "
                         "one more")
    _check_offsets("out_offsets", out_offsets, out.shape[0])
    if spans is None:
        spans = np.empty((n_pairs, 2), dtype=np.int64)
    if spans.shape[0] != n_pairs or spans.shape[1] != 2:
        raise ValueError("spans must have two values for each pair")
    if places is not None:
        if places.shape[0] != out.shape[0]:
            raise ValueError("places must be as many as there are bytes in out")
        if out.shape[0]:
            places_out = &places[0]
    for k in range(n_pairs):
        query, hit = queries[k], hits[k]
        if not (0 <= query < n_queries and 0 <= hit < made.n_targets):
            raise ValueError(f"pair {k} has no query {query} or no target {hit}")
        if out_offsets[k + 1] - out_offsets[k] != target_offsets[hit + 1] - target_offsets[hit]:
            raise ValueError(f"out must have a byte for each position of the target of pair {k}")
    if n_pairs == 0:
        return
    # Pairs of one query go side by side, those of targets of like length.
    lengths = np.diff(target_offsets)[np.asarray(hits)]
    order = np.lexsort((lengths, np.asarray(queries))).astype(np.int64)
    firsts = np.empty(n_pairs + 1, dtype=np.int64)
    for k in range(n_pairs):
        if (k == 0 or queries[order[k]] != queries[order[k - 1]]
                or k - firsts[n_tasks - 1] == SFM_ROW // 2):
            firsts[n_tasks] = k
            n_tasks += 1
    firsts[n_tasks] = n_pairs
    for k in prange(n_tasks, nogil=True, schedule="dynamic", chunksize=1, num_threads=n_threads):
        query = queries[order[firsts[k]]]
        if not sfm_align_pairs(&made, &order[firsts[k]], <int> (firsts[k + 1] - firsts[k]),
                               &hits[0], codes + offsets[query],
                               offsets[query + 1] - offsets[query], bytes_out, &out_offsets[0],
                               &scores[0], &spans[0, 0], places_out):
            failed += 1
    if failed:
        raise MemoryError("no memory for the way back through an alignment")


def profile(const uint8_t[::1] values, const int64_t[::1] offsets, const uint8_t[::1] aligned,
            const int64_t[::1] aligned_offsets, const int64_t[::1] members,
            const int8_t[:, ::1] base, const double[:, ::1] conditional,
            const double[::1] background, double scale, double beta, double near, int64_t window,
            int limit, int8_t[:, ::1] out, int n_threads):
    """Scores of the residues at the positions of sequences, from what is aligned with them.

    A residue's share at a position is that of the sequences that have it, each with its
    position-based weight, mixed with pseudocounts: what is expected in the place of the residues
    there. The sequences' own shares weigh as much as the mean number of kinds of residues in a
    window, less 1. A score is the logarithm of the share over the background, over `scale`.

    Parameters
    ----------
    values : ndarray of shape (n_positions,), dtype uint8  # IN
        The sequences themselves, which count among those aligned with them.
    offsets : ndarray of shape (n_targets + 1,), dtype int64  # IN
    aligned : ndarray of dtype uint8  # IN
        What is aligned, as :func:`align` gives it.
    aligned_offsets : ndarray of shape (n_pairs + 1,), dtype int64  # IN
    members : ndarray of shape (n_targets + 1,), dtype int64  # IN
        Where the pairs of each target begin.
    base : ndarray of shape (n_positions, n_symbols), dtype int8  # IN
        Scores where nothing is known: of symbols that are no residues, at positions without any
        residue, and of targets that nothing is aligned with.
    conditional : ndarray of shape (n_residues, n_residues)  # IN
        Row a has the probabilities of residues in the place of a.
    background : ndarray of shape (n_residues,)  # IN
        Above 0. Codes from `n_residues` on are no residues.
    scale : float
        Above 0.
    beta : float
        Weight of the pseudocounts, above 0.
    near : float
        A sequence with at least this share of its residues equal to the target's is left out.
    window : int
        Odd. Beyond the ends the last positions are repeated.
    limit : int
        Largest size of a score, 1 to 63.
    out : ndarray of shape (n_positions, n_symbols), dtype int8  # OUT
    n_threads : int

    Raises
    ------
    ValueError
        If shapes disagree or numbers are out of range.
    MemoryError
    """
    cdef sfm_profiling how
    cdef int64_t n_targets = offsets.shape[0] - 1, n_positions = values.shape[0]
    cdef int64_t n_pairs = aligned_offsets.shape[0] - 1, target, pair, length
    cdef int64_t n_residues = background.shape[0], n_symbols = base.shape[1]
    cdef const uint8_t *pairs = &aligned[0] if aligned.shape[0] else NULL
    cdef int failed = 0
    if n_threads < 1:
        raise ValueError(f"n_threads must be at least 1, got {n_threads}")
    _check_offsets("offsets", offsets, n_positions)
    _check_offsets("aligned_offsets", aligned_offsets, aligned.shape[0])
    _check_offsets("members", members, n_pairs)
    if members.shape[0] != n_targets + 1:
        raise ValueError("members must have one value more than there are targets")
    if base.shape[0] != n_positions or out.shape[0] != n_positions or out.shape[1] != n_symbols:
        raise ValueError("base and out must have a row for each position, and the same columns")
    if not 1 <= n_residues <= n_symbols:
        raise ValueError("background must have 1 to n_symbols values")
    if conditional.shape[0] != n_residues or conditional.shape[1] != n_residues:
        raise ValueError("conditional must have a row and a column for each residue")
    if not (scale > 0.0 and beta > 0.0 and min(background) > 0.0):
        raise ValueError("scale, beta and background must be above 0")
    if window < 1 or window % 2 == 0 or not 1 <= limit <= 63:
        raise ValueError(f"window must be odd and limit from 1 to 63, got {window} and {limit}")
    for target in range(n_targets):
        length = offsets[target + 1] - offsets[target]
        for pair in range(members[target], members[target + 1]):
            if aligned_offsets[pair + 1] - aligned_offsets[pair] != length:
                raise ValueError(f"pair {pair} must have a byte for each position of its target")
    if n_positions == 0:
        return
    how.n_residues, how.n_symbols = n_residues, n_symbols
    how.conditional, how.background = &conditional[0, 0], &background[0]
    how.scale, how.beta, how.near = scale, beta, near
    how.window, how.limit = window, limit
    for target in prange(n_targets, nogil=True, schedule="dynamic", chunksize=1,
                         num_threads=n_threads):
        if not sfm_profile(&how, &values[0] + offsets[target],
                           offsets[target + 1] - offsets[target],
                           pairs + aligned_offsets[members[target]],
                           members[target + 1] - members[target],
                           &base[0, 0] + offsets[target] * n_symbols,
                           &out[0, 0] + offsets[target] * n_symbols):
            failed += 1
    if failed:
        raise MemoryError("no memory for the shares of residues")
