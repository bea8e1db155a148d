"""Threads: how many there are, progress bars, and independent tasks side by side."""
