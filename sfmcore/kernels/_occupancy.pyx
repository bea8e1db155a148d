"""What sums of a hidden Markov model's expected statistics owe to each symbol."""

import numpy as np

from cython.parallel cimport prange
from libc.stdint cimport int64_t, uint8_t
from libc.stdlib cimport free

from sfmcore.kernels._native cimport sfm_alloc


def by_symbol(const uint8_t[::1] values, const int64_t[::1] offsets, start, transition, emission,
              const double[:, ::1] starts, const double[:, ::1] steps,
              const double[:, ::1] symbols, double[::1] out, int n_threads):
    """Add to every symbol its part of a weighted sum of the item's expected statistics.

    A symbol has what its states count for in giving it, the first also what they count for as
    starts, and half of what the steps to it and from it do.

    Parameters
    ----------
    values : ndarray of shape (n_codes,), dtype uint8  # IN
    offsets : ndarray of shape (n_items + 1,), dtype int64  # IN
    start : ndarray of shape (n_states,)  # IN
    transition : ndarray of shape (n_states, n_states)  # IN
    emission : ndarray of shape (n_states, n_symbols)  # IN
    starts : ndarray of shape (n_items, n_states)  # IN
        Weight of each start, in every item's sum.
    steps : ndarray of shape (n_items, n_states**2)  # IN
        Of each transition (from, to).
    symbols : ndarray of shape (n_items, n_states * n_symbols)  # IN
        Of each emission (state, symbol).
    out : ndarray of shape (n_codes,)  # INOUT
    n_threads : int

    Raises
    ------
    ValueError
        If shapes disagree, or a code is not a symbol.
    MemoryError
    """
    cdef const double[::1] start_view = np.ascontiguousarray(start, dtype=np.float64)
    cdef const double[:, ::1] transition_view = np.ascontiguousarray(transition, dtype=np.float64)
    cdef const double[:, ::1] incoming = np.ascontiguousarray(np.transpose(transition),
                                                              dtype=np.float64)
    cdef const double[:, ::1] by_code = np.ascontiguousarray(np.transpose(emission),
                                                             dtype=np.float64)
    cdef int64_t n_items = offsets.shape[0] - 1, S = start_view.shape[0], V = by_code.shape[0]
    cdef int64_t item, n
    cdef sfm_chain chain
    cdef double *memory
    cdef int failed = 0
    if n_threads < 1:
        raise ValueError(f"n_threads must be at least 1, got {n_threads}")
    if S == 0 or transition_view.shape[0] != S or transition_view.shape[1] != S \
            or by_code.shape[1] != S:
        raise ValueError("start, transition and emission disagree on the number of states")
    if not (starts.shape[0] == steps.shape[0] == symbols.shape[0] == n_items):
        raise ValueError("weights must have a row for each item")
    if starts.shape[1] != S or steps.shape[1] != S * S or symbols.shape[1] != S * V:
        raise ValueError("weights must have a column for each statistic")
    lengths = np.diff(offsets)
    if offsets[0] != 0 or offsets[n_items] != values.shape[0] or np.any(lengths < 0):
        raise ValueError("offsets must rise from 0 to the number of values")
    if out.shape[0] != values.shape[0]:
        raise ValueError("out must have one value for each code")
    if values.shape[0] == 0:
        return
    if np.max(values) >= V:
        raise ValueError(f"a code is {np.max(values)}, the model has {V} symbols")
    chain.n_states, chain.n_symbols = S, V
    chain.start, chain.transition = &start_view[0], &transition_view[0, 0]
    chain.incoming, chain.emission = &incoming[0, 0], &by_code[0, 0]
    for item in prange(n_items, nogil=True, schedule="dynamic", chunksize=1,
                       num_threads=n_threads):
        n = offsets[item + 1] - offsets[item]
        if n > 0:
            memory = <double *> sfm_alloc((S * (2 * n + S + 2) + n) * sizeof(double))
            if memory == NULL:
                failed += 1
            else:
                one_item(&chain, &starts[item, 0], &steps[item, 0], &symbols[item, 0],
                         &values[offsets[item]], n, memory, &out[offsets[item]])
                free(memory)
    if failed:
        raise MemoryError("no memory for forward-backward")


cdef void one_item(const sfm_chain *chain, const double *starts, const double *steps,
                   const double *symbols, const uint8_t *codes, int64_t n, double *memory,
                   double *out) noexcept nogil:
    cdef sfm_worth worth
    worth.start, worth.step, worth.symbol = starts, steps, symbols
    sfm_occupancy(chain, &worth, codes, n, memory, out)
