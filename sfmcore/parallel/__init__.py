"""Pieces of work next to each other, in threads of this process or on a cluster.

How many threads there are (``threads``), what they run (``tasks``) and where (``plan``: threads by
``threads_runner`` and ``workers``, a cluster by ``cluster``), and how far it is (``progress``).
"""
