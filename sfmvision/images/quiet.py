"""Silence from OpenCV's log while images are decoded."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from cv2.utils import logging

_lock = Lock()
_inside = 0
_level = 0


@contextmanager
def quiet_opencv() -> Iterator[None]:
    """Silence OpenCV's log in this block.

    The level belongs to the process. With several threads, the first that enters saves it and the
    last that leaves restores it.
    """
    global _inside, _level
    with _lock:
        if not _inside:
            _level = logging.setLogLevel(logging.LOG_LEVEL_SILENT)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                logging.setLogLevel(_level)
