"""Compiled kernels: arrays in, arrays out.

A kernel does the arithmetic of one model or one step, and nothing else. It takes NumPy arrays and
numbers, checks that they fit together, and fills or returns arrays. It has no defaults and no
policy: which value a parameter takes, how data are cut up by meaning, and what a result is for are
decided by the Python modules that call it. Results have the same bits for any number of threads,
since work is cut into chunks by the data alone and sums are added chunk by chunk.

How a kernel is built, from the outside to the inside, with the HMM as the example::

    sfmcore/models/hmm.py     the estimator, which calls
    _hmm.pyx                  functions for Python: checks, memory, chunks shared out to threads
    _hmm.pxd                  the header's structs and functions, declared once for Cython
    _hmm.pyi                  the functions' types
    hmm/hmm.h                 the algorithm in C: what it is, its structs, its memory
    hmm/hmm.width.h           the loops that take the time, compiled once for each vector width

``_native.pxd`` declares what all kernels share, ``_rows.pxd`` checks rows of features, and
``sfmvision.kernels`` and ``sfmbio.kernels`` are built in the same way upon the same headers.

Vectors
-------
``simd/`` is the only place that knows about processors:

==================  ===============================================================================
``base.h``          the eight lanes, aligned memory
``dispatch.h``      which widths are compiled; ``SFM_CALL`` takes the widest that is allowed
``simd.h``          the words of ``X.width.h`` files: types, loads (aligned or not by name), masks
``math.h``          exponential and logarithm, ``normal.h`` the normal distribution's tails
``random.h``        one random stream per item, alone or in lanes
``each_width.h``    includes a file once for each width
==================  ===============================================================================

A function in an ``X.width.h`` is compiled for vectors of 512, 256 and 128 bits, and the width that
the processor has is chosen at run time, so that one wheel is fast everywhere. A sum goes over eight
lanes in any width and adds the lanes in one order. So 512 and 256 bits give the same bits; 128 may
differ from them in the last digits, where the wider ones fuse multiplication and addition.
``_simd.limit_width`` sets the width for the whole process; only tests and timings have a reason to.

To add a kernel, copy the layout of ``_conditioning``, the smallest. Write the loop in
``x/x.width.h`` with ``SFM_ENTRY`` and ``SIZED``, name it without a width in ``x/x.h``, declare that
in ``_x.pxd``, and let ``_x.pyx`` follow the process's width by ``sfm_follow(&_simd.width)``. Then
give it a twin in ``tests/twins`` and a test that compares them in every width.
``tests/benchmarks/test_vector_versions.py`` finds the compiled functions by itself.
"""
