"""Keys of random streams: one stream for each item, purpose and iteration.

The generator itself is xoshiro256++ in ``simd/random.h``; a key selects its stream.
"""

import numpy as np

from libc.stdint cimport int64_t, uint8_t, uint64_t

cdef uint64_t GOLDEN = 0x9E3779B97F4A7C15


cdef uint64_t join(uint64_t key, uint64_t word) noexcept nogil:
    # The key is turned so that the two don't change places: (1, 2) is not (2, 1).
    return sfm_mix64((((key << 23) | (key >> 41)) ^ sfm_mix64(word + GOLDEN)) + GOLDEN)


def stream_keys(uint64_t seed, uint64_t purpose, const uint64_t[::1] identities):
    """Keys of the streams of the given items.

    Parameters
    ----------
    seed : int
    purpose : int
        Tells apart what the numbers are for: an iteration, the training or the prediction.
    identities : ndarray of shape (n_items,), dtype uint64  # IN
        What an item is known by: its index, or its content (see :func:`content_keys`).

    Returns
    -------
    ndarray of shape (n_items,), dtype uint64
    """
    result = np.empty(identities.shape[0], dtype=np.uint64)
    cdef uint64_t[::1] keys = result
    cdef uint64_t common = join(sfm_mix64(seed + GOLDEN), purpose)
    cdef Py_ssize_t i
    for i in range(identities.shape[0]):
        keys[i] = join(common, identities[i])
    return result


def content_keys(values, const int64_t[::1] offsets):
    """A 64-bit digest of every item of a ragged batch, for streams that follow the content.

    Parameters
    ----------
    values : ndarray of shape (n_codes,), dtype uint8 or uint16  # IN
    offsets : ndarray of shape (n_items + 1,), dtype int64  # IN

    Returns
    -------
    ndarray of shape (n_items,), dtype uint64
        Equal items of equal dtype have equal keys, wherever they stand.

    Raises
    ------
    ValueError
        If the offsets are not those of a batch of `values`.
    """
    cdef Py_ssize_t n_items = offsets.shape[0] - 1
    cdef int width = 1
    bounds = np.asarray(offsets)
    if n_items < 0 or bounds[0] < 0 or bounds[n_items] > len(values) or (np.diff(bounds) < 0).any():
        raise ValueError("offsets must rise from 0 to the number of values")
    if getattr(values, "dtype", None) == np.uint16:
        width = 2
        values = values.view(np.uint8)
    cdef const uint8_t[::1] codes = values
    result = np.empty(n_items, dtype=np.uint64)
    cdef uint64_t[::1] keys = result
    cdef uint64_t key, word
    cdef int64_t position, start, end
    cdef Py_ssize_t i
    cdef int byte
    for i in range(n_items):
        start, end = width * offsets[i], width * offsets[i + 1]
        key = sfm_mix64(<uint64_t> (end - start) + GOLDEN)
        position = start
        while position < end:
            word = 0
            for byte in range(8):
                if position + byte < end:
                    word |= <uint64_t> codes[position + byte] << (8 * byte)
            key = join(key, word)
            position += 8
        keys[i] = key
    return result


def uniforms(const uint64_t[::1] keys, Py_ssize_t count):
    """First `count` uniform numbers in [0, 1) of every stream.

    Parameters
    ----------
    keys : ndarray of shape (n_items,), dtype uint64  # IN
    count : int

    Returns
    -------
    ndarray of shape (n_items, count), dtype float64
    """
    if count < 0:
        raise ValueError(f"count must not be negative, got {count}")
    result = np.empty((keys.shape[0], count))
    cdef double[:, ::1] out = result
    cdef sfm_rng rng
    cdef Py_ssize_t i, k
    for i in range(keys.shape[0]):
        sfm_rng_seed(&rng, keys[i])
        for k in range(count):
            out[i, k] = sfm_rng_uniform(&rng)
    return result
