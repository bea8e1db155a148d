"""The threads that OpenMP keeps between two calls."""


def release_threads():
    """End the threads that OpenMP keeps for the calling one; the next call starts new ones."""
    sfm_release_threads()
