"""Threads: how many (``threads``), running what (``tasks``), and how far (``progress``)."""
