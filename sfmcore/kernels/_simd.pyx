"""The width of the vectors that all kernels of this process work with."""

from sfmcore.kernels._native cimport sfm_widest

cdef int width = sfm_widest()


def limit_width(int bits):
    """Let the kernels use vectors of at most so many bits.

    It is for tests and timings: 512 and 256 give the same bits, 128 may differ from them in the
    last digits where the processor fuses multiplication and addition.

    Parameters
    ----------
    bits : {128, 256, 512}
        At most; what the processor lacks is not used.

    Returns
    -------
    int
        The width until now, which takes the limit back.

    Raises
    ------
    ValueError
        If it is another number.
    """
    global width
    if bits not in (128, 256, 512):
        raise ValueError(f"bits must be 128, 256 or 512, got {bits}")
    before = width
    width = min(bits, sfm_widest())
    return before
