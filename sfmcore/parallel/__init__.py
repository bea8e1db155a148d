"""Parallel work, in threads of this process or on a cluster.

Number of threads (``threads``), tasks (``tasks``) and where they run (``plan``: threads by
``threads_runner`` and ``workers``, a cluster by ``cluster``), threads of BLAS meanwhile (``blas``),
and progress (``progress``).
"""
